import { screen, within } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { speakAs } from "../lib/i18n/choose";
import { speakPseudo } from "../lib/i18n/pseudo";
import { rule, ruleRow } from "../lib/ipc/fixture-rules";
import { keptFor } from "../lib/state/kept.svelte";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(() => vi.useFakeTimers({ now: new Date(2026, 2, 3, 14, 2) }));

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

const rowTexts = () => screen.getAllByTestId("rule-row").map((row) => row.textContent.replace(/\s+/g, " ").trim());

function choose(testid: string, value: string) {
  const select = screen.getByTestId<HTMLSelectElement>(testid);
  select.value = value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
}

test("rules that reject stand first, each as a sentence with where, how long and its last match (surface 32, 35, 40)", async () => {
  open = await openWindow(undefined, "#/rules");
  expect(rowTexts()[0]).toMatch(
    /^Reject run_command when the command begins with sudo no sudo everywhere for ever 14 matches, 3 d ago/,
  );
  expect(rowTexts()[1]).toContain("begins with git push and has --force or -f or --mirror");
  expect(rowTexts()[2]).toContain("Approve run_command when the command begins with git status");
  expect(rowTexts()[2]).toContain("in ~/work/helpdesk and below");
  expect(rowTexts()[3]).toContain("reason starts with duplicate of and notify is true or false");
  expect(screen.getAllByRole("heading", { level: 2 }).map((one) => one.textContent)).toEqual([
    "Reject: these win",
    "Approve",
  ]);
});

test("a rule that ended is muted, says when, and has no switch", async () => {
  open = await openWindow(undefined, "#/rules");
  const row = screen.getAllByTestId("rule-row")[4]!;
  expect(row).toHaveTextContent("ended 12 February");
  expect(row).toHaveClass("muted");
  expect(within(row).queryByRole("switch")).toBeNull();
});

test("a switch turns a rule off and on", async () => {
  open = await openWindow(undefined, "#/rules");
  screen.getByRole("switch", { name: "Rule no sudo" }).click();
  await open.pass(50);
  expect(open.requests("switch_rule")).toEqual([{ id: "rule-sudo", on: false }]);
  expect(screen.getByRole("switch", { name: "Rule no sudo" })).not.toBeChecked();
});

test("deleting acts at once, and the row has Undo for ten seconds", async () => {
  open = await openWindow(undefined, "#/rules");
  const remove = async () => {
    within(screen.getAllByTestId("rule-row")[0]!).getByTestId("rule-more").click();
    await open.pass(20);
    screen.getByTestId("rule-delete").click();
    await open.pass(50);
  };
  await remove();
  expect(open.requests("delete_rule")).toEqual([{ id: "rule-sudo" }]);
  expect(open.ipc.rules.taken).not.toContain("no sudo");
  expect(rowTexts()[0]).toMatch(/^Rule no sudo is deleted\.\s*Undo/);
  await open.press("u");
  await open.pass(50);
  const again = open.requests("save_rule")[0]!.rule;
  expect(again).toMatchObject({ id: "rule-sudo", name: "no sudo" });
  expect(rowTexts()[0]).toMatch(/^Reject run_command when the command begins with sudo/);
  expect(screen.getAllByTestId("rule-row")).toHaveLength(5);
  await remove();
  await open.pass(keptFor);
  expect(screen.getAllByTestId("rule-row")).toHaveLength(4);
});

test("a rule that was over doesn't hold again by Undo of its deletion", async () => {
  open = await openWindow(undefined, "#/rules");
  within(screen.getAllByTestId("rule-row")[4]!).getByTestId("rule-more").click();
  await open.pass(20);
  screen.getByTestId("rule-delete").click();
  await open.pass(50);
  expect(document.activeElement).toBe(screen.getByTestId("rule-undo"));
  screen.getByTestId("rule-undo").click();
  await open.pass(50);
  const back = open.requests("save_rule")[0]!.rule;
  expect(back.name).toBe("release notes");
  expect(back.ended_at, "it comes back over, as it was").not.toBeNull();
});

