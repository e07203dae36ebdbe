import { screen, within } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Detail } from "../lib/ipc/bindings";
import { everyField } from "../lib/ipc/fixture-details";
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

async function ask(make?: (now: number) => Detail) {
  open = await openWindow((ipc) => ipc.ask(make?.(ipc.now)));
  await open.settle();
}

const staged = () => open.requests("stage").map((request) => request.decision);
const textbox = (name: string) => screen.getByRole<HTMLInputElement>("textbox", { name });
const labelled = (name: string) => screen.getByLabelText<HTMLInputElement>(name, { selector: "input, textarea" });

async function write(field: HTMLInputElement | HTMLTextAreaElement, text: string) {
  field.focus();
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await open.pass();
}

async function choose(role: "radio" | "checkbox" | "switch", name: string) {
  screen.getByRole(role, { name }).click();
  await open.pass();
}

async function fill() {
  await choose("radio", "release/2.4");
  await write(textbox("Days to compare"), "14");
  await open.settle();
}

test("A goes from one needed field to the next, Enter ends a field, and A sends the answer", async () => {
  await ask();
  expect(screen.getByText("Which branch is the baseline?", { selector: "blockquote *" })).toBeVisible();
  await open.press("a");
  expect(screen.getByRole("radio", { name: "main" })).toHaveFocus();
  expect(screen.queryByText("This is needed.")).toBeNull();
  await choose("radio", "release/2.4");
  await open.press("a", {}, screen.getByRole("radio", { name: "release/2.4" }));
  const days = textbox("Days to compare");
  expect(days).toHaveFocus();
  await open.press("a", {}, days);
  expect(staged()).toEqual([]);
  await write(days, "14");
  await open.press("Enter", {}, days);
  expect(screen.getByTestId("detail")).toHaveFocus();
  expect(staged()).toEqual([]);
  await open.settle();
  await open.press("a", {}, screen.getByTestId("detail"));
  expect(staged()).toEqual([{ say: "answer", value: '{"branch":"release/2.4","days":"14"}' }]);
  expect(open.requests("stage")[0]?.digest).toBe("digest of r-ask");
  expect(within(screen.getByTestId("row-r-ask")).getByText("will answer")).toBeVisible();
});

test("a default is said and never filled in", async () => {
  await ask();
  expect(textbox("Days to compare").value).toBe("");
  expect(textbox("Days to compare")).toHaveAccessibleDescription(/^required 1 to 90 · default: 14 *$/);
});

test("Mod+Enter in a field sends without waiting for its own typing, but not right after the request came", async () => {
  await ask();
  await choose("radio", "main");
  await write(textbox("Days to compare"), "14");
  open.app.arming.disturb();
  await open.press("Enter", { ctrlKey: true }, textbox("Days to compare"));
  expect(staged()).toEqual([]);
  await open.settle();
  await write(textbox("Days to compare"), "15");
  await open.press("Enter", { ctrlKey: true, repeat: true }, textbox("Days to compare"));
  expect(staged()).toEqual([]);
  await open.press("Enter", { ctrlKey: true }, textbox("Days to compare"));
  expect(staged()).toEqual([{ say: "answer", value: '{"branch":"main","days":"15"}' }]);
});

test("a field that was left says what is wrong with it, until it is changed", async () => {
  await ask();
  const days = textbox("Days to compare");
  await write(days, "91");
  expect(screen.queryByText("It has to be 1 to 90.")).toBeNull();
  screen.getByTestId("detail").focus();
  await open.pass();
  expect(screen.getByText("It has to be 1 to 90.")).toBeVisible();
  expect(days).toHaveAttribute("aria-invalid", "true");
  await choose("radio", "main");
  await open.settle();
  await open.press("a");
  expect(days).toHaveFocus();
  expect(staged()).toEqual([]);
  await write(days, "90");
  expect(screen.queryByText("It has to be 1 to 90.")).toBeNull();
});

