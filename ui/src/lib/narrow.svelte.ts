import { MediaQuery } from "svelte/reactivity";

const query = new MediaQuery("max-width: 899px");

/** Whether there is room for only one of list and detail. */
export function narrow(): boolean {
  return query.current;
}
