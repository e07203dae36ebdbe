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
    auto_until: null,
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
    decision: { say: "approve_plan", into: "default", only_this_plan: false, ends_at: null },
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

test("while a run goes on, Enter adds to it, and nothing is kept behind the words", async () => {
  open = await openWindow(undefined, "#/conversations/docs");
  expect(field()).toHaveAttribute("placeholder", "Add to this run…");
  expect(field()).toHaveAccessibleName("Add to the run of Docs");
  expect(screen.getByTestId("composer-send")).toHaveTextContent("Steer");
  await write("Also the images.");
  await open.press("Enter", {}, field());
  expect(open.requests("steer")).toEqual([{ conversation: "docs", text: "Also the images." }]);
  expect(open.requests("send")).toEqual([]);
  expect(field().value).toBe("");
  expect(screen.getByTestId("steering")).toHaveTextContent("Waits for the agent's next step: Also the images.");
  await open.pass(1000);
  expect(open.requests("keep_draft")).toEqual([]);
});

test("of many waiting words the newest are shown, and how many more there are", async () => {
  open = await openWindow(undefined, "#/conversations/docs");
  for (const text of ["one", "two", "three", "four", "five"]) {
    await write(text);
    await open.press("Enter", {}, field());
  }
  const lines = [...screen.getByTestId("steering").children].map((line) => line.textContent?.trim());
  expect(lines).toEqual([
    "2 earlier ones wait too.",
    "Waits for the agent's next step: three",
    "Waits for the agent's next step: four",
    "Waits for the agent's next step: five",
  ]);
});

test("what a run that ended hadn't taken is in the composer again", async () => {
  open = await openWindow(undefined, "#/conversations/docs");
  await write("Also the images.");
  await open.press("Enter", {}, field());
  open.ipc.endRun("docs");
  await open.pass();
  expect(field().value).toBe("Also the images.");
  expect(screen.queryByTestId("steering")).toBeNull();
  expect(screen.getByTestId("composer-send")).toHaveTextContent("Send");
  await open.pass(1000);
  expect(open.ipc.drafts.get("docs")).toBe("Also the images.");
});

test("what comes back while something else is typed stands behind it", async () => {
  open = await openWindow(undefined, "#/conversations/docs");
  await write("Also the images.");
  await open.press("Enter", {}, field());
  await write("And be");
  open.ipc.endRun("docs");
  await open.pass();
  expect(field().value).toBe("And be\nAlso the images.");
  await open.pass(1000);
  expect(open.ipc.drafts.get("docs")).toBe("And be\nAlso the images.");
});

test("what came back to a conversation that isn't shown is there when it is opened", async () => {
  open = await openWindow(undefined, "#/conversations/docs");
  await write("Also the images.");
  await open.press("Enter", {}, field());
  open.app.router.go("conversations", "garden");
  await open.pass();
  open.ipc.endRun("docs");
  await open.pass();
  expect(field().value).toBe("");
  open.app.router.go("conversations", "docs");
  await open.pass();
  expect(field().value).toBe("Also the images.");
});

test("words for a run that had ended stay, and can be sent as a message", async () => {
  open = await openWindow(undefined, "#/conversations/docs");
  open.ipc.failures.set("steer", { code: "not_running", message: "Nothing is running here any more." });
  await write("Also the images.");
  await open.press("Enter", {}, field());
  expect(field().value).toBe("Also the images.");
  expect(screen.getByTestId("run-ended")).toHaveTextContent("The run had ended. Send it as a new message?");
  await open.pass(1000);
  expect(open.ipc.drafts.get("docs")).toBe("Also the images.");
  open.ipc.endRun("docs");
  screen.getByTestId("send-instead").click();
  await open.pass();
  expect(open.requests("send")[0]?.send).toMatchObject({ conversation: "docs", text: "Also the images." });
  expect(field().value).toBe("");
  expect(screen.queryByTestId("run-ended")).toBeNull();
});

