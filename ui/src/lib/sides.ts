import type { DiffLine } from "./ipc/bindings";

/** A line of a change with its place in the list. */
export interface Placed {
  line: DiffLine;
  item: number;
}

/** A row of a change side by side: before at the left, after at the right. What folds or ends a file takes all of it. */
export type Row = { is: "pair"; before: Placed | null; after: Placed | null } | { is: "whole"; placed: Placed };

/** Lines of a change in pairs: what was removed beside what was added in its place. `from` is the place of the first. */
export function sides(lines: DiffLine[], from: number): Row[] {
  const rows: Row[] = [];
  let removed: Placed[] = [];
  let added: Placed[] = [];
  const close = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      rows.push({ is: "pair", before: removed[at] ?? null, after: added[at] ?? null });
    removed = [];
    added = [];
  };
  for (const [index, line] of lines.entries()) {
    const placed = { line, item: from + index };
    if (line.d === "removed") {
      // Something was added before it: this one begins another change.
      if (added.length > 0) close();
      removed.push(placed);
    } else if (line.d === "added") added.push(placed);
    else {
      close();
      if (line.d === "same") rows.push({ is: "pair", before: placed, after: placed });
      else rows.push({ is: "whole", placed });
    }
  }
  close();
  return rows;
}
