import { screen, within } from "@testing-library/svelte";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(() => vi.useFakeTimers({ now: new Date(2026, 2, 3, 14, 2) }));

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

const lookAfter = 300;

async function make(id = "r-close") {
  open = await openWindow();
  open.app.inbox.select(id);
  await open.pass(50);
  await open.settle();
  await open.press(".");
  await open.pass(50);
}

function choose(testid: string, option: string | RegExp) {
  const select = screen.getByTestId<HTMLSelectElement>(testid);
  const found = [...select.options].find((one) => one.text.match(option));
  select.value = found?.value ?? "";
  select.dispatchEvent(new Event("change", { bubbles: true }));
}

const sentence = () => screen.getByTestId("rule-sentence").textContent.replace(/\s+/g, " ").trim();
const past = () => screen.getByTestId("rule-past").textContent.replace(/\s+/g, " ").trim();
const radio = (name: string | RegExp) => screen.getByRole("radio", { name });
const type = (element: Element, text: string) => userEvent.setup({ delay: null }).type(element, text);

test("the shown conditions are saved with two presses, and the request still waits (f.2, D-19, surface 34)", async () => {
  await make();
  expect(sentence()).toBe(
    "Approve close_ticket · Helpdesk when id is exactly 1234 and reason is exactly duplicate of 1201 – in Ticket triage – until the conversation is deleted",
  );
  await open.settle();
  await open.press("Enter", { ctrlKey: true });
  await open.pass(50);
  expect(open.requests("save_rule")[0]?.rule).toMatchObject({
    id: "",
    name: "close ticket",
    verdict: { says: "approve" },
  });
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(screen.getByTestId("rule-saved")).toHaveTextContent(
    "Rule close ticket is saved. The request in front still waits for you.",
  );
  expect(open.requests("stage")).toEqual([]);
  expect(screen.getByTestId("detail-state")).toHaveAttribute("data-state", "waiting");
  open.app.inbox.select("r-push");
  await open.pass(50);
  expect(screen.queryByTestId("rule-saved")).toBeNull();
});

test("the sheet is armed like every sheet, and A is no key of it", async () => {
  await make();
  await open.press("Enter", { ctrlKey: true });
  expect(open.requests("save_rule")).toEqual([]);
  await open.pass(1300);
  await open.press("a");
  expect(open.requests("save_rule")).toEqual([]);
  expect(open.requests("stage")).toEqual([]);
});

test("typing in the sheet isn't waited for", async () => {
  await make();
  await open.settle();
  await type(screen.getByTestId("rule-note"), "as agreed");
  await open.press("Enter", { ctrlKey: true }, screen.getByTestId("rule-note"));
  await open.pass(50);
  expect(open.requests("save_rule")[0]?.rule.note).toBe("as agreed");
});

test("what it would have done is asked 300 ms after a change, and never shown for another rule (surface 36)", async () => {
  await make();
  await open.pass(lookAfter);
  expect(past()).toMatch(/^Over the last 30 days: would have approved 22 of 312 calls; 3 of them you rejected ⚠ show$/);
  expect(screen.getByTestId("rule-gist")).toHaveTextContent("12 calls have no stored arguments");
  const before = open.requests("rule_look").length;
  radio("reason starts with duplicate of").click();
  await open.pass(20);
  expect(past()).toBe("counting…");
  expect(screen.queryByTestId("rule-front")).toBeNull();
  radio("any id").click();
  await open.pass(lookAfter - 30);
  expect(open.requests("rule_look")).toHaveLength(before);
  await open.pass(50);
  expect(open.requests("rule_look")).toHaveLength(before + 1);
  expect(past()).toContain("would have approved 41 of 312");
});

test("an answer that comes late is about the rule that was asked about, and isn't shown", async () => {
  await make();
  await open.pass(lookAfter);
  const call = open.ipc.call.bind(open.ipc);
  const waiting: (() => void)[] = [];
  vi.spyOn(open.ipc, "call").mockImplementation(async (space, name, request) => {
    const answer = await call(space, name, request);
    if (name === "rule_look") await new Promise<void>((done) => waiting.push(done));
    return answer;
  });
  radio("any id").click();
  await open.pass(lookAfter + 20);
  radio("any reason").click();
  await open.pass(20);
  waiting[0]!();
  await open.pass(20);
  expect(past()).toBe("counting…");
});

test("conditions begin at the narrowest and widen by one step each; the same argument has one (surface 30, 37)", async () => {
  await make();
  expect(radio("id is exactly 1234")).toBeChecked();
  expect(radio("reason is exactly duplicate of 1201")).toBeChecked();
  radio("reason starts with duplicate of").click();
  await open.pass(20);
  expect(radio("reason is exactly duplicate of 1201")).not.toBeChecked();
  expect(sentence()).toContain("when id is exactly 1234 and reason starts with duplicate of");
});

test("contains is only there for rules that reject", async () => {
  await make();
  expect(screen.queryByRole("radio", { name: "reason contains duplicate" })).toBeNull();
  radio("Reject").click();
  await open.pass(20);
  expect(radio("reason contains duplicate")).toBeVisible();
  expect(sentence()).toMatch(/^Reject close_ticket/);
});