test("what the core finds stands under its field, and the focus goes to the first", async () => {
  await ask();
  await fill();
  open.ipc.failures.set("stage", {
    code: "invalid_answer",
    message: "Not everything fits what was asked. Nothing was sent.",
    faults: [
      { field: "days", text: one("14 is no Sunday") },
      { field: "", text: one("too much in all") },
    ],
  });
  await open.press("a");
  const days = textbox("Days to compare");
  expect(days).toHaveFocus();
  expect(days).toHaveAccessibleDescription(/14 is no Sunday/);
  expect(screen.getByText(/Not everything fits/)).toHaveTextContent("too much in all");
  open.ipc.failures.clear();
  await write(days, "15");
  expect(screen.queryByText("14 is no Sunday")).toBeNull();
  await open.press("Enter", { ctrlKey: true }, days);
  expect(open.app.inbox.find("r-ask")?.row.draft?.decision).toEqual({
    say: "answer",
    value: '{"branch":"release/2.4","days":"15"}',
  });
});

test("each kind of field goes as it is meant, large numbers untouched", async () => {
  await ask(everyField);
  await write(textbox("Title"), 'Week "14"');
  await write(textbox("Ratio"), "0.75");
  await choose("radio", "12345678901234567890.10");
  const area = screen.getByRole<HTMLSelectElement>("combobox", { name: "Area" });
  expect(area.options).toHaveLength(8);
  area.selectedIndex = 7;
  area.dispatchEvent(new Event("change", { bubbles: true }));
  await choose("checkbox", "9007199254740993");
  await choose("checkbox", "slow");
  await write(labelled("Since"), "2026-03-31");
  await write(textbox("Limits"), '{"pages": 1e400}');
  await open.settle();
  await open.press("a");
  const value =
    '{"title":"Week \\"14\\"","ratio":"0.75","drafts":false,"build":12345678901234567890.10,"area":"legal",' +
    '"tags":["slow",9007199254740993],"since":"2026-03-31","limits":{"pages": 1e400}}';
  expect(staged()).toEqual([{ say: "answer", value }]);
});

test("what was chosen can be left out again", async () => {
  await ask();
  const drafts = screen.getByRole("switch", { name: "Include drafts" });
  expect(drafts).toHaveAccessibleDescription(/^left out default: false *$/);
  drafts.click();
  await open.pass();
  expect(drafts).toHaveAttribute("aria-checked", "true");
  screen.getByRole("button", { name: "Leave out Include drafts" }).click();
  await fill();
  await open.press("a");
  expect(staged()).toEqual([{ say: "answer", value: '{"branch":"release/2.4","days":"14"}' }]);
});

test("secrets are masked until somebody wants to see them, and where they go is said", async () => {
  await ask(everyField);
  const token = labelled("API token");
  expect(token.type).toBe("password");
  expect(token).toHaveAccessibleDescription(/^Answers go to ask_user and into history *$/);
  expect(labelled("Secret key")).toHaveClass("masked");
  screen.getByRole("button", { name: "Show API token" }).click();
  await open.pass();
  expect(token.type).toBe("text");
  await open.app.stage("r-ask", "digest of r-ask", { say: "answer", value: '{"api_token":"hunter2"}' });
  open.app.inbox.select("r-ask");
  await open.pass(50);
  const shown = screen.getByTestId("answer-shown");
  expect(shown).not.toHaveTextContent("hunter2");
  within(shown).getByRole("button", { name: "Show API token" }).click();
  await open.pass();
  expect(shown).toHaveTextContent("hunter2");
});

test("declining needs nothing filled in; with a reason, the agent is told it", async () => {
  await ask();
  screen.getByTestId("detail").focus();
  await open.press("r");
  expect(staged()).toEqual([{ say: "reject", reason: null }]);
  open.app.inbox.select("r-ask");
  await open.pass(50);
  expect(screen.getByText(/Will be declined\./)).toBeVisible();
  expect(within(screen.getByTestId("row-r-ask")).getByText("will decline")).toBeVisible();
  await open.press("u");
  await open.settle();
  await open.press("R", { shiftKey: true });
  const reason = textbox("Reason for the agent of Nightly check");
  await write(reason, "ask Mira");
  await open.press("Enter", {}, reason);
  expect(staged()[1]).toEqual({ say: "reject", reason: "ask Mira" });
});