test("what is unused for 90 days can be seen alone, and is never deleted by itself (surface 32)", async () => {
  open = await openWindow(undefined, "#/rules");
  screen.getByTestId("rules-unused").click();
  await open.pass(20);
  expect(rowTexts()).toHaveLength(1);
  expect(rowTexts()[0]).toContain("close duplicates");
  expect(open.requests("delete_rule")).toEqual([]);
});

test("keys go through the rows, Enter opens the rule, and a copy has a name of its own", async () => {
  open = await openWindow(undefined, "#/rules");
  await open.press("j");
  await open.press("j");
  expect(document.activeElement).toHaveAttribute("data-row", "rule-push");
  await open.press("Enter", {}, document.activeElement!);
  await open.pass(50);
  expect(screen.getByRole("dialog")).toHaveAccessibleName("Edit the rule");
  expect(screen.getByTestId("rule-name")).toHaveValue("no forced push");
  await open.press("Escape");
  expect(screen.queryByRole("dialog")).toBeNull();
  within(screen.getAllByTestId("rule-row")[1]!).getByTestId("rule-more").click();
  await open.pass(20);
  screen.getByTestId("rule-duplicate").click();
  await open.pass(50);
  expect(screen.getByTestId("rule-name")).toHaveValue("no forced push 2");
});

test("a rule's matches open history with its query", async () => {
  open = await openWindow(undefined, "#/rules");
  screen.getAllByTestId("rule-matches")[0]!.click();
  await open.pass(400);
  expect(open.app.router.screen).toBe("history");
  expect(open.requests("history").at(-1)).toEqual({ before: null, query: 'by:rule:"no sudo"' });
});

test("rules that can't be read are said, and what that means", async () => {
  open = await openWindow((ipc) => (ipc.rules.unreadable = 2), "#/rules");
  expect(screen.getByTestId("rules-unreadable")).toHaveTextContent(
    "2 stored rules can't be read. As long as that is so, every call that needs approval asks you.",
  );
});

test("without a rule the screen says what holds, and both ways on", async () => {
  open = await openWindow((ipc) => (ipc.rules.rows = []), "#/rules/rules");
  expect(screen.getByText("Everything that needs approval asks you.")).toBeVisible();
  screen.getByTestId("rules-ship").click();
  await open.pass(50);
  expect(screen.getAllByTestId("rule-row")).toHaveLength(2);
  expect(screen.queryByTestId("rules-ship")).toBeNull();
});

test("the first rule is made from history", async () => {
  open = await openWindow((ipc) => (ipc.rules.rows = []), "#/rules/rules");
  screen.getByTestId("rules-from-history").click();
  await open.pass(400);
  expect(open.requests("history").at(-1)).toEqual({ before: null, query: "is:approved by:you" });
  screen.getAllByTestId("history-row")[0]!.click();
  await open.pass(50);
  await open.press(".");
  await open.pass(400);
  expect(screen.getByRole("dialog")).toHaveAccessibleName("Make a rule");
  expect(open.requests("rule_draft")[0]?.from).toMatchObject({ from: "call" });
});

test("a standing approval is revoked with one press, says what asks again, and can be had back (surface 42, accept 15)", async () => {
  open = await openWindow(undefined, "#/rules/standing");
  expect(screen.getAllByTestId("standing-row")[0]).toHaveTextContent(
    /close_ticket\s*any arguments .* used 5× · last used/,
  );
  screen.getByRole("button", { name: "Revoke close_ticket in Ticket triage" }).click();
  await open.pass(50);
  expect(open.requests("revoke")).toEqual([{ id: "s-1" }]);
  expect(screen.getAllByTestId("standing-row")[0]).toHaveTextContent("close_ticket asks again.");
  screen.getByTestId("unrevoke-s-1").click();
  await open.pass(50);
  expect(open.requests("unrevoke")).toEqual([{ id: "s-1" }]);
  expect(screen.getAllByTestId("standing-row")[0]).toHaveTextContent(/close_ticket\s*any arguments/);
  screen.getByTestId("revoke-s-1").click();
  await open.pass(keptFor + 50);
  expect(screen.getAllByTestId("standing-row")).toHaveLength(1);
});

