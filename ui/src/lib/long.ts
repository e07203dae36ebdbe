import type { DiffLine, Long, Node, Segment } from "./ipc/bindings";
import { lengthOf } from "./text";

/** A list that crossed whole. */
export function whole<T>(items: T[]): Long<T> {
  return { head: items, middle: [], tail: [] };
}

/** How many things it has, those that haven't crossed among them. */
export function countOf<T>({ head, middle, tail }: Long<T>): number {
  return middle.reduce((sum, stretch) => sum + stretch.items, head.length + tail.length);
}

/** How many characters a part of a command has. */
export function charactersOfSegment({ operator, words }: Segment): number {
  return words.reduce((sum, word) => sum + lengthOf(word.text), operator.length);
}

/** How many characters a line of a change has. */
export function charactersOfChange(line: DiffLine): number {
  switch (line.d) {
    case "same":
      return lengthOf(line.text);
    case "removed":
    case "added":
      return line.parts.reduce((sum, part) => sum + lengthOf(part.text), 0);
    case "folded":
    case "no_final_break":
      return 0;
  }
}

/** Whether a line of a change changes something. */
export const isChange = (line: DiffLine) => line.d === "removed" || line.d === "added";

/** How many characters a row of arguments has. */
export function charactersOfNode({ key, value }: Node): number {
  switch (value.v) {
    case "text":
    case "more":
      return lengthOf(key) + lengthOf(value.text);
    case "literal":
      return lengthOf(key) + value.text.length;
    case "object":
    case "list":
      return lengthOf(key);
  }
}
