import { screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { quickTask } from "../lib/ipc/fixture-quick";
import { one } from "../lib/ipc/fixtures";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;
let user: ReturnType<typeof userEvent.setup>;

beforeEach(() => {
  vi.useFakeTimers();
  user = userEvent.setup({ advanceTimers: (milliseconds) => vi.advanceTimersByTime(milliseconds) });
});

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

const field = () => screen.getByTestId("quick-text");

async function ask() {
  await open.press("n", { ctrlKey: true });
  await open.pass(20);
}

async function start(text: string) {
  await ask();
  await user.type(field(), text);
  await user.keyboard("{Enter}");
  await open.pass(20);
}

test("the key opens the sheet with the field focused, and Enter starts it", async () => {
  open = await openWindow();
  await ask();
  expect(document.activeElement).toBe(field());
  expect(screen.getByTestId("quick-tools").textContent).toContain("list_files");
  await user.type(field(), "Count the notes");
  await user.keyboard("{Shift>}{Enter}{/Shift}");
  expect(open.requests("start_quick_task")).toEqual([]);
  await user.keyboard("{Enter}");
  await open.pass(20);
  expect(open.requests("start_quick_task")).toEqual([{ agent: "agent-1", text: "Count the notes", mode: "default" }]);
  expect(screen.getByTestId("quick-outcome").dataset.state).toBe("running");
});

test("Tab reaches the agent, and blank words start nothing", async () => {
  open = await openWindow();
  await ask();
  await user.keyboard("{Enter}");
  expect(open.requests("start_quick_task")).toEqual([]);
  await user.tab();
  expect(document.activeElement).toBe(screen.getByTestId("quick-agent"));
});

test("what is composed by an input method starts nothing", async () => {
  open = await openWindow();
  await ask();
  await user.type(field(), "ni");
  field().dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true }));
  await open.pass(20);
  expect(open.requests("start_quick_task")).toEqual([]);
});

test("the last choice is kept, and Auto never", async () => {
  open = await openWindow((ipc) => {
    ipc.snapshot.settings = { ...ipc.snapshot.settings, quick_agent: "agent-2", quick_mode: "plan" };
  });
  await ask();
  expect((screen.getByTestId("quick-agent") as HTMLSelectElement).value).toBe("agent-2");
  await user.click(screen.getByRole("radio", { name: "Auto" }));
  expect(screen.getByText("In Auto its writes and commands run without asking.")).toBeTruthy();
  await open.press("Escape");
  await ask();
  expect((screen.getByRole("radio", { name: "Plan" }) as HTMLInputElement).checked).toBe(true);
});

test("the result comes by itself, with the rounds that ran, and is announced", async () => {
  open = await openWindow();
  await start("Which notes have open points?");
  const id = open.app.quick.shown.task?.id ?? "";
  open.ipc.putQuick(quickTask(open.ipc.now, { id }));
  await open.pass(20);
  expect(screen.getByTestId("quick-outcome").dataset.state).toBe("done");
  expect(screen.getByTestId("quick-result").textContent).toContain("Two notes have open points");
  expect(screen.getByText("List files")).toBeTruthy();
  await open.pass(1500);
  expect(open.app.announcer.polite).toContain("Done");
});

test("a task that would have asked names the tool, keeps its rounds, and leads to a conversation", async () => {
  open = await openWindow();
  await start("Put the open points into one list.");
  const id = open.app.quick.shown.task?.id ?? "";
  const state = { is: "would_ask", tool: one("write_file"), rounds: 1 } as const;
  const text = one("Put the open points into one list.");
  open.ipc.putQuick(quickTask(open.ipc.now, { id, state, text, result: [] }));
  await open.pass(20);
  const alert = screen.getByTestId("quick-would-ask");
  expect(alert.textContent).toContain("Ended, because write_file would have had to ask you.");
  expect(alert.textContent).toContain("1 round before it did");
  expect(screen.getByText("List files")).toBeTruthy();
  await user.click(screen.getByTestId("quick-as-conversation"));
  await open.pass(20);
  expect((screen.getByTestId("new-text") as HTMLTextAreaElement).value).toBe("Put the open points into one list.");
});

