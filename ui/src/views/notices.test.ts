import { fireEvent, screen } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { NoticeTest } from "../lib/ipc/bindings";
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

const last = (name: string) => open.ipc.calls.filter((call) => call.name === name).at(-1)?.request;

test("surface_53 the test says what came back, on which way, and what the server says of itself", async () => {
  open = await openWindow();
  open.app.router.go("settings", "notifications");
  await open.pass(50);
  const cases: [Partial<NoticeTest>, RegExp][] = [
    [{ came: "button", server: "GNOME Shell", buttons: true }, /The Review button works here. Shown by GNOME Shell/],
    [{ came: "click", server: "Xfce", buttons: true }, /A click works here/],
    [{ came: "click", server: "Plasma", buttons: false }, /buttons don't work here: a click opens the request/],
    [{ came: "shown", server: "dunst", buttons: true }, /Handed to dunst, but no press came back/],
    [{ came: "nothing", server: null, can: [] }, /Nothing arrived: no notification service answers/],
  ];
  for (const [result, said] of cases) {
    open.ipc.noticeTest = { ...open.ipc.noticeTest, can: ["actions", "body"], ...result };
    await press("test-notice");
    expect(screen.getByTestId("test-said")).toHaveTextContent(said);
    if (result.came !== "nothing")
      expect(screen.getByTestId("test-said")).toHaveTextContent("It says that it can: actions and body.");
  }
});

test("surface_66 a pause is visible and can be ended, and quiet hours are two times", async () => {
  open = await openWindow();
  open.app.router.go("settings", "notifications");
  await open.pass(50);
  await fireEvent.change(screen.getByTestId("pause-notices"), { target: { value: "hour" } });
  await open.pass(50);
  expect(last("pause_notices")).toEqual({ pause: "hour" });
  expect(screen.getByText(/Paused until \d\d:\d\d/)).toBeVisible();
  await press("resume-notices");
  expect(last("pause_notices")).toEqual({ pause: "over" });
  expect(screen.queryByText(/Paused until/)).toBeNull();

  screen.getByRole("switch", { name: "Quiet hours" }).click();
  await open.pass(50);
  await fireEvent.change(screen.getByLabelText("Quiet from"), { target: { value: "21:30" } });
  await open.pass(50);
  expect(open.app.session.settings.quiet_hours).toEqual({ from: 21 * 60 + 30, to: 7 * 60 });
  screen.getByRole("button", { name: /Reset\s+Quiet hours/ }).click();
  await open.pass(50);
  expect(open.app.session.settings.quiet_hours).toBeNull();
});

test("what is asked before the window goes is answered by a press, and Esc stays", async () => {
  open = await openWindow();
  open.ipc.emit({ f: "leaving", ask: { is: "quit", open: 2, leaving: 0 } });
  await open.pass(50);
  expect(screen.getByText("2 requests stay open. They are kept in their conversations.")).toBeVisible();
  await open.press("Escape");
  expect(last("leave")).toEqual({ leave: "stay" });
  await open.pass(50);
  expect(screen.queryByRole("dialog")).toBeNull();

  open.ipc.emit({ f: "leaving", ask: { is: "quit", open: 2, leaving: 1 } });
  await open.pass(50);
  await press("leave-keep");
  expect(last("leave")).toEqual({ leave: "quit" });
  open.ipc.emit({ f: "leaving", ask: { is: "quit", open: 1, leaving: 1 } });
  await open.pass(50);
  expect(screen.getByText("1 request stays open. It is kept in its conversation.")).toBeVisible();
  await press("sheet-confirm");
  expect(last("leave")).toEqual({ leave: "send_and_quit" });

  for (const is of ["tray", "no_tray"] as const) {
    open.ipc.emit({ f: "leaving", ask: { is } });
    await open.pass(50);
    await press("sheet-confirm");
    expect(last("leave")).toEqual({ leave: "hide" });
  }
});
