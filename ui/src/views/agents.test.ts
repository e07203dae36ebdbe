import { screen, within } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { chip, one, p } from "../lib/ipc/fixtures";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

const words = (element: Element | null) => (element?.textContent ?? "").replace(/\s+/g, " ").trim();
const show = (hash: string, prepare: Parameters<typeof openWindow>[0] = () => undefined) =>
  openWindow((ipc) => {
    ipc.startAgents();
    prepare(ipc);
  }, hash);

async function select(id: string) {
  open.app.inbox.select(id);
  await open.pass(50);
  await open.settle();
}

const title = () => words(within(screen.getByTestId("detail")).getByRole("heading", { level: 1 }));

test("the path of a call is on its row and in the title, with whom a reason goes to (surface 51, surface 70)", async () => {
  open = await show("#/inbox");
  await select("r-fetch");
  expect(words(screen.getByTestId("row-r-fetch"))).toContain("researcher › curl -O");
  expect(title()).toBe("Price survey › researcher › Run a command");
  expect(words(screen.getByTestId("reason-goes-to"))).toBe("Your reason goes to researcher");
  expect(screen.queryByTestId("path-chip")).toBeNull();
  await select("r-own");
  expect(title()).toBe("Price survey › Edit a file");
  expect(screen.queryByTestId("reason-goes-to")).toBeNull();
});

test("of a long path the first and the last stay, and what lies between opens as a list", async () => {
  open = await show("#/inbox");
  await select("r-deep");
  expect(words(screen.getByTestId("row-r-deep"))).toContain("researcher › 2 agents › checker › notes/vendor-b.md");
  expect(title()).toBe("Price survey › researcher › 2 agents › checker › Create a file");
  const more = screen.getByRole("button", { name: "2 agents" });
  expect(more).toHaveAttribute("aria-expanded", "false");
  more.click();
  await open.pass();
  expect(more).toHaveAttribute("aria-expanded", "true");
  const list = within(screen.getByRole("list", { name: "Agents on the way to this call" })).getAllByRole("listitem");
  expect(list.map(words)).toEqual([
    "researcher qwen3 Find out what the three vendors charge for 50 seats.",
    "reader gpt-oss Read the price list in downloads/ and give the figures.",
    "translator gpt-oss Put the German price list into English.",
    "checker phi4 Check the figures against the original.",
  ]);
  await select("r-fetch");
  expect(screen.queryByTestId("path-list")).toBeNull();
});

test("opening the list moves what is below, so nothing is decided by the next press", async () => {
  open = await show("#/inbox");
  await select("r-deep");
  screen.getByTestId("path-chip").click();
  await open.press("a");
  expect(open.requests("stage")).toEqual([]);
});

test("rows of several agents stand in the order in which they asked", async () => {
  open = await show("#/inbox");
  const ids = open.app.inbox.sets.get("survey")?.rows.map((row) => row.id);
  expect(ids).toEqual(["r-fetch", "r-deep", "r-own"]);
});

test("while a run goes on what an agent beside it asks is answered, and the answer waits", async () => {
  open = await show("#/inbox");
  await select("r-links");
  await open.press("a");
  expect(words(screen.getByTestId("row-r-links"))).toContain("will approve");
  await open.pass(3000);
  await select("r-links");
  const row = screen.getByTestId("row-r-links");
  expect(words(row)).toContain("queued");
  expect(words(row)).toContain("call, queued until the run ends");
  expect(screen.getByTestId("detail-state").dataset.state).toBe("queued");
  expect(screen.getByText("Queued: sends when the run ends.")).toBeVisible();
  expect(words(screen.getByTestId("set-progress"))).toBe("Site launch · queued");
  await open.press("a");
  await open.press("r");
  expect(open.requests("stage")).toHaveLength(1);
});

test("U takes what is queued back: it is decided still, and not sent", async () => {
  open = await show("#/inbox");
  await select("r-links");
  await open.press("a");
  await open.pass(3000);
  await open.press("u");
  expect(open.requests("take_back")).toEqual([{ conversation: "launch" }]);
  expect(open.requests("unstage")).toEqual([]);
  expect(open.app.inbox.selected).toBe("r-links");
  expect(screen.getByText("Will be approved. Press Ctrl ⏎ to send.")).toBeVisible();
  await open.pass(5000);
  expect(open.app.inbox.find("r-links")?.row.queued).toBe(false);
  await open.press("u");
  expect(open.requests("unstage")).toEqual([{ id: "r-links" }]);
});

test("a further answer joins the queue without the ones that are in it", async () => {
  open = await show("#/inbox");
  await select("r-links");
  await open.press("a");
  await open.pass(3000);
  const set = open.app.inbox.sets.get("launch")!;
  const fresh = { ...set.rows[0]!, id: "r-more", draft: null, queued: false, target: one("npm run check-images") };
  open.ipc.details.set("r-more", {
    ...open.ipc.details.get("r-links")!,
    id: "r-more",
    state: { is: "open", digest: "digest of r-more", draft: null, changed: false },
  });
  open.ipc.putSet("launch", { ...set, rows: [...set.rows, fresh] });
  await select("r-more");
  expect(words(screen.getByTestId("set-progress"))).toBe("Site launch · 1 queued, 0 of 1");
  await open.press("r");
  await select("r-more");
  expect(screen.getByText("Will be rejected. Press Ctrl ⏎ to send.")).toBeVisible();
  await open.press("Enter", { ctrlKey: true });
  expect(open.requests("send").map((one) => one.send)).toEqual([
    {
      conversation: "launch",
      answers: [{ request: "r-more", digest: "digest of r-more", decision: { say: "reject", reason: null } }],
      text: null,
      mode: null,
      auto_until: null,
      passes_by: [],
    },
  ]);
  expect(open.app.inbox.sets.get("launch")?.rows.map((row) => row.queued)).toEqual([true, true]);
});