test("a running task can be stopped, and stays when the sheet is closed", async () => {
  open = await openWindow();
  await start("Look around");
  const id = open.app.quick.shown.task?.id ?? "";
  await user.click(screen.getByTestId("quick-stop"));
  await open.pass(20);
  expect(open.requests("stop")).toEqual([{ conversation: id }]);
  await open.press("Escape");
  expect(screen.queryByTestId("quick-outcome")).toBeNull();
  await ask();
  expect(screen.getByTestId("quick-outcome").dataset.state).toBe("running");
});

test("why it can't start is said, and the words are kept", async () => {
  open = await openWindow((ipc) => {
    ipc.failures.set("start_quick_task", { code: "refused", message: "The folder is gone." });
  });
  await start("Look around");
  expect(within(screen.getByRole("dialog")).getByRole("alert").textContent).toContain("The folder is gone.");
  expect((field() as HTMLTextAreaElement).value).toBe("Look around");
});

test("History lists Quick tasks, by key and by press", async () => {
  open = await openWindow(undefined, "#/history");
  await user.click(screen.getByRole("radio", { name: "Quick tasks" }));
  await open.pass(20);
  const rows = screen.getAllByTestId("quick-row");
  expect(rows.map((row) => within(row).getByText(/Done|Ended/).textContent)).toEqual([
    "Ended: it would have asked",
    "Done",
  ]);
  rows[0]?.focus();
  await open.press("j", {}, rows[0]);
  expect(document.activeElement).toBe(rows[1]);
  await open.press("Enter", {}, rows[1]);
  await open.pass(20);
  expect(screen.getByTestId("quick-outcome").dataset.state).toBe("done");
  await user.click(screen.getByTestId("quick-remove"));
  await open.pass(20);
  expect(open.requests("remove_quick_task")).toEqual([{ id: "quick-done" }]);
  expect(screen.getAllByTestId("quick-row").length).toBe(1);
});

test("the editor says what the zone holds back, and lets it only be pointed out", async () => {
  open = await openWindow(undefined, "#/settings/agents");
  await open.pass(20);
  expect(screen.queryByTestId("note-run_command")).toBeNull();
  await user.click(within(screen.getByTestId("agent-zone")).getByRole("radio", { name: "Elsewhere" }));
  await open.pass(20);
  expect(screen.getByTestId("note-run_command").textContent).toContain("Held back");
  await user.click(screen.getByRole("radio", { name: "Only point out" }));
  await open.pass(20);
  expect(screen.getByTestId("note-run_command").textContent).toContain("should be sent");
  await user.click(screen.getByTestId("group-change"));
  await user.click(screen.getByTestId("tool-list_files"));
  await open.pass(20);
  await user.click(screen.getByTestId("save-agent"));
  await open.pass(20);
  const saved = open.requests("save_agent")[0]?.save.agent;
  expect(saved).toMatchObject({ zone: "external", ceiling: "observe", groups: ["look", "command", "ask", "server"] });
  expect(saved?.tools).not.toContain("list_files");
});

test("what is switched for all agents is switched at once", async () => {
  open = await openWindow(undefined, "#/settings/tools");
  await open.pass(20);
  await user.click(screen.getByRole("switch", { name: "run_command is on" }));
  await user.click(screen.getByRole("checkbox", { name: "Ask before read_file" }));
  await user.click(screen.getByRole("switch", { name: "Change files" }));
  await open.pass(20);
  expect(open.requests("switch_tools").at(-1)?.switches).toEqual({
    off_tools: ["run_command"],
    off_groups: ["change"],
    ask_first: ["read_file"],
    unreadable: false,
  });
});