test("for a dangerous call nothing is chosen, and it isn't saved before it is (surface 35)", async () => {
  await make("r-push");
  expect(radio("Reject")).not.toBeChecked();
  expect(radio("Approve")).not.toBeChecked();
  expect(open.requests("rule_look")).toEqual([]);
  await open.settle();
  await open.press("Enter", { ctrlKey: true });
  await open.pass(20);
  expect(open.requests("save_rule")).toEqual([]);
  expect(document.activeElement).toBe(radio("Reject"));
  radio("Approve").click();
  await open.pass(400);
  expect(screen.getByText(/This command has several parts/)).toBeVisible();
  // The only condition that an approval can have is the whole command.
  expect(within(screen.getByTestId("condition-group-0")).getAllByRole("radio")).toHaveLength(2);
  expect(screen.getByTestId("rule-beaten")).toHaveTextContent("A reject rule wins over this: no forced push");
});

test("any arguments of a tool that runs programs need their tick", async () => {
  await make("r-push");
  radio("Approve").click();
  radio("any command").click();
  await open.pass(400);
  expect(screen.getByTestId("sheet-confirm")).toHaveAttribute("aria-disabled", "true");
  expect(past()).toBe("What it would have done is counted once nothing is missing.");
  screen.getByTestId("rule-tick").click();
  await open.pass(400);
  expect(screen.getByTestId("sheet-confirm")).not.toHaveAttribute("aria-disabled", "true");
  expect(sentence()).toMatch(/^Approve run_command with any arguments/);
});

test("Esc asks when something was changed, and once more keeps it", async () => {
  await make();
  radio("any id").click();
  await open.pass(20);
  await open.press("Escape");
  expect(screen.getByTestId("rule-leaving")).toHaveTextContent("This rule isn't saved.");
  await open.press("Escape");
  expect(screen.queryByTestId("rule-leaving")).toBeNull();
  await open.press("Escape");
  screen.getByTestId("rule-leave").click();
  await open.pass(20);
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(open.requests("save_rule")).toEqual([]);
});

test("faults are said in words at their field, which gets the focus", async () => {
  open = await openWindow(undefined, "#/rules");
  await open.settle();
  screen.getByTestId("rule-new").click();
  await open.pass(50);
  radio("Reject").click();
  await open.pass(400);
  // Nobody is blamed for a name that they haven't come to yet.
  expect(screen.queryByTestId("rule-fault")).toBeNull();
  await open.settle();
  await open.press("Enter", { ctrlKey: true });
  await open.pass(50);
  expect(screen.getByTestId("rule-fault")).toHaveTextContent("Give it a name");
  expect(document.activeElement).toBe(screen.getByTestId("rule-name"));
  await type(screen.getByTestId("rule-name"), "no sudo");
  await open.pass(400);
  expect(screen.getByTestId("rule-fault")).toHaveTextContent("Another rule has this name.");
});

test("a condition is typed in a small form, of a command by its words; a regular expression only as advanced (surface 37)", async () => {
  open = await openWindow(undefined, "#/rules");
  screen.getByTestId("rule-new").click();
  await open.pass(50);
  choose("rule-tool", "run_command");
  radio("Reject").click();
  await open.pass(20);
  screen.getByTestId("condition-more").click();
  await open.pass(20);
  const form = screen.getByTestId("condition-form");
  const advanced = within(form).getByRole("group", { name: "Advanced" });
  expect(within(advanced).getByRole("option")).toHaveTextContent("regular expression");
  await type(within(form).getByRole("textbox", { name: "Program and words" }), 'git commit -m "two words"');
  await type(within(form).getByRole("textbox", { name: /one of these words/ }), "--amend");
  screen.getByTestId("condition-add").click();
  await open.pass(20);
  expect(sentence()).toContain("the command begins with git commit -m two words and has --amend");
  await open.pass(400);
  expect(open.requests("rule_look").at(-1)?.rule.conditions).toEqual([
    { is: "words", words: ["git", "commit", "-m", "two words"], flags: ["--amend"], further: true },
  ]);
  screen.getByRole("button", { name: /^Remove: the command begins with/ }).click();
  await open.pass(20);
  expect(sentence()).toMatch(/^Reject every call of run_command/);
});

test("lives go from a run to for ever, the ones of a conversation where there is one (surface 29, 31)", async () => {
  await make();
  const options = [...screen.getByTestId<HTMLSelectElement>("rule-life").options].map((one) => one.text);
  expect(options).toEqual([
    "Until the run ends",
    "Until the conversation is deleted",
    "Until Countersign quits",
    "24 hours",
    "30 days",
    "For ever",
  ]);
  const now = Date.now();
  choose("rule-life", "24 hours");
  choose("rule-where", /^For agents in/);
  await open.pass(20);
  expect(sentence()).toContain("in ~/work/helpdesk and below – until 4 March, 14:02");
  await open.settle();
  await open.press("Enter", { ctrlKey: true });
  const saved = open.requests("save_rule")[0]!.rule;
  expect(saved.scope).toEqual({ where: "folder", folder: "/home/mira/work/helpdesk" });
  expect(saved.life.lasts === "until" && saved.life.at - now).toBeGreaterThanOrEqual(24 * 3_600_000);
});

