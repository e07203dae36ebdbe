import { expect, test } from "vitest";
import { count, list, plain } from "./text";
import { age, ago, dayHeading, duration, when } from "./time";

const now = new Date(2026, 10, 30, 14, 2).getTime();
const minutes = (n: number) => now - n * 60_000;

test("ages are as short as they can be, and never from the future", () => {
  expect([age(minutes(0), now), age(minutes(12), now), age(minutes(60), now), age(minutes(60 * 49), now)]).toEqual([
    "just now",
    "12 min",
    "1 h",
    "2 d",
  ]);
  expect(age(now + 5000, now)).toBe("just now");
  expect(ago(minutes(4), now)).toBe("4 min ago");
});

test("days are named by the calendar, not by 24 hours", () => {
  expect(dayHeading(minutes(14 * 60 + 1), now)).toBe("Today");
  expect(dayHeading(minutes(14 * 60 + 3), now)).toBe("Yesterday");
  expect(dayHeading(new Date(2026, 2, 3).getTime(), now)).toBe("Tue 3 March");
  expect(dayHeading(new Date(2025, 2, 3).getTime(), now)).toBe("Mon 3 March 2025");
  expect(when(minutes(2), now)).toBe("14:00");
});

test("what took less than a second still took one", () => {
  expect([duration(80), duration(21_000), duration(62_000)]).toEqual(["1 s", "21 s", "1 min"]);
});

test("numbers are grouped, lists end in a word, chips are spoken by name", () => {
  expect([count(41), count(1240), count(1234567)]).toEqual(["41", "1,240", "1,234,567"]);
  expect([list([]), list(["a"]), list(["a", "b"]), list(["a", "b", "c"])]).toEqual(["", "a", "a and b", "a, b and c"]);
  expect(
    plain([
      { t: "text", s: "a" },
      { t: "chip", s: "U+200B", k: "hidden" },
    ]),
  ).toBe("a⟨U+200B⟩");
});
