import { screen, within } from "@testing-library/svelte";
import axe from "axe-core";
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

const rows = () => screen.getAllByTestId("history-row");
const idOf = (at: number) => rows()[at]!.dataset.row!;
const picked = () =>
  rows()
    .filter((row) => row.classList.contains("picked"))
    .map((row) => row.dataset.row);

async function history() {
  open = await openWindow(undefined, "#/history");
  await open.settle();
  rows()[0]!.focus();
}

test("X and Shift+J select rows of history, Escape lets them go, and nothing else happens (c.10)", async () => {
  await history();
  await open.press("x", {}, rows()[0]);
  expect(picked()).toEqual([idOf(0)]);
  expect(rows()[0]).toHaveTextContent("selected");
  await open.press("J", { shiftKey: true }, rows()[0]);
  expect(rows()[1]).toHaveFocus();
  await open.press("J", { shiftKey: true }, rows()[1]);
  expect(picked()).toEqual([idOf(0), idOf(1), idOf(2)]);
  await open.press("x", {}, rows()[2]);
  await open.press("K", { shiftKey: true }, rows()[2]);
  expect(picked()).toEqual([idOf(0), idOf(1), idOf(2)]);
  expect(screen.getByTestId("history-picked")).toHaveTextContent("3 selected");
  expect(open.app.router.part).toBeNull();
  await open.press("Escape");
  expect(picked()).toEqual([]);
  expect(screen.queryByTestId("history-picked")).toBeNull();
  expect(screen.getByTestId("history-export")).toBeVisible();
  expect(open.requests("rule_draft")).toEqual([]);
});

test("a rule is made from what is selected, by the key and by the button (c.10)", async () => {
  await history();
  await open.press("J", { shiftKey: true }, rows()[0]);
  const ids = [idOf(0), idOf(1)];
  await open.press(".");
  await open.pass(400);
  expect(open.requests("rule_draft")).toEqual([{ from: { from: "calls", ids } }]);
  const sheet = screen.getByRole("dialog");
  expect(within(sheet).getByTestId("rule-sentence")).toHaveTextContent("cargo nextest run --release");
  expect(sheet).toHaveTextContent("2 selected calls");
  expect(within(sheet).getByTestId("rule-past")).toHaveTextContent(/last 30 days/);
  await open.press("Escape");
  await open.pass(50);
  expect(picked()).toEqual(ids);
  screen.getByTestId("history-rule-of-picked").click();
  await open.pass(400);
  expect(open.requests("rule_draft")).toHaveLength(2);
  expect(open.requests("save_rule")).toEqual([]);
});

test("why no rule can be made from a selection is said where it would be made", async () => {
  await history();
  await open.press("J", { shiftKey: true }, rows()[0]);
  const call = open.app.session.call.bind(open.app.session);
  const message = "These are calls of different tools. A rule is about one: select calls of the same tool.";
  vi.spyOn(open.app.session, "call").mockImplementation(((name: never, request: never) =>
    name === "rule_draft"
      ? Promise.reject(Object.assign(new Error(), { code: "refused", message }))
      : call(name, request)) as typeof open.app.session.call);
  await open.press(".");
  await open.pass(400);
  expect(screen.getByRole("dialog")).toHaveTextContent("different tools");
});

test("the mouse selects with Ctrl and with Shift, and a press alone still opens", async () => {
  await history();
  rows()[1]!.dispatchEvent(new MouseEvent("click", { bubbles: true, ctrlKey: true }));
  rows()[3]!.dispatchEvent(new MouseEvent("click", { bubbles: true, shiftKey: true }));
  await open.pass(20);
  expect(picked()).toEqual([idOf(1), idOf(2), idOf(3)]);
  expect(open.app.router.part).toBeNull();
  vi.useRealTimers();
  const found = await axe.run(document.body, { rules: { "color-contrast": { enabled: false } } });
  expect(found.violations.map((one) => `${one.id} ${one.nodes[0]!.html}`)).toEqual([]);
  vi.useFakeTimers();
  const id = idOf(0);
  rows()[0]!.click();
  await open.pass(20);
  expect(open.app.router.part).toBe(id);
});
