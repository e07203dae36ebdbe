import { MediaQuery } from "svelte/reactivity";

const queries = new Map<number, MediaQuery>();

/** Whether there is room for only one of list and detail, at a zoom in percent: zoomed, the same window holds less. */
export function narrow(zoom: number): boolean {
  const query = queries.get(zoom) ?? new MediaQuery(`max-width: ${(899.98 * zoom) / 100}px`);
  queries.set(zoom, query);
  return query.current;
}
