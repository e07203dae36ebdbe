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

/** The sentences that are shown, once somebody asked for them. */
async function show(within_: HTMLElement): Promise<string[]> {
  const button = within(within_).getByTestId("guarded-show");
  expect(button).toHaveAttribute("aria-expanded", "false");
  expect(within(within_).queryAllByTestId("guarded-rule")).toEqual([]);
  button.focus();
  expect(button).toHaveFocus();
  button.click();
  await open.pass(700);
  expect(button).toHaveAttribute("aria-expanded", "true");
  expect(document.getElementById(button.getAttribute("aria-controls")!)).toBeVisible();
  return within(within_)
    .getAllByTestId("guarded-rule")
    .map((one) => one.textContent.replace(/\s+/g, " ").trim());
}

test("the sheet of a plan shows in place which rules still stop calls (f.6)", async () => {
  open = await openWindow();
  open.app.inbox.select("r-plan");
  await open.pass();
  await open.settle();
  await open.press("A", { shiftKey: true });
  const sheet = screen.getByRole("dialog");
  expect(sheet).toHaveTextContent("2 reject rules still stop calls");
  const sentences = await show(sheet);
  expect(sentences).toHaveLength(2);
  expect(sentences[0]).toMatch(/^Reject run_command when .*sudo.* – everywhere – for ever$/);
  expect(screen.getByRole("dialog")).toBe(sheet);
  expect([open.app.router.screen, open.requests("stage").length]).toEqual(["inbox", 0]);
  vi.useRealTimers();
  const found = await axe.run(sheet, { rules: { "color-contrast": { enabled: false } } });
  expect(found.violations.map((one) => one.id)).toEqual([]);
});

test("the sheet that turns Auto on shows them too, and only those that are about what Auto lets run (f.6)", async () => {
  open = await openWindow(undefined, "#/conversations/garden");
  await open.settle();
  await open.press("m", {}, document.body);
  screen.getByTestId("mode-auto").click();
  await open.pass(700);
  const sheet = screen.getByRole("dialog");
  expect(sheet).toHaveTextContent("1 reject rule still stops calls");
  expect(await show(sheet)).toEqual([expect.stringMatching(/sudo/)]);
  within(sheet).getByTestId("guarded-show").click();
  await open.pass(700);
  expect(within(sheet).getByTestId("guarded-show")).toHaveAttribute("aria-expanded", "false");
});

test("what can't be read is said, and nothing is shown as if it were all", async () => {
  open = await openWindow();
  open.app.inbox.select("r-plan");
  await open.pass();
  await open.settle();
  await open.press("A", { shiftKey: true });
  const call = open.app.session.call.bind(open.app.session);
  vi.spyOn(open.app.session, "call").mockImplementation(((name: never, request: never) =>
    name === "rules"
      ? Promise.reject(Object.assign(new Error(), { code: "store", message: "The disk is full." }))
      : call(name, request)) as typeof open.app.session.call);
  within(screen.getByRole("dialog")).getByTestId("guarded-show").click();
  await open.pass(700);
  expect(within(screen.getByRole("dialog")).getByRole("alert")).toHaveTextContent("The disk is full.");
  expect(screen.queryAllByTestId("guarded-rule")).toEqual([]);
});
