import { screen } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(() => {
  vi.useFakeTimers();
  // As narrow as the panel is.
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: query.includes("max-width"),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
});

afterEach(() => {
  open.app.stop();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("the quick panel opens on the oldest row in the list, not in a request (surface 15)", async () => {
  open = await openWindow(undefined, "#/panel");
  await open.settle();
  expect(screen.getByRole("heading", { name: "5 waiting" })).toBeVisible();
  expect(screen.getByTestId("row-r-close")).toHaveAttribute("aria-current", "true");
  expect(screen.queryByRole("navigation", { name: "Screens" })).toBeNull();
  expect(open.app.inbox.inDetail).toBe(false);
});

test("Esc steps back, and then puts the panel away; it never decides (surface 23)", async () => {
  open = await openWindow(undefined, "#/panel");
  await open.settle();
  await open.press("Enter");
  expect(open.app.inbox.inDetail).toBe(true);
  await open.press("Escape");
  expect(open.app.inbox.inDetail).toBe(false);
  expect(open.ipc.hidden).toBe(0);
  await open.press("Escape");
  expect(open.ipc.hidden).toBe(1);
  expect(open.requests("stage")).toHaveLength(0);
});

test("what a notification shows is shown in the main window only", async () => {
  open = await openWindow(undefined, "#/panel");
  await open.settle();
  open.ipc.emit({ f: "show", request: "r-push" });
  await open.pass(20);
  expect(screen.getByTestId("row-r-close")).toHaveAttribute("aria-current", "true");
  expect(open.app.inbox.inDetail).toBe(false);
});

test("a request in its own window has its own arming, and stays when it closes", async () => {
  open = await openWindow(undefined, "#/request/r-close");
  await open.press("a");
  expect(open.requests("stage")).toHaveLength(0);
  await open.settle();
  await open.settle();
  await open.press("a");
  expect(open.requests("stage").map((one) => one.id)).toEqual(["r-close"]);
  const detail = open.ipc.details.get("r-close")!;
  open.ipc.details.set("r-close", {
    ...detail,
    state: {
      is: "closed",
      in_doubt: false,
      at: Date.now(),
      label: "Expired: conversation moved on",
      text: "A new message started the next run, so this call was never made.",
      expired: true,
      outcome: null,
      result: null,
      whole: null,
    },
  });
  await open.app.request.again();
  await open.pass(20);
  expect(screen.getByTestId("detail-state")).toHaveAttribute("data-state", "closed");
  expect(screen.getByText(/never made/)).toBeVisible();
});

test("where the desktop hears no keys, the settings say what to bind", async () => {
  vi.unstubAllGlobals();
  open = await openWindow((ipc) => {
    ipc.global = { is: "command", command: "countersign --panel" };
  }, "#/settings/keyboard");
  await open.settle();
  expect(screen.getByTestId("panel-command")).toHaveTextContent("countersign --panel");
});

test("a rule is made from the row that is selected in the list, where it stands alone", async () => {
  open = await openWindow(undefined, "#/panel");
  await open.settle();
  expect(screen.queryByTestId("detail")).toBeNull();
  await open.press(".");
  await open.pass(50);
  expect(open.requests("rule_draft")).toHaveLength(1);
  expect(screen.getByRole("dialog")).toHaveAccessibleName("Make a rule");
});
