import axe from "axe-core";
import { screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Detail, Theme } from "../lib/ipc/bindings";
import { everyField } from "../lib/ipc/fixture-details";
import { heldSet } from "../lib/ipc/fixture-held";
import { questionSet } from "../lib/ipc/fixtures";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

/** Contrast needs a layout; the colours are computed in tokens.test.ts instead. */
async function violations(): Promise<string[]> {
  vi.useRealTimers();
  const found = await axe.run(document.body, { rules: { "color-contrast": { enabled: false } } });
  return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" ")}`);
}

async function ask(detail?: Detail) {
  open.ipc.ask(detail);
  open.ipc.putSet("nightly", questionSet(open.ipc.now));
  open.app.inbox.select("r-ask");
  await open.pass(50);
  await open.settle();
}

function askAsServer() {
  open.ipc.askAsServer();
  open.ipc.putSet("q-ticket", heldSet(open.ipc.now));
  const entries = open.ipc.transcripts["nightly"] ?? [];
  open.ipc.emit({ f: "entries", conversation: "nightly", entries });
}

const pressRadio = (name: string) => screen.getByRole("radio", { name }).click();

const themes: Theme[] = ["light", "dark"];
const places: [string, string, () => Promise<void>][] = [
  [
    "notifications, with a pause and quiet hours",
    "#/settings/notifications",
    async () => {
      const until = open.ipc.now + 3_600_000;
      await open.app.session.saveSettings({ paused_until: until, quiet_hours: { from: 1320, to: 420 } });
    },
  ],
  ["the way out", "#/inbox", async () => open.ipc.emit({ f: "leaving", ask: { is: "quit", open: 2, leaving: 1 } })],
  ["a command", "#/inbox", async () => open.app.inbox.select("r-push")],
  ["a change of a file", "#/inbox", async () => open.app.inbox.select("r-edit")],
  ["a plan", "#/inbox", async () => open.app.inbox.select("r-plan")],
  ["a set's Later menu", "#/inbox", async () => open.press("h")],
  [
    "a correction, with what helps to judge",
    "#/inbox",
    async () => {
      screen.getByTestId("open-similar").click();
      screen.getByTestId("open-context").click();
      await open.press("e");
    },
  ],
  [
    "several requests under review",
    "#/inbox",
    async () => {
      for (const id of ["r-close", "r-edit", "r-push"]) {
        open.app.inbox.select(id);
        await open.press("x");
      }
      await open.press("Enter");
      await open.pass(50);
    },
  ],
  ["a question", "#/inbox", async () => ask()],
  [
    "a question with a field of each kind",
    "#/inbox",
    async () => {
      await ask(everyField(open.ipc.now));
      await open.press("Enter", { ctrlKey: true }, screen.getByRole("textbox", { name: "Title" }));
    },
  ],
  [
    "an answer that isn't sent yet",
    "#/inbox",
    async () => {
      await ask();
      await open.app.stage("r-ask", "digest of r-ask", { say: "answer", value: '{"branch":"main","days":"14"}' });
      open.app.inbox.select("r-ask");
    },
  ],
  [
    "what a server holds open",
    "#/inbox",
    async () => {
      askAsServer();
      open.app.inbox.select("q-ticket");
      await open.pass(50);
      await open.settle();
    },
  ],
  [
    "what a server asked, in its conversation",
    "#/conversations/nightly",
    async () => {
      askAsServer();
      await open.pass(50);
      (await screen.findByTestId("call-q-ticket")).click();
    },
  ],
  [
    "a call deep down",
    "#/inbox",
    async () => {
      open.app.inbox.select("r-deep");
      await open.pass(50);
      screen.getByTestId("path-chip").click();
    },
  ],
  [
    "an answer that is queued",
    "#/inbox",
    async () => {
      open.app.inbox.select("r-links");
      await open.app.stage("r-links", "digest of r-links", { say: "approve" });
      await open.pass(3000);
      open.app.inbox.select("r-links");
    },
  ],
  ["a conversation whose agent waits for others", "#/conversations/survey", async () => undefined],
  ["a conversation with agents beside its run", "#/conversations/launch", async () => undefined],
  ["agents that an agent can start", "#/settings/agents", async () => screen.getByTestId("add-sub-agent").click()],
  ["an approved call that didn't run", "#/inbox", async () => open.app.inbox.select("r-late")],
  ["a closed request", "#/inbox", async () => open.app.inbox.reveal("h-mail")],
  [
    "a call in doubt",
    "#/inbox",
    async () => {
      const detail = open.ipc.details.get("h-mail")!;
      const state = { ...detail.state, in_doubt: true, expired: false, outcome: "outcome unknown" };
      open.ipc.details.set("h-mail", { ...detail, state } as Detail);
      open.app.inbox.reveal("h-mail");
      await open.pass(50);
      screen.getByTestId("in-doubt");
    },
  ],
  ["the reason", "#/inbox", () => open.press("R", { shiftKey: true })],
  [
    "the note",
    "#/inbox",
    async () => {
      screen.getByTestId("approve-menu").click();
      await open.pass();
      screen.getByTestId("approve-note").click();
    },
  ],
  [
    "what the agent left out",
    "#/inbox",
    async () => {
      open.app.inbox.select("r-fetch");
    },
  ],
  ["the reach", "#/inbox", () => open.press("A", { shiftKey: true })],
  ["the keys", "#/inbox", () => open.press("?")],
  ["the palette", "#/inbox", () => open.press("k", { ctrlKey: true })],
  [
    "the palette while something is looked for",
    "#/history",
    async () => {
      await open.press("k", { ctrlKey: true });
      await userEvent.setup({ delay: null }).type(screen.getByTestId("palette-field"), "de");
    },
  ],
  [
    "the palette without anything found",
    "#/inbox",
    async () => {
      await open.press("k", { ctrlKey: true });
      await userEvent.setup({ delay: null }).type(screen.getByTestId("palette-field"), "zzz");
    },
  ],
  ["a conversation", "#/conversations/nightly", async () => undefined],
  [
    "conversations in which something was said",
    "#/conversations",
    async () => {
      await userEvent
        .setup({ delay: null, advanceTimers: (by) => vi.advanceTimersByTime(by) })
        .type(screen.getByTestId("filter-conversations"), "baseline");
      await open.pass(400);
      screen.getByTestId("said-nightly");
    },
  ],
  ["a conversation that came to its limit", "#/conversations/manual", async () => undefined],
  [
    "a fork's sheet, and the fork",
    "#/conversations/nightly",
    async () => {
      screen.getByTestId("fork-1").click();
      await open.pass(50);
      expect(await violations()).toEqual([]);
      vi.useFakeTimers();
      await open.app.session.call("fork", { conversation: "nightly", title: "Nightly check (fork)", upto: null });
      open.app.router.go("conversations", open.ipc.snapshot.conversations[0]!.id);
    },
  ],
  ["a new conversation", "#/conversations", () => open.press("N", { ctrlKey: true, shiftKey: true })],
  ["a Quick task", "#/inbox", () => open.press("n", { ctrlKey: true })],
  [
    "a Quick task in Auto",
    "#/inbox",
    async () => {
      await open.press("n", { ctrlKey: true });
      open.app.quick.mode = "auto";
    },
  ],
  ["the Quick tasks", "#/history/tasks", async () => undefined],
  ["a Quick task that is done", "#/history/tasks:quick-done", async () => undefined],
  ["a Quick task that would have asked", "#/history/tasks:quick-asks", async () => undefined],
  ["history", "#/history", async () => undefined],
  ["a row of history", "#/history/h-mail", async () => undefined],
  ["the facets of history", "#/history", async () => screen.getByTestId("history-filter").click()],
  ["an export of history", "#/history", async () => screen.getByTestId("history-export").click()],
  ["a span of history that goes", "#/history", async () => screen.getByTestId("history-erase").click()],
  ["the charts of history", "#/history", async () => screen.getByTestId("history-charts").click()],
  [
    "a query of history that can't be read",
    "#/history",
    async () => {
      await userEvent.setup({ delay: null }).type(screen.getByTestId("history-query"), "is:gone");
      await open.pass(400);
    },
  ],
  ["rules", "#/rules", async () => undefined],
  [
    "a rule that was deleted",
    "#/rules",
    async () => {
      screen.getAllByTestId("rule-more")[0]!.click();
      await open.pass(20);
      screen.getByTestId("rule-delete").click();
    },
  ],
  ["no rules", "#/rules", async () => void ((open.ipc.rules.rows = []), open.ipc.rules.changed())],
  ["standing approvals", "#/rules/standing", async () => screen.getByTestId("revoke-s-1").click()],
  ["revoking all", "#/rules/standing", async () => screen.getByTestId("revoke-all").click()],
  ["what runs without asking", "#/rules/runs", async () => undefined],
  [
    "a call that is tried",
    "#/rules/test",
    async () => {
      await userEvent.setup({ delay: null }).type(screen.getByTestId("trial-tool"), "close_ticket");
      screen.getByTestId("trial-try").click();
    },
  ],
  [
    "a rule from a request, with what it would have done",
    "#/inbox",
    async () => {
      await open.press(".");
      await open.pass(400);
      screen.getByTestId("rule-past-show").click();
      screen.getByTestId("condition-more").click();
    },
  ],
  [
    "a rule with faults",
    "#/rules",
    async () => {
      screen.getByTestId("rule-new").click();
      await open.pass(50);
      pressRadio("Approve");
      await open.settle();
      await open.press("Enter", { ctrlKey: true });
    },
  ],
  [
    "a rule that isn't saved",
    "#/rules",
    async () => {
      screen.getAllByTestId("rule-open")[0]!.click();
      await open.pass(50);
      pressRadio("Approve");
      await open.press("Escape");
    },
  ],
  ["why a request asks, rule by rule", "#/inbox", async () => screen.getByTestId("open-trace").click()],
  ["general settings", "#/settings/general", async () => undefined],
  ["deciding", "#/settings/deciding", async () => undefined],
  ["notifications", "#/settings/notifications", async () => undefined],
  ["agents", "#/settings/agents", async () => undefined],
  [
    "what a model is asked for",
    "#/settings/agents",
    async () => {
      screen.getByTestId("add-header").click();
      screen.getByTestId("add-prices").click();
    },
  ],
  ["tools", "#/settings/tools", async () => undefined],
  ["tool servers", "#/settings/tools", async () => undefined],
  ["a tool server", "#/settings/tools:server-1", async () => undefined],
  ["a tool server's set-up", "#/settings/tools:server-1", async () => pressRadio("Set-up")],
  ["a tool server's log", "#/settings/tools:server-1", async () => pressRadio("Log")],
  ["a tool of a server", "#/settings/tools:server-1", async () => screen.getAllByTestId("server-tool")[1]!.click()],
  ["letting a server's tools run", "#/settings/tools:server-1", async () => pressRadio("Run without asking")],
  [
    "servers that were found",
    "#/settings/tools",
    async () => {
      screen.getByTestId("add-server").click();
      await open.pass(20);
      await userEvent.setup({ delay: null }).type(screen.getByTestId("add-server-text"), "npx");
      screen.getByTestId("add-server-read").click();
    },
  ],
  ["a request for a tool of a server", "#/inbox", async () => open.app.inbox.select("r-close")],
  ["data", "#/settings/data", async () => undefined],
  ["about", "#/settings/about", async () => undefined],
];

for (const theme of themes) {
  test.each(places)(`nothing bars anybody from %s, ${theme} (accept 20, surface 84)`, async (_name, hash, go) => {
    open = await openWindow((ipc) => {
      ipc.snapshot.settings = { ...ipc.snapshot.settings, theme };
      ipc.startAgents();
      ipc.endAtLimit();
      ipc.addServers();
    }, hash);
    await open.settle();
    await go();
    await open.pass(50);
    expect(document.documentElement.dataset.theme).toBe(theme);
    expect(await violations()).toEqual([]);
  });

  test.each(["welcome", "notify", "connect"] as const)(
    `nothing bars anybody from the first run, %s, ${theme}`,
    async (step) => {
      open = await openWindow((ipc) => {
        ipc.snapshot = { ...ipc.snapshot, first_run: true, settings: { ...ipc.snapshot.settings, theme } };
      });
      open.app.firstRunStep = step;
      await open.pass(50);
      expect(screen.getByTestId("first-run")).toBeVisible();
      expect(await violations()).toEqual([]);
    },
  );
}