test("while the run is being stopped nothing can be added to it", async () => {
  open = await openWindow((ipc) => {
    ipc.snapshot.conversations = ipc.snapshot.conversations.map((row) =>
      row.state.is === "running" ? { ...row, state: { ...row.state, stopping: true } } : row,
    );
  }, "#/conversations/docs");
  await write("Also the images.");
  expect(screen.getByTestId("composer-send")).toHaveAttribute("aria-disabled", "true");
  await open.press("Enter", {}, field());
  expect(open.requests("steer")).toEqual([]);
  expect(field().value).toBe("Also the images.");
});

test("a message that meets a run which has just begun stays, and the reason is said", async () => {
  open = await openWindow(undefined, "#/conversations/blog");
  open.ipc.failures.set("send", { code: "busy", message: "A run is going on." });
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
  expect([...open.requests("send"), ...open.requests("steer")]).toEqual([]);
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

/** A conversation whose agent goes on while others work beside it. */
const launch = (prepare: Parameters<typeof openWindow>[0] = () => undefined) =>
  openWindow((ipc) => {
    ipc.startAgents();
    prepare(ipc);
  }, "#/conversations/launch");

test("a word to a run leaves open what agents beside it ask, so nothing guards it", async () => {
  open = await launch();
  await write("Mind the redirects.");
  await open.press("Enter", {}, field());
  expect(screen.queryByTestId("guard")).toBeNull();
  expect(open.requests("steer")).toEqual([{ conversation: "launch", text: "Mind the redirects." }]);
  expect(open.app.inbox.find("r-links")).not.toBeNull();
});

test("a word to a run that asked something itself is guarded, whatever is decided about it", async () => {
  open = await launch((ipc) => {
    const own = ipc.snapshot.sets.find((one) => one.conversation === "launch")!;
    own.rows = [
      ...own.rows,
      { ...own.rows[0]!, id: "r-run", path: [], beside: false, draft: { decision: { say: "approve" }, digest: "d" } },
    ];
  });
  await write("Mind the redirects.");
  await open.press("Enter", {}, field());
  expect(screen.getByTestId("guard")).toHaveTextContent("Sending this drops 1 open request: Run a command.");
  expect(open.requests("steer")).toEqual([]);
  await open.settle();
  await open.settle();
  await open.press("Enter", { ctrlKey: true }, field());
  expect(open.requests("steer")).toEqual([{ conversation: "launch", text: "Mind the redirects." }]);
  expect(screen.queryByTestId("guard")).toBeNull();
});

test("what is queued is said above the composer, can be taken back, and words still go to the run", async () => {
  open = await launch();
  await open.ipc.call("main", "stage", { id: "r-links", decision: { say: "approve" }, digest: "digest of r-links" });
  await open.pass(3000);
  expect(screen.getByTestId("queued")).toHaveTextContent("Queued until the run ends");
  expect(screen.queryByTestId("waiting-strip")).toBeNull();
  expect(screen.getByTestId("conversation-launch")).toHaveTextContent("queued · ");
  await write("Mind the redirects.");
  await open.press("Enter", {}, field());
  expect(open.requests("steer")).toHaveLength(1);
  screen.getByRole("button", { name: "Take back" }).click();
  await open.pass();
  expect(open.requests("take_back")).toEqual([{ conversation: "launch" }]);
  expect(screen.queryByTestId("queued")).toBeNull();
  expect(screen.getByTestId("waiting-strip")).toHaveTextContent("1 waiting: Run a command");
});

test("what can't be taken back any more says so", async () => {
  open = await launch();
  await open.ipc.call("main", "stage", { id: "r-links", decision: { say: "approve" }, digest: "digest of r-links" });
  await open.pass(3000);
  open.ipc.failures.set("take_back", { code: "refused", message: "Nothing waits to be sent any more." });
  screen.getByRole("button", { name: "Take back" }).click();
  await open.pass();
  expect(screen.getByText("Nothing waits to be sent any more.")).toBeVisible();
});
