import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Arming, stillness } from "./arming.svelte";

let arming: Arming;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  arming = new Arming(true);
  stop = arming.watch();
});

afterEach(() => {
  stop();
  vi.useRealTimers();
  document.body.replaceChildren();
});

const pass = (milliseconds: number) => vi.advanceTimersByTime(milliseconds);

test("a request counts after it was visible for the whole time, and not before", () => {
  arming.show("one");
  pass(stillness - 1);
  expect(arming.armed).toBe(false);
  pass(1);
  expect(arming.armed).toBe(true);
  expect(arming.press()).toBe(true);
});

test("nothing on the screen is never armed", () => {
  pass(10_000);
  expect(arming.press()).toBe(false);
});

test("a swap starts the time again, the same request shown again doesn't", () => {
  arming.show("one");
  pass(stillness);
  arming.show("one");
  expect(arming.armed).toBe(true);
  arming.show("two");
  expect(arming.armed).toBe(false);
  pass(stillness);
  expect(arming.armed).toBe(true);
});

test("the click that raises the window doesn't count (accept 6, surface 14)", () => {
  arming.show("one");
  pass(stillness);
  dispatchEvent(new Event("blur"));
  expect(arming.armed).toBe(false);
  pass(5000);
  expect(arming.armed).toBe(false);
  dispatchEvent(new Event("focus"));
  expect(arming.press()).toBe(false);
  pass(stillness);
  expect(arming.armed).toBe(true);
});

test("a window that was hidden starts afresh when it comes back", () => {
  arming.show("one");
  pass(stillness);
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  document.dispatchEvent(new Event("visibilitychange"));
  pass(5000);
  expect(arming.armed).toBe(false);
  hidden.mockReturnValue(false);
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  document.dispatchEvent(new Event("visibilitychange"));
  expect(arming.press()).toBe(false);
  pass(stillness);
  expect(arming.armed).toBe(true);
  vi.restoreAllMocks();
});

test("typing in a field puts it off, a checkbox doesn't (accept 7)", () => {
  const field = document.body.appendChild(document.createElement("textarea"));
  const box = document.body.appendChild(document.createElement("input"));
  box.type = "checkbox";
  arming.show("one");
  pass(stillness);
  box.dispatchEvent(new Event("input", { bubbles: true }));
  expect(arming.armed).toBe(true);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  expect(arming.armed).toBe(false);
});

test("an early press is dropped and puts it off once, never beyond twice the time", () => {
  arming.show("one");
  pass(400);
  expect(arming.press()).toBe(false);
  pass(stillness - 1);
  expect(arming.armed).toBe(false);
  arming.press();
  arming.press();
  pass(1);
  expect(arming.armed).toBe(true);
});

test("the second early press is said, once", () => {
  const said = vi.fn();
  arming.onEarly = said;
  arming.show("one");
  arming.press();
  expect(said).not.toHaveBeenCalled();
  arming.press();
  arming.press();
  expect(said).toHaveBeenCalledOnce();
});
