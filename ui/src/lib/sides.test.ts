import { expect, test } from "vitest";
import type { DiffLine } from "./ipc/bindings";
import { sides } from "./sides";

const removed = (old: number): DiffLine => ({ d: "removed", old, parts: [], begins: false });
const added = (now: number): DiffLine => ({ d: "added", new: now, parts: [], begins: false });
const same = (old: number, now: number): DiffLine => ({ d: "same", old, new: now, text: [] });

/** "1|2": the item at the left and the one at the right. */
const drawn = (lines: DiffLine[], from = 0) =>
  sides(lines, from).map((row) =>
    row.is === "whole" ? `=${row.placed.item}` : `${row.before?.item ?? ""}|${row.after?.item ?? ""}`,
  );

test("what was removed stands beside what was added in its place, and every line is there", () => {
  expect(drawn([same(1, 1), removed(2), removed(3), added(2), same(4, 3)])).toEqual(["0|0", "1|3", "2|", "4|4"]);
  expect(drawn([added(1), added(2)], 200)).toEqual(["|200", "|201"]);
  expect(drawn([removed(1), added(1), removed(2), added(2)])).toEqual(["0|1", "2|3"]);
  expect(drawn([{ d: "folded", lines: 8 }, removed(9), { d: "no_final_break" }, added(9)])).toEqual([
    "=0",
    "1|",
    "=2",
    "|3",
  ]);
});
