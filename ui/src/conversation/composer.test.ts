import { screen } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

const field = () => screen.getByTestId<HTMLTextAreaElement>("composer");

async function write(text: string) {
  field().value = text;
  field().dispatchEvent(new Event("input", { bubbles: true }));
  await open.pass();
}

test("while requests wait, Enter opens the guard and sends nothing", async () => {
  open = await openWindow(undefined, "#/conversations/triage");
  await write("And tell me when it is done.");
  await open.press("Enter", {}, field());
  expect(screen.getByTestId("guard")).toHaveTextContent(
    "Sending this drops 3 open requests: Call close_ticket, Run a command and Edit a file.",
  );
  await open.press("Enter", {}, field());
  expect(open.requests("send")).toEqual([]);
});

test("sending anyway names what it drops, and not before the guard was seen", async () => {
  open = await openWindow(undefined, "#/conversations/triage");
  await write("Stop that.");
  await open.press("Enter", {}, field());
  await open.press("Enter", { ctrlKey: true }, field());
  expect(open.requests("send")).toEqual([]);
  await open.settle();
  await open.settle();
  await open.press("Enter", { ctrlKey: true }, field());
  expect(open.requests("send")[0]?.send).toEqual({
    conversation: "triage",
    answers: [],
    text: "Stop that.",
    mode: null,
    passes_by: ["r-close", "r-push", "r-edit"],
  });
  expect(field().value).toBe("");
});

test("answer first goes to the Inbox and keeps the text", async () => {
  open = await openWindow(undefined, "#/conversations/triage");
  await write("Later.");
  await open.press("Enter", {}, field());
  screen.getByRole("button", { name: "Answer first" }).click();
  await open.pass(500);
  expect(screen.getByTestId("row-r-close")).toHaveAttribute("aria-current", "true");
  expect(open.ipc.drafts.get("triage")).toBe("Later.");
});

test("with everything staged, answers and text leave as one", async () => {
  open = await openWindow(undefined, "#/conversations/release");
  await open.ipc.call("main", "stage", {
    id: "r-plan",
    decision: { say: "approve_plan", into: "default", only_this_plan: false },
    digest: "digest of r-plan",
  });
  await write("Start with the changelog.");
  expect(screen.getByText("Goes with your 1 answer")).toBeVisible();
  screen.getByRole("button", { name: "Send 1 and this" }).click();
  await open.pass();
  expect(open.requests("send")[0]?.send).toMatchObject({
    text: "Start with the changelog.",
    passes_by: [],
    answers: [{ request: "r-plan", digest: "digest of r-plan" }],
  });
});

test("a call that was approved and hasn't run counts in the guard", async () => {
  open = await openWindow(undefined, "#/conversations/garden");
  await write("Go on.");
  await open.press("Enter", {}, field());
  expect(screen.getByTestId("guard")).toHaveTextContent("Sending this drops 1 approved call that hasn't run.");
});

test("while a run goes on the text is kept, and the reason is said", async () => {
  open = await openWindow(undefined, "#/conversations/nightly");
  await write("Also the images.");
  await open.press("Enter", {}, field());
  expect(field().value).toBe("Also the images.");
  expect(screen.getByText(/Your text is kept/)).toBeVisible();
});

test("Shift+Enter and an input method's Enter send nothing", async () => {
  open = await openWindow(undefined, "#/conversations/docs");
  await write("こん");
  await open.press("Enter", { isComposing: true }, field());
  await open.press("Enter", { shiftKey: true }, field());
  expect(open.requests("send")).toEqual([]);
});

test("a text comes back after a restart", async () => {
  open = await openWindow((ipc) => ipc.drafts.set("triage", "half a sentence"), "#/conversations/triage");
  expect(field().value).toBe("half a sentence");
});

test("a mode that allows more waits for the next sending, one that allows less doesn't", async () => {
  open = await openWindow(undefined, "#/conversations/garden");
  screen.getByTestId("mode-menu").click();
  await open.pass();
  screen.getByTestId("mode-auto").click();
  await open.pass();
  await open.settle();
  screen.getByRole("button", { name: "Turn on Auto" }).click();
  await open.pass();
  expect(open.requests("tighten")).toEqual([]);
  expect(screen.getByText("Auto from the next run", { exact: false })).toBeVisible();
  screen.getByTestId("mode-menu").click();
  await open.pass();
  screen.getByTestId("mode-plan").click();
  await open.pass();
  expect(open.requests("tighten")).toEqual([{ conversation: "garden", mode: "plan" }]);
  expect(screen.queryByText("Auto from the next run", { exact: false })).toBeNull();
});
