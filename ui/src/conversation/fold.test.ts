import { expect, test } from "vitest";
import type { CallTone, Entry } from "../lib/ipc/bindings";
import { fold } from "./fold";

let next = 0;
const call = (tone: CallTone) => ({
  call: `c${next++}`,
  request: null,
  verb: [],
  target: [],
  words: "",
  tone,
  result: null,
  agent: null,
  asked: [],
});
const turn = (seq: number, words: boolean, ...tones: CallTone[]): Entry => ({
  seq,
  at: 0,
  end: null,
  marks: [],
  body: { e: "assistant", blocks: words ? [{ b: "rule" }] : [], calls: tones.map(call) },
});
const shape = (entries: Entry[]) =>
  fold(entries).map((line) => (line.is === "folded" ? `folded ${line.calls.length}` : line.is));

test("three calls stay, four in a row fold, also over several turns without words", () => {
  expect(shape([turn(1, false, "ran", "ran", "rejected")])).toEqual(["call", "call", "call"]);
  expect(shape([turn(1, false, "ran", "ran"), turn(2, false, "ran", "never")])).toEqual(["folded 4"]);
});

test("words part what would fold", () => {
  expect(shape([turn(1, false, "ran", "ran", "ran"), turn(2, true, "ran")])).toEqual([
    "call",
    "call",
    "call",
    "assistant",
    "call",
  ]);
});

test.each<CallTone>(["waiting", "failed", "unknown", "running"])("a call that is %s is never folded in", (tone) => {
  expect(shape([turn(1, false, "ran", "ran", tone, "ran", "ran")])).toEqual(["call", "call", "call", "call", "call"]);
  expect(shape([turn(1, false, "ran", "ran", "ran", "ran", tone)])).toEqual(["folded 4", "call"]);
});

test("the end of a run stands behind its last entry, and parts what would fold", () => {
  const spent = { calls: 1, counted: 1, priced: 0, tokens_in: 1, tokens_out: 1, cached: 0, written: 0, costs: [] };
  const over = { ...turn(1, false, "ran", "ran"), end: { at: 0, words: null, goes_on: false, spent } };
  expect(shape([over, turn(2, false, "ran", "ran")])).toEqual(["call", "call", "end", "call", "call"]);
});

test("what happened behind an entry keeps its order around the end of a run, and parts what would fold", () => {
  const spent = { calls: 1, counted: 1, priced: 0, tokens_in: 1, tokens_out: 1, cached: 0, written: 0, costs: [] };
  const mode = (at: number) => ({ at, what: { is: "mode" as const, mode: "auto" as const, ends: false, until: null } });
  const end = { at: 5, words: null, goes_on: false, spent };
  const over = { ...turn(1, false, "ran", "ran"), end, marks: [mode(4), mode(5)] };
  expect(shape([over, turn(2, false, "ran", "ran")])).toEqual(["call", "call", "mark", "end", "mark", "call", "call"]);
});
