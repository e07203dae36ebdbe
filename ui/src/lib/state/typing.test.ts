import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { joined, Typing } from "./typing.svelte";

let kept: Map<string, string>;
let typing: Typing;

beforeEach(() => {
  vi.useFakeTimers();
  kept = new Map();
  typing = new Typing({
    keep: async (id, text) => kept.set(id, text),
    load: async (id) => kept.get(id) ?? "",
  });
});

afterEach(() => {
  vi.useRealTimers();
});

/** What the process does when it takes a text. */
const taken = async () => kept.delete("c");

test.each([
  ["nothing is there", "", "", "back", "back"],
  ["nothing was known of it", "", undefined, "back", "back"],
  ["all of it was kept", "half", "half", "half\nback", "half\nback"],
  ["more was typed since", "half a sentence", "half", "half\nback", "half a sentence\nback"],
  ["something else is typed", "other", "", "back", "other\nback"],
  ["it was just deleted", "", "half", "half\nback", "back"],
  ["nothing came", "half a sentence", "half", "half", "half a sentence"],
])("what comes back is there once, and so is what was typed: %s", (_name, now, before, all, next) => {
  expect(joined(now, before, all)).toBe(next);
});

test("a text is kept a moment after the last letter", async () => {
  typing.write("c", "h");
  typing.write("c", "half");
  await vi.advanceTimersByTimeAsync(399);
  expect(kept.has("c")).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(kept.get("c")).toBe("half");
});

test("a text that leaves is never kept behind it", async () => {
  typing.write("c", "Also the images.");
  await typing.leave("c", taken);
  await vi.advanceTimersByTimeAsync(1000);
  expect([typing.text("c"), kept.has("c")]).toEqual(["", false]);
});

test("what comes back before the answer does isn't wiped by it", async () => {
  typing.write("c", "Also the images.");
  await typing.leave("c", async () => {
    kept.set("c", "Also the images.");
    typing.cameBack("c", "Also the images.");
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect([typing.text("c"), kept.get("c")]).toEqual(["Also the images.", "Also the images."]);
});

test("what is typed while a text leaves stays, and is kept", async () => {
  typing.write("c", "One.");
  await typing.leave("c", async () => {
    typing.write("c", "One. Two.");
    await taken();
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect([typing.text("c"), kept.get("c")]).toEqual(["Two.", "Two."]);
});

test("a text that couldn't leave stays, and is kept", async () => {
  typing.write("c", "One.");
  await expect(typing.leave("c", () => Promise.reject(new Error("no")))).rejects.toThrow();
  await vi.advanceTimersByTimeAsync(1000);
  expect([typing.text("c"), kept.get("c")]).toEqual(["One.", "One."]);
});

test("words that come back under somebody's hands are kept together with theirs", async () => {
  typing.write("c", "other");
  kept.set("c", "back");
  typing.cameBack("c", "back");
  await vi.advanceTimersByTimeAsync(1000);
  expect([typing.text("c"), kept.get("c")]).toEqual(["other\nback", "other\nback"]);
});
