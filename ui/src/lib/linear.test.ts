import { expect, test } from "vitest";
import type { Node, Piece, Segment } from "./ipc/bindings";
import { lineOfChange, lineOfNode, lineOfSegment, spelled, type Line } from "./linear";
import { plain } from "./text";

const p = (s: string): Piece => ({ t: "text", s });
const said = ({ label, text }: Line) => `${label} ${plain(text)}`.replace(/ +/g, " ").trim();

const segment = (operator: string, text: string, high_risk = false): Segment => ({
  operator,
  high_risk,
  words: [{ kind: "plain", text: [p(text)] }],
});

test("each part of a command says how it follows, and high risk in words (c.13)", () => {
  expect(said(lineOfSegment(segment("", "git fetch"), false))).toBe("Runs git fetch");
  expect(said(lineOfSegment(segment("&&", " make"), false))).toBe("Then, if that worked, make");
  expect(said(lineOfSegment(segment("||", " make"), false))).toBe("Or, if that failed, make");
  expect(said(lineOfSegment(segment("|", " sh", true), false))).toBe("High risk. What it says goes to sh");
  expect(said(lineOfSegment(segment("|&", " sh"), false))).toBe("What it says goes to sh");
  expect(said(lineOfSegment(segment("&", " ls"), false))).toBe("Meanwhile ls");
  for (const operator of [";", "\n"]) expect(said(lineOfSegment(segment(operator, "ls"), false))).toBe("Then ls");
});

test("hidden characters stand among the words by their names, and symbols do if somebody wishes it", () => {
  const words: Piece[] = [p("rm a"), { t: "chip", s: "U+202E right-to-left override", k: "hidden" }, p("b")];
  const line = { operator: "", high_risk: false, words: [{ kind: "plain" as const, text: words }] };
  expect(said(lineOfSegment(line, false))).toBe("Runs rm a [hidden: U+202E right-to-left override] b");
  expect(spelled("git push --force a/b.txt")).toBe("git push dash dash force a slash b dot txt");
  expect(said(lineOfSegment(segment("", "ls -a | wc"), true))).toBe("Runs ls dash a bar wc");
});

test("no symbol of ASCII is left without its name", () => {
  const symbols = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).filter((one) =>
    /[^A-Za-z0-9]/.test(one),
  );
  for (const symbol of symbols) expect(spelled(symbol)).toMatch(/^[a-z ]+$/);
  expect(new Set(symbols.map(spelled)).size).toBe(32);
});

test("lines of a change say their number and what became of them", () => {
  const parts = [{ text: [p("new text")], changed: true }];
  expect(said(lineOfChange({ d: "same", old: 1, new: 2, text: [p("x")] }, false))).toBe("Line 2: x");
  expect(said(lineOfChange({ d: "removed", old: 12, parts: [], begins: true }, false))).toBe("Removed line 12: empty");
  expect(said(lineOfChange({ d: "same", old: 1, new: 2, text: [p("")] }, false))).toBe("Line 2: empty");
  expect(said(lineOfChange({ d: "added", new: 12, parts, begins: false }, false))).toBe("Added line 12: new text");
  expect(said(lineOfChange({ d: "folded", lines: 8 }, false))).toBe("8 unchanged lines");
});

test("arguments say how deep they lie, and a secret stays covered", () => {
  const node = (depth: number, value: Node["value"]): Node => ({ depth, key: [p("id")], value });
  expect(said(lineOfNode(node(0, { v: "text", text: [p("12")] }), false))).toBe("id: 12");
  expect(said(lineOfNode(node(1, { v: "object", items: 2 }), false))).toBe("level 2 id: 2 pairs");
  expect(said(lineOfNode(node(0, { v: "text", text: [{ t: "secret", s: "hunter2" }] }), true))).toBe("id : ••••••");
});
