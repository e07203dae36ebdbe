import { screen } from "@testing-library/svelte";
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

async function press(testid: string) {
  screen.getByTestId(testid).click();
  await open.pass(50);
}

const text = () => screen.getByTestId("whole-result").textContent;

test("all of a result is shown part by part, and nothing is loaded before somebody asks", async () => {
  open = await openWindow((ipc) => ipc.whole.set("h-1234", 180_000), "#/history/h-1234");
  await open.settle();
  expect(text()).toBe("closed 1 ticket\n");
  expect(open.requests("result_part")).toEqual([]);
  expect(screen.getByTestId("show-all")).toHaveTextContent("Show all (180,000 bytes)");
  await press("show-all");
  expect(text()).toBe("part 0 of h-1234\n");
  expect(screen.getByText("1 of 3 parts are shown.")).toBeVisible();
  await press("show-more");
  await press("show-more");
  expect(text()).toBe("part 0 of h-1234\npart 1 of h-1234\npart 2 of h-1234\n");
  expect(screen.getByText("All of it is shown.")).toBeVisible();
  expect(screen.queryByTestId("show-more")).toBeNull();
});

test("what can't be loaded is said, and can be tried again", async () => {
  open = await openWindow((ipc) => ipc.whole.set("h-1234", 10), "#/history/h-1234");
  await open.settle();
  open.ipc.failures.set("result_part", {
    code: "not_found",
    message: "It isn't there any more.",
    what: "result",
  } as never);
  await press("show-all");
  expect(screen.getByText("It isn't there any more.")).toHaveAttribute("role", "alert");
  expect(text()).toBe("closed 1 ticket\n");
  open.ipc.failures.clear();
  await press("show-all");
  expect(text()).toBe("part 0 of h-1234\n");
});
