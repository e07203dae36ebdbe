import { expect, test } from "vitest";
import { find, fit, type PaletteEntry } from "./palette";
import { words } from "./text";

const entry = (id: string, label: string, given: Partial<PaletteEntry> = {}): PaletteEntry => ({
  id,
  group: "screens",
  label: words(label),
  about: [],
  keys: null,
  also: "",
  off: null,
  act: { does: "go", screen: "history", part: id },
  ...given,
});

const ids = (entries: PaletteEntry[], typed: string) => find(entries, typed).entries.map((one) => one.id);

test("the start of the name fits best, then of a word, then what is inside, then other words", () => {
  const fits = ["History", "Past history", "Prehistory", "Log"].map((label) => fit(label, "history", "his"));
  expect(fits).toEqual([0, 1, 2, 3]);
  expect(fit("Log", "prehistory", "his")).toBeNull();
});

test("words may come in any order, without accents and in any case", () => {
  expect(fit("Quick task", "", "TASK quick")).toBe(1);
  expect(fit("Café überall", "", "cafe ub")).toBe(0);
  expect(fit("Quick task", "", "  quick   task ")).toBe(0);
  expect(fit("Quick task", "", "task slow")).toBeNull();
});

test("letters here and there count only where nothing holds what was typed", () => {
  const entries = [entry("a", "New conversation"), entry("b", "Nova scan")];
  expect(ids(entries, "nvsn")).toEqual(["a", "b"]);
  expect(ids([...entries, entry("c", "nvsn")], "nvsn")).toEqual(["c"]);
});

test("what fits alike keeps its order, and what can't be done keeps its place", () => {
  const entries = [entry("a", "Tools one", { off: "Not now." }), entry("b", "Tools two"), entry("c", "Tools")];
  expect(ids(entries, "tools")).toEqual(["a", "b", "c"]);
  expect(ids(entries, "tool")).toEqual(["a", "b", "c"]);
});

test("what there may be thousands of is cut, with the number that is left out", () => {
  const many = Array.from({ length: 500 }, (_, n) => entry(`c${n}`, `Talk ${n}`, { group: "conversations" }));
  const all = find([...many, entry("h", "History", { act: { does: "key", id: "go-history" } })], "");
  expect(all.entries.map((one) => one.id)).toEqual(["c0", "c1", "c2", "c3", "c4", "c5", "h"]);
  expect(all.more).toBe(494);
  const found = find(many, "talk");
  expect([found.entries.length, found.more]).toEqual([60, 440]);
  expect(ids(many, "talk 499")).toEqual(["c499"]);
});

test("a name with hidden characters is found by what is displayed of it", () => {
  const hostile = entry("x", "", {
    label: [
      { t: "text", s: "Pay" },
      { t: "chip", s: "U+202E", k: "hidden" },
      { t: "text", s: "roll" },
    ],
  });
  expect(ids([hostile], "payroll")).toEqual(["x"]);
  expect(ids([hostile], "u+202e")).toEqual(["x"]);
});
