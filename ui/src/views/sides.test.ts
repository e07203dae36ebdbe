import { screen, within } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  open.app.stop();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function show(width: number) {
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(width);
  open = await openWindow();
  open.app.inbox.select("r-edit");
  await open.settle();
}

test("where there is room a change can stand side by side, every line with its number (f.1)", async () => {
  await show(760);
  expect(screen.queryByTestId("sides")).toBeNull();
  screen.getByTestId("side-by-side").click();
  await open.pass(20);
  const sides = screen.getByTestId("sides");
  const rows = within(sides).getAllByRole("listitem");
  const changed = rows.find((row) => row.querySelector(".removed"))!;
  expect([...changed.children].map((half) => half.getAttribute("data-number"))).toEqual(["20", "20"]);
  expect(changed.children[0]).toHaveTextContent('removed line 20 close = "ask"', { normalizeWhitespace: true });
  expect(changed.children[1]).toHaveTextContent('added line 20 close = "always"', { normalizeWhitespace: true });
  // A line that is the same on both sides is heard and counted once.
  const same = rows.find((row) => row.querySelector("[data-again]"))!;
  expect(same.children[1]).toHaveAttribute("aria-hidden", "true");
  screen.getByTestId("raw").click();
  await open.pass(20);
  expect(screen.queryByTestId("side-by-side")).toBeNull();
});

test("in a narrow pane it isn't offered", async () => {
  await show(759);
  expect(screen.getByTestId("raw")).toBeVisible();
  expect(screen.queryByTestId("side-by-side")).toBeNull();
});