test("all of a conversation are revoked after its words say what asks again", async () => {
  open = await openWindow(undefined, "#/rules/standing");
  screen.getByTestId("revoke-all").click();
  await open.pass(700);
  expect(screen.getByRole("dialog")).toHaveTextContent("close_ticket and run_command ask again in this conversation");
  expect(open.requests("revoke_all")).toEqual([]);
  screen.getByTestId("sheet-confirm").click();
  await open.pass(50);
  expect(open.requests("revoke_all")).toEqual([{ conversation: "triage" }]);
  expect(screen.getByText("close_ticket asks again.")).toBeVisible();
});

test("what runs without asking says so for a conversation and a mode, undeclared tools first (surface 38)", async () => {
  open = await openWindow(undefined, "#/rules/runs");
  choose("place-conversation", "triage");
  await open.pass(50);
  const rows = () =>
    screen
      .getAllByTestId("runs-row")
      .map((row) =>
        [...row.querySelectorAll("td")].map((cell) => cell.textContent.replace(/\s+/g, " ").trim()).join(" | "),
      );
  expect(rows()[0]).toMatch(/^lookup · Notes \| ⚠ runs \| no declaration: it runs whatever it does$/);
  expect(rows()).toContain("close_ticket · Helpdesk | runs | standing approval, any arguments");
  expect(rows()).toContain("write_file | asks | it needs approval, and the mode asks");
  screen.getByRole("radio", { name: "Auto" }).click();
  await open.pass(50);
  expect(open.requests("runs_without").at(-1)).toEqual({ conversation: "triage", mode: "auto" });
  expect(rows()).toContain("write_file | runs | the mode is Auto");
});

test("what runs without asking follows rules, servers and conversations by itself (surface 38)", async () => {
  open = await openWindow(undefined, "#/rules/runs");
  const asked = () => open.requests("runs_without").length;
  let before = asked();
  for (const tell of [
    () => open.ipc.rules.changed(),
    () => open.ipc.servers.changed(),
    () => open.ipc.emit({ f: "conversation", row: { ...open.ipc.snapshot.conversations[2]!, standing: 1 } }),
  ]) {
    tell();
    await open.pass(50);
    expect(asked()).toBeGreaterThan(before);
    before = asked();
  }
});

test("a call is tried without being run, and what came out of another is no answer (surface 36)", async () => {
  open = await openWindow(undefined, "#/rules/test");
  choose("trial-pick", "h-1201");
  await open.pass(100);
  expect(screen.getByTestId("trial-tool")).toHaveValue("close_ticket");
  expect(open.requests("trace_call").at(-1)).toMatchObject({ tool: "close_ticket", arguments: '{"id":"1201"}' });
  expect(screen.getByTestId("trial-outcome")).toHaveTextContent("It is rejected.");
  expect(screen.getByTestId("trace")).toHaveTextContent(/no forced push\s*reject\s*Push without force/);
  const field = screen.getByTestId<HTMLTextAreaElement>("trial-arguments");
  field.value = "{";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await open.pass(20);
  expect(screen.queryByTestId("trial-outcome")).toBeNull();
  await open.press("Enter", { ctrlKey: true }, field);
  await open.pass(50);
  expect(screen.getByTestId("trial-result")).toHaveTextContent("These arguments are no JSON.");
});

test("a call whose arguments aren't stored any more says so", async () => {
  open = await openWindow(undefined, "#/rules/test");
  choose("trial-pick", "h-lint");
  await open.pass(100);
  expect(screen.getByTestId("trial-result")).toHaveTextContent("aren't stored any more");
  expect(open.requests("trace_call")).toEqual([]);
});

test("why a request asks is told rule by rule (surface 39)", async () => {
  open = await openWindow();
  expect(screen.queryByTestId("trace")).toBeNull();
  screen.getByTestId("open-trace").click();
  await open.pass(20);
  expect(screen.getByTestId("trace")).toHaveTextContent(/no sudo\s*nothing/);
  expect(open.app.arming.armed).toBe(false);
});

test("standing approvals of a request's conversation are linked where it says why (surface 26)", async () => {
  open = await openWindow();
  screen.getByTestId("why-standing").click();
  await open.pass(20);
  expect(open.app.router.part).toBe("standing");
});