test("what is queued can't be decided again, even where another window lost what was staged", async () => {
  open = await show("#/inbox");
  const set = open.ipc.snapshot.sets.find((one) => one.conversation === "launch")!;
  open.ipc.putSet("launch", {
    ...set,
    sending: "queued",
    rows: set.rows.map((row) => ({ ...row, queued: true, draft: null })),
  });
  await select("r-links");
  expect(screen.getByTestId("detail-state").dataset.state).toBe("queued");
  await open.press("a");
  await open.press("R", { shiftKey: true });
  expect(open.requests("stage")).toEqual([]);
  expect(screen.queryByTestId("reject-reason")).toBeNull();
});

test("when the run ends, what was queued leaves", async () => {
  open = await show("#/inbox");
  await select("r-links");
  await open.press("a");
  await open.pass(3000);
  open.ipc.endRun("launch");
  await open.pass(50);
  expect(open.app.inbox.find("r-links")).toBeNull();
  expect(open.app.inbox.closed[0]).toMatchObject({ id: "r-links", label: "Approved" });
});

test("an agent's work is a block below the call that started it, to any depth, and folds", async () => {
  open = await show("#/conversations/survey");
  const outer = screen.getByTestId("agent-s-researcher");
  const inner = within(outer).getByTestId("agent-s-reader");
  expect(words(outer)).toContain("Task");
  expect(words(outer)).toContain("curl -O https://vendor-a.example/prices.pdf waits for you");
  expect(words(inner)).toContain("I have the list of vendor B translated first.");
  expect(words(outer)).not.toContain("You ");
  const head = within(outer).getByRole("button", { name: /researcher waits for you/ });
  head.click();
  await open.pass();
  expect(head).toHaveAttribute("aria-expanded", "false");
  expect(screen.queryByTestId("agent-s-reader")).toBeNull();
});

test("an agent that is done is folded, and one that ends while it is looked at stays open", async () => {
  open = await show("#/conversations/survey");
  const scout = screen.getByTestId("agent-s-scout");
  expect(words(scout)).toBe("▸ scout done");
  within(scout).getByRole("button").click();
  await open.pass();
  expect(words(scout)).toContain("A, B and C.");
  const entries = structuredClone(open.ipc.transcripts.survey!);
  const turn = entries[1]!;
  if (turn.body.e !== "assistant") throw new Error("a turn");
  const agent = turn.body.calls[1]!.agent!;
  agent.tone = "ran";
  agent.words = "done";
  open.ipc.emit({ f: "entries", conversation: "survey", entries: [turn] });
  await open.pass();
  expect(words(screen.getByTestId("agent-s-researcher"))).toContain("Task");
});

test("agents that go on beside the run have a line each, and say when they wait", async () => {
  open = await show("#/conversations/launch");
  const lines = within(screen.getByRole("list", { name: "Agents in the background" })).getAllByRole("listitem");
  expect(lines.map(words)).toEqual([
    "● link_checker 1 suspended: waits for you · 3 min",
    "◌ writer 2 works in the background · 2 min",
  ]);
  expect(words(screen.getByTestId("agent-s-writer"))).toContain("writer 2 works in the background");
  expect(words(screen.getByTestId("agent-s-links"))).toContain("link_checker 1 suspended: waits for you");
  expect(screen.getByTestId("answer-in-inbox")).toBeVisible();
  expect(words(screen.getByTestId("conversation-launch"))).toContain("1 waiting · ");
});

test("hostile names are shown, and are no part of what a button says", async () => {
  const hostile = [p("Approve"), chip("U+202E right-to-left override"), p("</button><img src=x>")];
  open = await show("#/inbox", (ipc) => {
    const detail = ipc.details.get("r-deep")!;
    const path = detail.path.map((agent) => ({ ...agent, name: hostile, task: hostile }));
    ipc.details.set("r-deep", { ...detail, path, verb: hostile });
  });
  await select("r-deep");
  expect(title()).toContain("ApproveU+202E right-to-left override</button><img src=x>");
  const bar = screen.getByTestId("detail-state");
  const seen = [...bar.querySelectorAll("button")].map((button) => {
    const drawn = button.cloneNode(true) as HTMLElement;
    for (const hidden of drawn.querySelectorAll(".for-readers, kbd")) hidden.remove();
    return words(drawn);
  });
  expect(seen).toEqual(["Reject", "With reason…", "⋯", "Later", "Approve", "▾"]);
  screen.getByTestId("path-chip").click();
  await open.pass();
  expect(words(screen.getByTestId("path-chip"))).toBe("2 agents");
  expect(document.querySelector("[data-testid=detail] img")).toBeNull();
});

test("history says in which agent a call was made", async () => {
  open = await show("#/history", (ipc) => {
    ipc.past.rows = ipc.past.rows.map((row, at) =>
      at === 0 ? { ...row, path: [one("researcher"), one("reader")] } : row,
    );
  });
  expect(words(screen.getAllByTestId("history-row")[0]!)).toContain("Ticket triage › reader");
});

test("what closed lately says in which agent it was asked", async () => {
  open = await show("#/inbox", (ipc) => {
    ipc.snapshot.closed = [{ ...ipc.snapshot.closed[0]!, path: [one("researcher")] }];
  });
  await open.settle();
  screen.getByRole("button", { name: /Just closed/ }).click();
  await open.pass(50);
  expect(words(screen.getByTestId("closed-row"))).toContain("researcher ›");
});