test("samples are kept with a rule, a command's as the command (surface 36)", async () => {
  open = await openWindow(undefined, "#/rules");
  screen.getAllByTestId("rule-open")[0]!.click();
  await open.pass(400);
  expect(screen.getByText("Samples (2)")).toBeVisible();
  expect(screen.getByRole("textbox", { name: "Sample 1: a command", hidden: true })).toHaveValue("sudo apt install x");
  screen.getByTestId("sample-add").click();
  await open.pass(20);
  await type(screen.getByRole("textbox", { name: "Sample 3: a command", hidden: true }), "sudo ls");
  await open.settle();
  await open.press("Enter", { ctrlKey: true });
  expect(open.requests("save_rule")[0]!.rule.samples[2]).toEqual({
    matches: true,
    arguments: '{"command":"sudo ls"}',
  });
});

test("a past call is looked at beside the rule, which stays as it is", async () => {
  await make();
  await open.pass(lookAfter);
  screen.getByTestId("rule-past-show").click();
  await open.pass(20);
  screen.getAllByTestId("rule-past-row")[0]!.click();
  await open.pass(100);
  expect(location.hash).toBe("#/history/h-mail");
  expect(screen.getByRole("dialog")).toBeVisible();
  expect(sentence()).toMatch(/^Approve close_ticket/);
});

test("the bar and its menus lead to a rule, and a plan doesn't", async () => {
  open = await openWindow();
  screen.getByTestId("more-menu").click();
  await open.pass(20);
  screen.getByTestId("make-rule").click();
  await open.pass(50);
  expect(open.requests("rule_draft")).toEqual([{ from: { from: "call", id: "r-close" } }]);
  await open.press("Escape");
  open.app.inbox.select("r-plan");
  await open.pass(50);
  await open.press(".");
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a rule that was changed elsewhere isn't written over, and says so", async () => {
  open = await openWindow(undefined, "#/rules");
  screen.getAllByTestId("rule-open")[0]!.click();
  await open.pass(400);
  open.ipc.rules.rows = open.ipc.rules.rows.map((row) => ({ ...row, rule: { ...row.rule, revision: 7 } }));
  await open.settle();
  await open.press("Enter", { ctrlKey: true });
  await open.pass(20);
  expect(screen.getByText("This rule was changed meanwhile. Look at it again.")).toBeVisible();
});

test("Esc shuts the form of a condition first", async () => {
  await make();
  screen.getByTestId("condition-more").click();
  await open.pass(20);
  await open.press("Escape");
  expect(screen.queryByTestId("condition-form")).toBeNull();
  expect(screen.getByRole("dialog")).toBeVisible();
});

test("a rule whose tool the server changed says so, and is bound anew only by choosing the tool as it is now (D-87)", async () => {
  open = await openWindow((ipc) => (ipc.rules.lost = true), "#/rules");
  screen.getAllByTestId("rule-open")[3]!.click();
  await open.pass(400);
  expect(screen.getByTestId("rule-lost")).toHaveTextContent("so the rule approves nothing");
  choose("rule-tool", /as it is now/);
  await open.pass(400);
  expect(screen.queryByTestId("rule-lost")).toBeNull();
  await open.settle();
  await open.press("Enter", { ctrlKey: true });
  expect(open.requests("save_rule")[0]!.rule.tool).toMatchObject({ of: "server", key: "k2" });
});

test("a rule is never saved without the condition that is being typed", async () => {
  open = await openWindow(undefined, "#/rules");
  screen.getAllByTestId("rule-open")[0]!.click();
  await open.pass(700);
  screen.getByTestId("condition-more").click();
  await open.pass(20);
  expect(screen.getByTestId("sheet-confirm")).toHaveAttribute("aria-disabled", "true");
  const field = screen.getByRole("textbox", { name: "Program and words" });
  await type(field, "doas");
  await open.press("Enter", { ctrlKey: true }, field);
  await open.pass(20);
  expect(open.requests("save_rule")).toEqual([]);
  expect(sentence()).toContain("begins with sudo and the command begins with doas");
  await open.press("Enter", { ctrlKey: true });
  await open.pass(20);
  expect(open.requests("save_rule")[0]!.rule.conditions).toHaveLength(2);
});

test("the key is another one where the person wants it", async () => {
  open = await openWindow(
    (ipc) => (ipc.snapshot.settings = { ...ipc.snapshot.settings, keys: { "make-rule": ["y"] } }),
  );
  open.app.inbox.select("r-close");
  await open.pass(50);
  await open.press(".");
  expect(screen.queryByRole("dialog")).toBeNull();
  await open.press("y");
  await open.pass(50);
  expect(screen.getByRole("dialog")).toHaveAccessibleName("Make a rule");
});
