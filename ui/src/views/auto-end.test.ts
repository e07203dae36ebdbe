import { fireEvent, screen, within } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { isTooNear, lastEnd, nextAt, proposed } from "../lib/auto-end";
import { speakAs } from "../lib/i18n/choose";
import { clock, timeOf } from "../lib/time";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

const hour = 3_600_000;

/** A moment on the wall clock of the fixtures' day. */
function at(hours: number, minutes: number, day = 0): number {
  const moment = new Date(open.app.clock.now);
  moment.setDate(moment.getDate() + day);
  moment.setHours(hours, minutes, 0, 0);
  return moment.getTime();
}

async function write(time: string) {
  await fireEvent.input(screen.getByTestId("auto-end-time"), { target: { value: time } });
  await open.pass(700);
}

async function turnOnAuto() {
  open = await openWindow((ipc) => {
    const row = ipc.snapshot.conversations.find((one) => one.id === "triage")!;
    row.mode = "default";
    row.auto_ends = false;
  }, "#/conversations/triage");
  await open.settle();
  await open.press("m", {}, document.body);
  screen.getByTestId("mode-auto").click();
  await open.pass(700);
}

test("D-82: the time that is chosen is the next one of that name, and what is too near is none", async () => {
  open = await openWindow();
  const now = at(17, 30);
  expect(nextAt(18 * 60, now)).toBe(at(18, 0));
  expect(nextAt(7 * 60, now)).toBe(at(7, 0, 1));
  expect(nextAt(17 * 60 + 30, now)).toBe(at(17, 30, 1));
  expect(timeOf(proposed(now))).toBe("18:00");
  expect(timeOf(proposed(at(17, 31)))).toBe("19:00");
  expect(timeOf(proposed(at(23, 45)))).toBe("01:00");
  expect([isTooNear(now + 59_999, now), isTooNear(now + 60_000, now)]).toEqual([true, false]);
  expect([lastEnd([]), lastEnd([1, null]), lastEnd([1, 3, 2])]).toEqual([null, null, 3]);
});

test("D-82: Auto is turned on until a time, and the header says it until it is sent (c.10, f.6)", async () => {
  await turnOnAuto();
  const sheet = screen.getByRole("dialog");
  expect(within(sheet).getByTestId("auto-ends-at")).not.toBeChecked();
  expect(sheet).toHaveTextContent("until you change the mode");
  const end = nextAt(proposed(open.app.clock.now), open.app.clock.now);
  within(sheet).getByTestId("auto-ends-at").click();
  await open.pass(700);
  expect(sheet).toHaveTextContent(`Calls run without asking until ${clock(end)}`);
  screen.getByTestId("sheet-confirm").click();
  await open.pass(50);
  expect(open.app.conversations.loosening.get("triage")).toEqual({ mode: "auto", until: end });
  expect(screen.getByText(`Auto until ${clock(end)} from the next run`)).toBeInTheDocument();
  expect(open.requests("tighten")).toEqual([]);
});

test("D-82: less than a minute away is refused where it is written, and turns nothing on", async () => {
  await turnOnAuto();
  const soon = open.app.clock.now + 61_000;
  const minute = new Date(soon).getHours() * 60 + new Date(soon).getMinutes();
  const left = nextAt(minute, open.app.clock.now) - open.app.clock.now;
  await open.pass(left > 60_000 ? left - 59_000 : 0);
  await write(timeOf(minute));
  expect(screen.getByTestId("auto-ends-at")).toBeChecked();
  expect(within(screen.getByRole("dialog")).getByRole("alert")).toHaveTextContent("less than a minute away");
  expect(screen.getByTestId("sheet-confirm")).toHaveAttribute("aria-disabled", "true");
  await open.press("Enter", { ctrlKey: true }, screen.getByRole("dialog"));
  expect(open.app.conversations.loosening.get("triage")).toBeUndefined();
  // Without an end it can still be turned on.
  screen.getByTestId("auto-ends-at").click();
  await open.pass(700);
  screen.getByTestId("sheet-confirm").click();
  expect(open.app.conversations.loosening.get("triage")).toEqual({ mode: "auto", until: null });
});

test("D-82: a plan is approved into Auto until a time, and the bar says so before it is sent", async () => {
  open = await openWindow();
  open.app.inbox.select("r-plan");
  await open.pass();
  await open.settle();
  await open.press("A", { shiftKey: true });
  const end = nextAt(proposed(open.app.clock.now), open.app.clock.now);
  screen.getByTestId("auto-ends-at").click();
  await open.pass(700);
  expect(screen.getByRole("dialog")).toHaveTextContent(`until the run ends, but not after ${clock(end)}`);
  await open.press("a", {}, screen.getByRole("dialog"));
  expect(open.requests("stage")[0]?.decision).toEqual({
    say: "approve_plan",
    into: "auto",
    only_this_plan: true,
    ends_at: end,
  });
});

test("D-82: the badge, the list, the foot and the transcript say until when, in both languages", async () => {
  open = await openWindow((ipc) => {
    for (const row of ipc.snapshot.conversations) {
      row.mode = "default";
      if (row.id === "triage") {
        row.mode = "auto";
        row.auto_ends = false;
        row.auto_until = ipc.now + hour;
      }
    }
    const last = ipc.transcripts["triage"]!.at(-1)!;
    last.marks = [{ at: ipc.now, what: { is: "mode", mode: "auto", ends: false, until: ipc.now + hour } }];
  }, "#/conversations/triage");
  await open.settle();
  const time = clock(open.ipc.now + hour);
  const badges = screen.getAllByTestId("mode-badge").map((one) => one.textContent);
  expect(badges).toEqual([`Auto until ${time}`, `Auto until ${time}`, `Auto until ${time}`]);
  expect(screen.getAllByTestId("mode-mark").at(-1)).toHaveTextContent(`Mode: Auto, until ${time}`);
  speakAs("de");
  await open.settle();
  expect(screen.getAllByTestId("mode-badge")[0]).toHaveTextContent(`Auto bis ${time}`);
  expect(screen.getAllByTestId("mode-mark").at(-1)).toHaveTextContent(`Modus: Auto, bis ${time}`);
  speakAs("en");
});
