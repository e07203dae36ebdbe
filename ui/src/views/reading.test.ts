import { screen, within } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { rangesOf } from "../lib/highlight";
import type { Detail, DiffLine } from "../lib/ipc/bindings";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

const line = (number: number): DiffLine => ({
  d: "added",
  new: number,
  parts: [{ text: [{ t: "text", s: `line ${number}` }], changed: false }],
  begins: number === 1,
});
const lines = (from: number, count: number) => Array.from({ length: count }, (_, index) => line(from + index + 1));

/** A new file of 1,000 lines, of which the first and the last 200 crossed. */
function long(detail: Detail): Detail {
  return {
    ...detail,
    payload: {
      p: "create",
      path: [],
      lines: {
        head: lines(0, 200),
        middle: [{ items: 600, characters: 4800, changes: true }],
        tail: lines(800, 200),
      },
    },
  };
}

/** What is said to be in view, by the observer that the window made last. */
let see: (stretches: Record<number, boolean>) => void;

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      #targets: Element[] = [];
      constructor(tell: (entries: { target: Element; isIntersecting: boolean }[]) => void) {
        see = (stretches) =>
          tell(
            this.#targets.flatMap((target) => {
              const seen = stretches[Number((target as HTMLElement).dataset.stretch)];
              return seen === undefined ? [] : [{ target, isIntersecting: seen }];
            }),
          );
      }
      observe(target: Element) {
        this.#targets.push(target);
      }
      unobserve(target: Element) {
        this.#targets = this.#targets.filter((one) => one !== target);
      }
      disconnect() {
        this.#targets = [];
      }
    },
  );
  open = await openWindow((ipc) => {
    for (const [id, detail] of ipc.details) if (id === "r-close") ipc.details.set(id, long(detail));
    ipc.part = ({ from, items }) => ({ of: "lines", items: lines(from, items) });
    ipc.places = ({ text }) => ({
      places:
        text === "line 5"
          ? [
              { item: 499, time: 0 },
              { item: 999, time: 0 },
            ]
          : [],
      more: false,
    });
  });
  await open.settle();
});

afterEach(() => {
  open.app.stop();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const payload = () => screen.getByTestId("payload");
const unread = () =>
  [...payload().querySelectorAll<HTMLElement>("[data-characters]")].reduce(
    (sum, stretch) => sum + Number(stretch.dataset.characters),
    0,
  );

test("what lies between the ends is asked for when it comes near, and counts as unread until it is drawn (f.5)", async () => {
  expect(open.requests("payload_part")).toEqual([]);
  expect(payload()).toHaveTextContent("line 200");
  expect(payload()).not.toHaveTextContent("line 201");
  const before = unread();
  // What is far is one stretch; it is divided when it comes near, and still has as many characters.
  expect(payload().querySelectorAll("[data-stretch]")).toHaveLength(3);
  see({ 0: true, 1: true });
  await open.pass(20);
  expect(payload().querySelectorAll("[data-stretch]")).toHaveLength(5);
  expect(unread()).toBe(before);
  see({ 1: true });
  await open.pass(20);
  expect(open.requests("payload_part").map(({ from, items }) => [from, items])).toEqual([[200, 200]]);
  expect(payload()).toHaveTextContent("line 201");
  expect(unread()).toBe(before - 1600);
  see({ 1: false });
  await open.pass(20);
  expect(payload()).not.toHaveTextContent("line 201");
  expect(unread()).toBe(before);
  see({ 1: true });
  await open.pass(20);
  expect(open.requests("payload_part")).toHaveLength(1);
});

test("a part that can't be had says so, counts as unread and can be asked for again", async () => {
  open.ipc.failures.set("payload_part", { code: "not_found", message: "gone" } as never);
  const before = unread();
  see({ 1: true });
  await open.pass(20);
  see({ 2: true });
  await open.pass(20);
  expect(within(payload()).getByRole("alert")).toHaveTextContent("This part couldn't be fetched; it counts as unread.");
  expect(unread()).toBe(before);
  open.ipc.failures.delete("payload_part");
  screen.getByRole("button", { name: "Try again" }).click();
  await open.pass(20);
  expect(payload()).toHaveTextContent("line 401");
});

test("/ finds words in what would run, also where nothing was drawn, and Escape goes back (f.5)", async () => {
  await open.press("/");
  const field = screen.getByTestId<HTMLInputElement>("payload-find-text");
  expect(field).toHaveFocus();
  field.value = "line 5";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await open.pass(300);
  expect(open.requests("find_in_payload")).toMatchObject([{ list: "main", text: "line 5" }]);
  expect(screen.getByTestId("payload-find-count")).toHaveTextContent("1 of 2");
  expect(open.requests("payload_part").map(({ from }) => from)).toEqual([400]);
  expect(payload().querySelector("[data-item='499']")).toHaveTextContent("line 500");
  await open.press("Enter", {}, field);
  expect(screen.getByTestId("payload-find-count")).toHaveTextContent("2 of 2");
  await open.press("a", {}, field);
  expect(open.requests("stage")).toEqual([]);
  await open.press("Escape", {}, field);
  expect(screen.queryByTestId("payload-find")).toBeNull();
});

test("words are found across the pieces that they are drawn in", () => {
  const place = document.createElement("div");
  for (const text of ["rm", " -R", "f x ", "rm -rf"]) {
    const piece = document.createElement("b");
    piece.textContent = text;
    place.append(piece);
  }
  expect(rangesOf(place, "rm -rf").map((range) => range.toString())).toEqual(["rm -Rf", "rm -rf"]);
  expect(rangesOf(place, "")).toEqual([]);
});
