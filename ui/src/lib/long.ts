import type { Long } from "./ipc/bindings";

/** A list that crossed whole. */
export function whole<T>(items: T[]): Long<T> {
  return { head: items, middle: [], tail: [] };
}

/** How many things it has, those that haven't crossed among them. */
export function countOf<T>({ head, middle, tail }: Long<T>): number {
  return middle.reduce((sum, stretch) => sum + stretch.items, head.length + tail.length);
}
