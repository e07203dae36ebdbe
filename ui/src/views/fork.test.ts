import { screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
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

async function confirm() {
  screen.getByTestId("sheet-confirm").click();
  await open.pass(50);
}

async function openSheet() {
  screen.getByRole("button", { name: "More" }).click();
  await open.pass(20);
  screen.getByTestId("fork-open").click();
  await open.pass(700);
}

test("a conversation is forked from its menu; the fork says where it came from and has nothing open (D-59)", async () => {
  open = await openWindow(undefined, "#/conversations/triage");
  await open.settle();
  await openSheet();
  const sheet = screen.getByRole("dialog");
  expect(sheet).toHaveTextContent("Open requests and standing approvals stay here");
  expect(within(sheet).getByTestId("fork-name")).toHaveValue("Ticket triage (fork)");
  await confirm();
  expect(open.requests("fork")).toEqual([{ conversation: "triage", title: "Ticket triage (fork)", upto: null }]);
  expect(location.hash).toMatch(/^#\/conversations\/fork-/);
  expect(screen.queryByTestId("waiting-strip")).toBeNull();
  const mark = screen.getByTestId("fork-mark");
  expect(mark).toHaveTextContent(/^Forked from Ticket triage · \d\d:\d\d$/);
  const link = within(mark).getByRole("link", { name: "Ticket triage" });
  expect(link).toHaveAttribute("href", "#/conversations/triage");
  expect(screen.getByTestId("transcript")).toHaveTextContent("4 calls: 1 ran, 3 never made");
});

test("a fork gets the name that is typed, and none without one", async () => {
  open = await openWindow(undefined, "#/conversations/triage");
  await open.settle();
  await openSheet();
  const user = userEvent.setup({ advanceTimers: (by) => vi.advanceTimersByTime(by) });
  const name = screen.getByTestId("fork-name");
  await user.clear(name);
  expect(screen.getByTestId("sheet-confirm")).toHaveAttribute("aria-disabled", "true");
  await user.type(name, "Another way");
  await confirm();
  expect(open.requests("fork")[0]?.title).toBe("Another way");
});

test("a message of the person's is a place to fork, by the Tab key too; an agent's isn't", async () => {
  open = await openWindow(undefined, "#/conversations/nightly");
  await open.settle();
  const buttons = screen.getAllByRole("button", { name: "Fork here" });
  expect(buttons).toHaveLength(1);
  buttons[0]!.focus();
  expect(buttons[0]).toHaveFocus();
  buttons[0]!.click();
  await open.pass(700);
  const sheet = screen.getByRole("dialog");
  expect(sheet).toHaveTextContent("everything up to this message");
  expect(sheet).toHaveTextContent("Auto isn't taken along");
  await confirm();
  expect(open.requests("fork")[0]).toMatchObject({ conversation: "nightly", upto: 1 });
  expect(screen.queryByText("The tests pass. Now the rendered pages.")).toBeNull();
  screen.getByRole("button", { name: "Continue" }).click();
  await open.pass(50);
  expect(open.requests("retry")).toHaveLength(1);
});

test("a fork of what was deleted keeps the name and loses the link", async () => {
  open = await openWindow((ipc) => {
    const said = ipc.transcripts["triage"]!;
    const name = [{ t: "text" as const, s: "Old triage" }];
    const forked = (title: typeof name | null) => ({ is: "forked" as const, conversation: null, title });
    said[0] = { ...said[0]!, marks: [{ at: 0, what: forked(name) }] };
    said[1] = { ...said[1]!, marks: [{ at: 0, what: forked(null) }] };
  }, "#/conversations/triage");
  await open.settle();
  const [named, nameless] = screen.getAllByTestId("fork-mark");
  expect(named).toHaveTextContent("Forked from Old triage (deleted)");
  expect(nameless).toHaveTextContent("Forked from a deleted conversation");
  expect(screen.queryByRole("link")).toBeNull();
});

test("changes of the mode are hairlines with a word and their time", async () => {
  open = await openWindow(undefined, "#/conversations/nightly");
  await open.settle();
  expect(screen.getByTestId("mode-mark")).toHaveTextContent(/^Mode: Auto, until this run ends · \d\d:\d\d$/);
});

test("a run that came to its limit says so, with its tokens, and goes on with a press", async () => {
  open = await openWindow((ipc) => ipc.endAtLimit(), "#/conversations/manual");
  await open.settle();
  expect(screen.getByTestId("run-end")).toHaveTextContent("Ended: limit of 25 rounds · 1,204 + 310 tokens");
  screen.getByTestId("continue").click();
  await open.pass(50);
  expect(open.requests("send")[0]?.send).toMatchObject({ conversation: "manual", text: "Continue.", answers: [] });
  // It isn't the last thing any more.
  expect(screen.queryByTestId("continue")).toBeNull();
});
