import { screen, within } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { tomorrow } from "../inbox/later";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

const row = (id: string) => screen.queryByTestId(`row-${id}`);
const selected = () => document.querySelector("[data-row][aria-current]")?.getAttribute("data-row");

test("H opens a menu under the row, and the whole set goes with its drafts (accept 33)", async () => {
  open = await openWindow();
  await open.settle();
  await open.press("a");
  await open.press("h");
  const menu = screen.getByRole("menu", { name: "Later: put this set aside" });
  expect(
    within(menu)
      .getAllByRole("menuitem")
      .map((item) => item.textContent?.trim()),
  ).toEqual(["15 minutes", "1 hour", "When I'm back", "Tomorrow 9:00", "Until a time…"]);
  screen.getByTestId("later-15").click();
  await open.pass(20);
  const asked = open.requests("later");
  expect(asked).toHaveLength(1);
  expect(asked[0]?.set).toBe(open.app.inbox.find("r-close")?.set.id);
  expect(row("r-close")).toBeNull();
  expect(open.app.inbox.find("r-close")?.row.draft).not.toBeNull();
  expect(selected()).not.toBe("r-push");
  expect(selected()).toBeTruthy();
  expect(screen.getByTestId("tab-later")).toHaveTextContent("Later 3");
  expect(open.requests("send")).toHaveLength(0);
});

test("what is put aside has a tab, says until when, and comes back below the others", async () => {
  open = await openWindow();
  await open.settle();
  const set = open.app.inbox.find("r-close")!.set;
  void open.app.later(set, { is: "back" });
  await open.pass(20);
  const before = selected();
  screen.getByTestId("tab-later").click();
  await open.pass(20);
  expect(within(row("r-push")!).getByText("until you're back")).toBeVisible();
  expect(within(row("r-push")!).getByText(/set aside/)).toBeInTheDocument();
  screen.getByTestId("tab-waiting").click();
  await open.pass(20);
  void open.app.notLater(set);
  await open.pass(20);
  expect(selected()).toBe(before);
  expect(open.app.inbox.shown[open.app.inbox.shown.length - 1]?.id).toBe(set.id);
});

test("with all of it put aside, the empty list says how many there are", async () => {
  open = await openWindow((ipc) => {
    ipc.snapshot.sets = ipc.snapshot.sets.slice(0, 1);
  });
  await open.settle();
  void open.app.later(open.app.inbox.find("r-close")!.set, { is: "back" });
  await open.pass(20);
  expect(screen.getByText("Nothing is waiting.")).toBeVisible();
  expect(screen.getByText("3 set aside until you're back.")).toBeVisible();
});

test("a time is chosen in a sheet, and one that is over can't be", async () => {
  open = await openWindow();
  await open.settle();
  await open.press("h");
  screen.getByTestId("later-until").click();
  await open.pass(20);
  const field = screen.getByTestId<HTMLInputElement>("later-time");
  field.value = "2001-01-01T09:00";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await open.pass(20);
  expect(within(screen.getByRole("dialog")).getByRole("alert")).toHaveTextContent("This time is over");
  field.value = "2990-01-01T09:00";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await open.pass(20);
  screen.getByTestId("sheet-confirm").click();
  await open.pass(20);
  expect(open.requests("later")[0]?.until).toEqual({ is: "at", at: new Date("2990-01-01T09:00").getTime() });
});

test("a decision isn't made by the key that opens the menu, and Esc decides nothing", async () => {
  open = await openWindow();
  await open.settle();
  await open.press("h");
  await open.press("a", {}, document.activeElement!);
  await open.press("Escape", {}, document.activeElement!);
  expect(screen.queryByRole("menu")).toBeNull();
  expect(open.requests("stage")).toHaveLength(0);
  expect(open.requests("later")).toHaveLength(0);
});

test("tomorrow is nine in the morning of the next day", () => {
  const at = new Date(tomorrow(new Date(2026, 1, 28, 23, 59).getTime()));
  expect([at.getMonth(), at.getDate(), at.getHours(), at.getMinutes()]).toEqual([2, 1, 9, 0]);
  open = { app: { stop: () => undefined } } as OpenWindow;
});