test("a staged answer is shown as it is, and taken back it is in the form again", async () => {
  await ask();
  await fill();
  await open.press("a");
  open.app.inbox.select("r-ask");
  await open.pass(50);
  expect(screen.getByText(/Will be answered\./)).toBeVisible();
  expect(screen.queryByTestId("answer-form")).toBeNull();
  const shown = screen.getByTestId("answer-shown");
  expect(shown).toHaveTextContent("release/2.4");
  expect(shown).toHaveTextContent("left out");
  screen.getByTestId("change").click();
  await open.pass(50);
  expect(screen.getByRole("radio", { name: "release/2.4" })).toBeChecked();
  expect(textbox("Days to compare").value).toBe("14");
  expect(screen.getByRole("radio", { name: "release/2.4" })).toHaveFocus();
});

test("an answer that was staged before the start comes back into the form as well", async () => {
  open = await openWindow((ipc) => {
    ipc.ask();
    const draft = { decision: { say: "answer" as const, value: '{"branch":"next","days":"7"}' }, digest: "d" };
    ipc.snapshot.sets[0]!.rows[0]!.draft = draft;
  });
  await open.settle();
  await open.press("u");
  await open.pass(50);
  expect(screen.getByRole("radio", { name: "next" })).toBeChecked();
  expect(textbox("Days to compare").value).toBe("7");
});

test("what was typed is there after a look at another row, and is forgotten when the request closes", async () => {
  await ask();
  await write(textbox("Days to compare"), "3");
  open.app.inbox.select("r-push");
  await open.pass(50);
  open.app.inbox.select("r-ask");
  await open.pass(50);
  expect(textbox("Days to compare").value).toBe("3");
  const form = open.app.answers.of("r-ask");
  const set = open.app.inbox.find("r-ask")!.set;
  open.ipc.emit({
    f: "closed",
    rows: [
      {
        ...set.rows[0]!,
        conversation: "nightly",
        title: [],
        label: "",
        was: "expired",
        expired: true,
        unknown: false,
        at: 1,
      },
    ],
  });
  await open.pass(50);
  expect(open.app.answers.of("r-ask")).not.toBe(form);
});

test("a closed question shows its fields without values, and the set says what it was", async () => {
  await ask();
  await fill();
  await open.press("a");
  open.app.inbox.select("r-ask");
  await open.pass(50);
  await open.settle();
  await open.press("Enter", { ctrlKey: true });
  await open.pass(50);
  expect(screen.getByText(/Sent: 1 answered/)).toBeVisible();
  expect(screen.getByTestId("answer-shown")).toHaveTextContent("one of: main, release/2.4, next");
  expect(screen.queryByTestId("answer-form")).toBeNull();
});

test("a question that can't be shown as a form can only be declined", async () => {
  open = await openWindow((ipc) => {
    ipc.ask();
    const detail = ipc.details.get("r-ask")!;
    ipc.details.set("r-ask", { ...detail, payload: { p: "unreadable", why: "no form" } });
  });
  await open.settle();
  expect(screen.queryByTestId("approve")).toBeNull();
  await open.press("a");
  await open.press("A", { shiftKey: true });
  expect(staged()).toEqual([]);
  expect(screen.getByTestId("reject")).toBeVisible();
});

test("the arrows move within a choice that has the focus, and Esc leaves a field for the detail", async () => {
  await ask();
  const radio = screen.getByRole("radio", { name: "main" });
  const down = new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true });
  radio.dispatchEvent(down);
  expect(down.defaultPrevented).toBe(false);
  const days = textbox("Days to compare");
  days.focus();
  await open.press("Escape", {}, days);
  expect(screen.getByTestId("detail")).toHaveFocus();
  expect(staged()).toEqual([]);
});
