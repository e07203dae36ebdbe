import { screen, within } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { heldSet } from "../lib/ipc/fixture-held";
import { one } from "../lib/ipc/fixtures";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

async function asked(hash = "#/inbox", prepare: Parameters<typeof openWindow>[0] = () => undefined) {
  open = await openWindow((ipc) => {
    ipc.askAsServer();
    prepare(ipc);
  }, hash);
  open.app.inbox.select("q-ticket");
  await open.pass(50);
  await open.settle();
}

const staged = () => open.requests("stage").map((request) => request.decision);
const labelled = (name: string) => screen.getByLabelText<HTMLInputElement>(name, { selector: "input" });

async function write(field: HTMLInputElement, text: string) {
  field.focus();
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await open.pass();
}

test("D-86: the card says who waits, in whose words it asks, and what becomes of it", async () => {
  await asked();
  expect(within(screen.getByTestId("row-q-ticket")).getByText("held by server")).toBeVisible();
  expect(screen.getByTestId("held-by")).toHaveTextContent("held by server “helpdesk”");
  expect(screen.getByTestId("server-waits")).toHaveTextContent("The server waits; withdrawn if it stops.");
  expect(screen.getByText("Question, in the server's words")).toBeVisible();
  expect(screen.getByText("Which ticket is it, and with whose key?", { selector: "blockquote *" })).toBeVisible();
  expect(screen.queryByText(/open until the conversation moves on/)).toBeNull();
  expect(screen.getByTestId("payload")).toHaveTextContent("Answers go to helpdesk while it runs close_ticket");
});

test("what looks like a secret is masked, and it is said where it goes", async () => {
  await asked();
  const key = labelled("Access key");
  expect(key.type).toBe("password");
  expect(key).toHaveAccessibleDescription(/^Answers go to helpdesk and into history *$/);
  expect(labelled("Ticket *").type).toBe("text");
});

test("it can be declined or answered, and a server is told no reason", async () => {
  await asked();
  expect(screen.queryByTestId("reject-with-reason")).toBeNull();
  screen.getByTestId("detail").focus();
  await open.press("R", { shiftKey: true });
  expect(staged()).toEqual([]);
  expect(screen.getByTestId("approve")).toHaveTextContent("Send answer");
  await open.press("r");
  expect(staged()).toEqual([{ say: "reject", reason: null }]);
});

test("D-08, D-86: its answer leaves by itself while the run goes on, and is never queued", async () => {
  await asked();
  await write(labelled("Ticket *"), "1234");
  await open.settle();
  await open.press("Enter", { ctrlKey: true }, labelled("Ticket *"));
  expect(staged()).toEqual([{ say: "answer", value: '{"ticket":"1234"}' }]);
  await open.pass(3000);
  expect(open.app.inbox.find("q-ticket")).toBeNull();
  expect(open.app.inbox.closed[0]).toMatchObject({ id: "q-ticket", label: "Answered", expired: false });
  expect(open.app.conversations.rows.get("nightly")).toMatchObject({ queued: false, state: { is: "running" } });
});

test("D-86: it is a set of its own beside what its conversation asks, and neither holds the other back", async () => {
  await asked("#/inbox", (ipc) => {
    const own = heldSet(ipc.now);
    const row = { ...own.rows[0]!, id: "r-beside", kind: "call" as const, held_by: null, beside: true };
    ipc.snapshot.sets.push({ ...own, id: "nightly", rows: [{ ...row, verb: one("Run a command") }] });
    const loosening = ipc.snapshot.conversations.find((row) => row.id === "nightly")!;
    loosening.mode = "default";
  });
  open.app.conversations.loosening.set("nightly", { mode: "auto", until: null });
  await open.ipc.call("main", "save_settings", { settings: { ...open.app.session.settings, grace_ms: null } });
  await open.app.stage("q-ticket", "digest of q-ticket", { say: "answer", value: '{"ticket":"1"}' });
  open.app.inbox.select("q-ticket");
  await open.pass(50);
  await open.settle();
  const set = open.app.inbox.sets.get("q-ticket")!;
  await open.app.sendSet({ ...set, rows: set.rows });
  expect(open.requests("send").at(-1)?.send).toMatchObject({
    conversation: "nightly",
    answers: [{ request: "q-ticket" }],
    mode: null,
    passes_by: [],
  });
  expect(open.app.conversations.loosening.get("nightly")?.mode).toBe("auto");
  expect(open.app.inbox.find("r-beside")?.row).toMatchObject({ draft: null, queued: false });
});

test("D-75: when the server stops the row goes, and the card in front says so", async () => {
  await asked();
  const detail = open.ipc.details.get("q-ticket")!;
  const label = "Withdrawn: the server stopped waiting";
  detail.state = {
    is: "closed",
    in_doubt: false,
    at: 1,
    label,
    text: "Nothing was sent to it.",
    expired: false,
    outcome: null,
    result: null,
    whole: null,
  };
  open.ipc.putSet("q-ticket", null);
  const row = { ...heldSet(open.ipc.now).rows[0]!, conversation: "nightly", title: one("Nightly check"), label, at: 1 };
  open.ipc.emit({ f: "closed", rows: [{ ...row, was: "expired", expired: true, unknown: false }] });
  await open.pass(50);
  expect(open.app.announcer.assertive).toBe(label);
  expect(screen.getByText("Nothing was sent to it.")).toBeVisible();
  expect(screen.queryByTestId("answer-form")).toBeNull();
  expect(screen.queryByTestId("ask-again")).toBeNull();
  expect(screen.getByTestId("held-by")).toHaveTextContent("asked by server “helpdesk”");
  expect(screen.queryByTestId("server-waits")).toBeNull();
});

test("N-57: what the server got is in its card, a secret only on demand", async () => {
  await asked("#/inbox", (ipc) => {
    const detail = ipc.details.get("q-ticket")!;
    const state = {
      is: "closed" as const,
      in_doubt: false,
      at: 1,
      label: "Answered by you",
      text: "The server got your answer.",
    };
    ipc.details.set("q-ticket", {
      ...detail,
      answer: '{"ticket":1234,"access_key":"hunter2"}',
      state: { ...state, expired: false, outcome: null, result: null, whole: null },
    });
  });
  const shown = screen.getByTestId("answer-shown");
  expect(shown).toHaveTextContent("1234");
  expect(shown).not.toHaveTextContent("hunter2");
  within(shown).getByRole("button", { name: "Show Access key" }).click();
  await open.pass();
  expect(shown).toHaveTextContent("hunter2");
});

test("in its conversation it stands beside its call, and words to the run leave it open", async () => {
  await asked("#/conversations/nightly");
  expect(screen.getByTestId("waiting-strip")).toHaveTextContent("1 waiting: Asks for input");
  expect(screen.getByTestId("conversation-nightly")).toHaveTextContent("1 waiting");
  expect(screen.getByTestId("call-q-before")).toHaveTextContent("withdrawn: the server stopped waiting");
  const line = screen.getByTestId("call-q-ticket");
  expect(line).toHaveTextContent("waits for you");
  line.click();
  await open.pass(50);
  expect(screen.getByText("Which ticket is it, and with whose key?", { selector: "blockquote *" })).toBeVisible();
  const field = screen.getByRole<HTMLTextAreaElement>("textbox", { name: /Add to the run/ });
  field.value = "Take the newest.";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await open.pass();
  await open.press("Enter", {}, field);
  expect(screen.queryByTestId("guard")).toBeNull();
  expect(open.requests("steer")).toEqual([{ conversation: "nightly", text: "Take the newest." }]);
  expect(open.app.inbox.find("q-ticket")).not.toBeNull();
});
