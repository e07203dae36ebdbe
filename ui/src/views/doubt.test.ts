import { screen } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Detail } from "../lib/ipc/bindings";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(async () => {
  vi.useFakeTimers();
});

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

async function inDoubt(change: Partial<Detail> = {}) {
  open = await openWindow((ipc) => {
    const detail = ipc.details.get("h-mail")!;
    if (detail.state.is !== "closed") throw new Error("it is closed");
    const state = {
      ...detail.state,
      in_doubt: true,
      expired: false,
      label: "Outcome unknown",
      outcome: "outcome unknown",
    };
    ipc.details.set("h-mail", { ...detail, state, ...change });
    ipc.drafts.set("triage", "By the way:");
  });
  await open.settle();
  open.app.inbox.reveal("h-mail");
  await open.pass(50);
}

test.each([
  ["tell-happened", "did happen."],
  ["tell-didnt", "didn't happen."],
])(
  "what became of a call in doubt is a draft for its agent, which nobody sends but the person: %s (f.10)",
  async (button, words) => {
    await inDoubt();
    screen.getByTestId(button).click();
    await open.pass(600);
    expect(location.hash).toBe("#/conversations/triage");
    const composer = screen.getByTestId<HTMLTextAreaElement>("composer");
    expect(composer).toHaveFocus();
    const [typed, told] = composer.value.split("\n");
    expect(typed).toBe("By the way:");
    expect(told).toBe(`“send_mail {"to":["ops@example.org"]}”, which was cut off, ${words}`);
    expect(open.requests("keep_draft").at(-1)).toEqual({ conversation: "triage", text: composer.value });
    expect(open.requests("send")).toEqual([]);
    expect(open.requests("steer")).toEqual([]);
  },
);

test("what has no conversation any more is told to nobody", async () => {
  await inDoubt({ title: null });
  expect(screen.queryByTestId("in-doubt")).toBeNull();
});

test("what is known is told to nobody", async () => {
  open = await openWindow();
  await open.settle();
  open.app.inbox.reveal("h-mail");
  await open.pass(50);
  expect(screen.queryByTestId("in-doubt")).toBeNull();
});
