import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { charactersBelow, ReadingGate } from "./gate.svelte";

/** Ten characters a line, twenty pixels each, from the top of the page; scrolled by this much. */
let scrolled = 0;

beforeEach(() => {
  scrolled = 0;
  vi.spyOn(Range.prototype, "getBoundingClientRect").mockImplementation(function (this: Range) {
    const bottom = (Math.floor(this.startOffset / 10) + 1) * 20 - scrolled;
    return { bottom } as DOMRect;
  });
});

afterEach(() => vi.restoreAllMocks());

function payload(length: number): HTMLElement {
  const element = document.body.appendChild(document.createElement("div"));
  element.textContent = "x".repeat(length);
  return element;
}

function scroller(height: number): HTMLElement {
  const element = document.createElement("div");
  vi.spyOn(element, "getBoundingClientRect").mockReturnValue({ bottom: height } as DOMRect);
  return element;
}

test("it counts exactly the characters under the edge", () => {
  expect(charactersBelow(payload(100), 60)).toBe(70);
  expect(charactersBelow(payload(100), 200)).toBe(0);
});

test("the gate opens when the end was in view, and stays open for these bytes only (accept 14, surface 68, field 134)", () => {
  const gate = new ReadingGate();
  const [what, pane] = [payload(100), scroller(60)];
  gate.measure("r digest", what, pane);
  expect(gate.remaining).toBe(70);
  scrolled = 80;
  gate.measure("r digest", what, pane);
  expect(gate.remaining).toBe(30);
  scrolled = 140;
  gate.measure("r digest", what, pane);
  expect(gate.remaining).toBe(0);
  scrolled = 0;
  gate.measure("r digest", what, pane);
  expect(gate.remaining).toBe(0);
  gate.measure("r another", what, pane);
  expect(gate.remaining).toBe(70);
});

test("what isn't drawn yet wasn't read (field 136)", () => {
  const gate = new ReadingGate();
  const what = payload(100);
  const stretch = document.createElement("div");
  stretch.dataset.characters = "5000";
  vi.spyOn(stretch, "getBoundingClientRect").mockImplementation(() => new DOMRect(0, 160 - scrolled, 100, 400));
  what.append(stretch);
  scrolled = 0;
  gate.measure("r long", what, scroller(200));
  expect(gate.remaining).toBe(5000);
  scrolled = 360;
  gate.measure("r long", what, scroller(200));
  expect(gate.remaining).toBe(0);
});

test("what a hidden window shows wasn't read", () => {
  vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  const gate = new ReadingGate();
  const [what, pane] = [payload(100), scroller(200)];
  gate.measure("r", what, pane);
  vi.spyOn(document, "hidden", "get").mockReturnValue(false);
  gate.measure("r", what, scroller(60));
  expect(gate.remaining).toBe(70);
});