test("a plan says which rules still stop calls, and in Auto what none stops", async () => {
  open = await openWindow();
  open.app.inbox.select("r-plan");
  await open.pass(50);
  expect(screen.getByTestId("guarded")).toHaveTextContent(/^2 reject rules still stop calls show/);
  screen.getByRole("radio", { name: "Auto" }).click();
  await open.pass(20);
  expect(screen.getByTestId("guarded")).toHaveTextContent("no reject rule covers write_file");
});

test("turning on Auto says what would stop asking and what still guards it", async () => {
  open = await openWindow(undefined, "#/conversations/triage");
  await open.press("m");
  screen.getByRole("menuitemradio", { name: /Auto/ }).click();
  await open.pass(50);
  const sheet = screen.getByRole("dialog");
  expect(sheet).toHaveTextContent("No longer asks");
  expect(within(sheet).getByTestId("guarded")).toHaveTextContent(
    /1 reject rule still stops calls.*no reject rule covers/,
  );
});

test("the hint is below what waits, leads to a rule, and goes for good", async () => {
  const { hint } = await import("../lib/ipc/fixture-rules");
  open = await openWindow((ipc) => (ipc.rules.hint = hint));
  expect(screen.getByTestId("rule-hint")).toHaveTextContent("You approved git status 14 times this week.");
  screen.getByTestId("rule-hint-make").click();
  await open.pass(50);
  expect(open.requests("rule_draft")).toEqual([{ from: { from: "call", id: "h-lint" } }]);
  await open.press("Escape");
  screen.getByTestId("rule-hint-never").click();
  await open.pass(50);
  expect(open.requests("dismiss_rule_hint")).toEqual([{ key: "git status" }]);
  expect(screen.queryByTestId("rule-hint")).toBeNull();
});

test("the palette leads to each part of Rules and to a new rule", async () => {
  open = await openWindow();
  await open.press("k", { ctrlKey: true });
  const field = screen.getByTestId<HTMLInputElement>("palette-field");
  field.value = "runs without";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await open.pass(20);
  await open.press("Enter", {}, field);
  await open.pass(50);
  expect(location.hash).toBe("#/rules/runs");
});

test("G and R go to Rules", async () => {
  open = await openWindow();
  await open.press("g");
  await open.press("r");
  expect(open.app.router.screen).toBe("rules");
});

test("a sentence is put together as its language orders it, and what came from outside stays as it is", async () => {
  open = await openWindow((ipc) => (ipc.snapshot.settings = { ...ipc.snapshot.settings, language: "de" }), "#/rules");
  expect(rowTexts()[0]).toMatch(/^run_command ablehnen, wenn der Befehl mit sudo beginnt no sudo überall für immer/);
  expect(rowTexts()[3]).toContain(
    "close_ticket · Helpdesk genehmigen, wenn reason mit duplicate of beginnt und notify true oder false ist",
  );
  speakPseudo(true);
  await open.pass(20);
  expect(rowTexts()[0]).toMatch(/\] run_command \[|run_command/);
  expect(rowTexts()[0]).toContain("no sudo");
  speakAs("en");
});

test("hidden characters of a rule stand on chips, also in the sheet (surface 28)", async () => {
  const value = "rm \u202e-rf";
  const hostile = rule("rule-x", "hidden", {
    conditions: [{ is: "argument", path: ["command"], test: { test: "contains", text: value } }],
  });
  open = await openWindow((ipc) => (ipc.rules.rows = [ruleRow(hostile)]), "#/rules");
  const chips = () => [...document.querySelectorAll(".chip.hidden")].map((chip) => chip.textContent);
  expect(chips()).toEqual(["U+202E"]);
  screen.getByTestId("rule-open").click();
  await open.pass(400);
  expect(screen.getByTestId("rule-sentence").querySelector(".chip.hidden")).toHaveTextContent("U+202E");
  expect(document.body.textContent).not.toContain("\u202e");
});

test("without a rule the screen opens where there is something to take back", async () => {
  open = await openWindow((ipc) => (ipc.rules.rows = []), "#/rules");
  await open.pass(50);
  expect(screen.getByTestId("rules-tab-standing")).toHaveAttribute("aria-pressed", "true");
  screen.getByTestId("rules-tab-rules").click();
  await open.pass(50);
  expect(screen.getByTestId("rules-tab-rules")).toHaveAttribute("aria-pressed", "true");
});
