import { screen, within } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(async () => {
  vi.useFakeTimers();
  open = await openWindow((ipc) => ipc.startAgents());
  open.app.inbox.select("r-close");
  await open.pass(50);
  await open.settle();
});

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

const field = () => screen.getByTestId<HTMLTextAreaElement>("note");

async function begin() {
  screen.getByTestId("approve-menu").click();
  await open.pass();
  screen.getByTestId("approve-note").click();
  await open.pass();
}

async function write(text: string) {
  field().value = text;
  field().dispatchEvent(new Event("input", { bubbles: true }));
  await open.pass();
}

test("D-78: a note goes along with the approval, told to the agent only when that is ticked", async () => {
  await begin();
  expect(field()).toHaveFocus();
  await write("Fine, the customer knows.");
  screen.getByTestId("note-tell").click();
  await open.pass();
  await open.press("Enter", { ctrlKey: true }, field());
  expect(open.requests("stage")).toEqual([
    {
      id: "r-close",
      digest: "digest of r-close",
      decision: { say: "approve_with_note", note: "Fine, the customer knows.", tell: true },
    },
  ]);
});

test("Enter ends a line and never approves, and nothing is approved without words", async () => {
  await begin();
  await open.press("Enter", { ctrlKey: true }, field());
  await write("Fine.");
  await open.press("Enter", {}, field());
  expect(open.requests("stage")).toEqual([]);
});

test("Esc keeps the words, and A approves with them once they are begun", async () => {
  await begin();
  await write("Fine.");
  await open.press("Escape", {}, field());
  expect(screen.queryByTestId("note")).toBeNull();
  await open.settle();
  await open.settle();
  await begin();
  expect(field()).toHaveValue("Fine.");
  await open.settle();
  await open.press("a");
  expect(open.requests("stage").map((one) => one.decision)).toEqual([
    { say: "approve_with_note", note: "Fine.", tell: false },
  ]);
});

test("changing a decision with a note brings its words and its tick back", async () => {
  const decision = { say: "approve_with_note" as const, note: "Fine.", tell: true };
  await open.app.stage("r-close", "digest of r-close", decision);
  open.app.inbox.select("r-close");
  await open.pass(50);
  expect(screen.getByText("Will be approved, with your note. Sends when 2 more are decided.")).toBeVisible();
  screen.getByTestId("change").click();
  await open.pass();
  expect(field()).toHaveValue("Fine.");
  expect(screen.getByTestId("note-tell")).toBeChecked();
});

test("N-89: a tool that isn't there any more is approved by no key", async () => {
  open.ipc.details.set("r-close", { ...open.ipc.details.get("r-close")!, gone: true });
  await open.app.request.again();
  await open.settle();
  expect(screen.getByTestId("detail-state").dataset.state).toBe("gone");
  await open.press("a");
  await open.press("A", { shiftKey: true });
  expect(open.requests("stage")).toEqual([]);
  expect(screen.queryByRole("dialog")).toBeNull();
  await open.press("r");
  expect(open.requests("stage")).toHaveLength(1);
});

test("D-76: what the agent left out is shown as that, below what would run", async () => {
  open.app.inbox.select("r-fetch");
  await open.pass(50);
  const lines = within(screen.getByRole("list", { name: "Left out by the agent" })).getAllByRole("listitem");
  expect(lines.map((line) => line.textContent?.replace(/\s+/g, " ").trim())).toEqual([
    "timeout not sent, default 60",
    "background not sent, default false",
  ]);
  expect(screen.getByTestId("payload")).not.toHaveTextContent("timeout");
});
