import { screen, within } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { longTalk } from "../lib/ipc/fixture-transcripts";
import { most } from "../lib/state/conversations.svelte";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(async () => {
  vi.useFakeTimers();
  open = await openWindow((ipc) => {
    ipc.transcripts["docs"] = longTalk(ipc.now, 5000);
  }, "#/conversations/docs");
  await open.settle();
});

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

const transcript = () => screen.getByTestId("transcript");
const drawn = () =>
  [...transcript().querySelectorAll("[data-entry]")].map((one) => Number(one.getAttribute("data-entry")?.slice(6)));
const from = () => [drawn()[0], drawn().at(-1)];

async function press(name: string) {
  within(transcript()).getByRole("button", { name }).click();
  await open.pass(20);
  expect(drawn().length).toBeLessThanOrEqual(most);
  expect(drawn()).toEqual(drawn().toSorted((a, b) => a - b));
}

/** Messages come while the person looks on. */
async function come(first: number, last = first) {
  const entries = longTalk(open.ipc.now, last).slice(first - 1);
  open.ipc.transcripts["docs"]!.push(...entries);
  open.ipc.emit({ f: "entries", conversation: "docs", entries });
  await open.pass(20);
}

test("of 5,000 messages a bounded window is drawn, which goes to the beginning and back (P16)", async () => {
  expect(from()).toEqual([4901, 5000]);
  for (let pages = 1; pages <= 4; pages++) {
    await press("Show earlier");
    expect(drawn()[0]).toBe(4901 - 100 * pages);
  }
  expect(from()).toEqual([4501, 4700]);
  open.app.conversations.replace([open.ipc.transcriptOf("docs", 151)]);
  await open.pass(20);
  await press("Show earlier");
  expect(from()).toEqual([1, 150]);
  expect(within(transcript()).queryByRole("button", { name: "Show earlier" })).toBeNull();
  await press("Show later");
  expect(from()).toEqual([51, 250]);
  open.app.conversations.replace([open.ipc.transcriptOf("docs", 4851)]);
  await open.pass(20);
  await press("Show later");
  await press("Show later");
  expect(from()).toEqual([5001 - most, 5000]);
  expect(within(transcript()).queryByRole("button", { name: "Show later" })).toBeNull();
});

test("a found place is loaded with what is around it, not with what lies between", async () => {
  const asked = open.requests("transcript").length;
  await open.press("/");
  const field = screen.getByTestId<HTMLInputElement>("find-text");
  field.value = "Message 2501";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await open.pass(300);
  await open.press("Enter", {}, field);
  await open.pass(50);
  expect(document.querySelector("[data-entry].found")).toHaveAttribute("data-entry", "entry 2501");
  expect(open.requests("transcript").slice(asked)).toEqual([
    { conversation: "docs", before: 2502, after: null },
    { conversation: "docs", before: null, after: 2501 },
  ]);
  expect(from()).toEqual([2402, 2601]);
  screen.getByRole("button", { name: "↓ latest" }).click();
  await open.pass(50);
  expect(from()).toEqual([4901, 5000]);
});

test("what comes in is followed at the end, and doesn't move what is read further up", async () => {
  await come(5001, 5150);
  await come(5151);
  expect(from()).toEqual([5152 - most, 5151]);
  await press("Show earlier");
  const before = drawn();
  await come(5152);
  expect(drawn()).toEqual(before);
  // What is drawn and changes is drawn anew.
  const changed = { ...longTalk(open.ipc.now, 1)[0]!, seq: before[5]! };
  open.ipc.emit({ f: "entries", conversation: "docs", entries: [changed] });
  await open.pass(20);
  expect(transcript().querySelector(`[data-entry="entry ${before[5]}"]`)).toHaveTextContent("Message 1");
});
