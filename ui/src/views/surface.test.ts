import { cleanup, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { remapped } from "../lib/remap.svelte";
import { openWindow, type OpenWindow } from "../test/window";

// What a person notices and no screen has a file of tests for, over the made-up backend.

let open: OpenWindow;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.restoreAllMocks();
  open.app.stop();
  remapped.single = true;
  vi.useRealTimers();
});

const staged = () => open.requests("stage").map((request) => `${request.id} ${request.decision.say}`);

async function at(id: string) {
  open = await openWindow();
  open.app.inbox.select(id);
  await open.pass(50);
  await open.settle();
}

/** Presses keys as they are budgeted, with the forced waiting between them, and says how many there were. */
async function keys(...all: [key: string, options?: KeyboardEventInit][]): Promise<number> {
  for (const [key, options] of all) {
    await open.press(key, options);
    await open.settle();
  }
  return all.length;
}

const withShift = { shiftKey: true };
const withMod = { ctrlKey: true };

test("each job takes the keys of its budget and no more (accept 26)", async () => {
  await at("r-close");
  expect(await keys(["a"], ["a"], ["a"])).toBe(3);
  expect(staged()).toEqual(["r-close approve", "r-push approve", "r-edit approve"]);
  expect(await keys(["u"])).toBe(1);
  expect(open.app.inbox.selected).toBe("r-edit");
  expect(open.app.inbox.find("r-edit")?.row.draft).toBeNull();
  open.app.stop();
  document.body.replaceChildren();

  await at("r-plan");
  expect(await keys(["a"])).toBe(1);
  expect(open.requests("stage")[0]?.decision).toEqual({
    say: "approve_plan",
    into: "default",
    only_this_plan: false,
    ends_at: null,
  });
  open.app.stop();
  document.body.replaceChildren();

  await at("r-plan");
  expect(await keys(["A", withShift], ["a"])).toBe(2);
  expect(open.requests("stage")[0]?.decision).toMatchObject({ say: "approve_plan", into: "auto" });
  open.app.stop();
  document.body.replaceChildren();

  await at("r-close");
  expect(await keys(["A", withShift], ["a"])).toBe(2);
  expect(open.requests("stage")[0]?.decision.say).toBe("approve_for_conversation");
});

test("an approval with high risk takes A and the key that sends, and never leaves before (accept 26, accept 28)", async () => {
  open = await openWindow((ipc) => {
    const sets = ipc.snapshot.sets.filter((set) => set.id === "triage");
    ipc.snapshot.sets = sets.map((set) => ({ ...set, rows: set.rows.filter((row) => row.id === "r-push") }));
  });
  await open.settle();
  expect(await keys(["a"])).toBe(1);
  await open.pass(60_000);
  expect(open.requests("send")).toEqual([]);
  expect(await keys(["Enter", withMod])).toBe(1);
  expect(open.requests("send")[0]?.send.answers.map((answer) => answer.request)).toEqual(["r-push"]);
});

test("with single keys off, the letters do nothing, and Tab and Enter do it all (accept 30, surface 84)", async () => {
  open = await openWindow((ipc) => {
    ipc.snapshot.settings = { ...ipc.snapshot.settings, single_keys: false };
  });
  await open.settle();
  await keys(["a"], ["r"]);
  expect(staged()).toEqual([]);
  const user = userEvent.setup({ advanceTimers: (milliseconds) => vi.advanceTimersByTime(milliseconds) });
  const reach = async (testid: string) => {
    for (let n = 0; n < 150; n += 1) {
      await user.tab();
      if (document.activeElement?.getAttribute("data-testid") === testid) return;
    }
    throw new Error(`Tab never comes to ${testid}`);
  };
  await reach("approve");
  await open.settle();
  await user.keyboard("{Enter}");
  await open.pass(50);
  expect(staged()).toEqual(["r-close approve"]);
  await open.settle();
  await reach("reject");
  await open.settle();
  await user.keyboard("{Enter}");
  await open.pass(50);
  expect(staged()).toEqual(["r-close approve", "r-push reject"]);
});

test("the bar is outside of what scrolls, and holds the buttons however long the command is (surface 10)", async () => {
  await at("r-push");
  const scroller = screen.getByTestId("detail").querySelector(".scroll")!;
  expect(scroller).toHaveTextContent("git");
  for (const button of ["approve", "reject"]) expect(scroller).not.toContainElement(screen.getByTestId(button));
});

test("a conversation says what waits in it, and leads there (surface 11)", async () => {
  open = await openWindow(() => undefined, "#/conversations/triage");
  await open.pass(50);
  expect(screen.getByTestId("waiting-strip")).toHaveTextContent("3 waiting");
  screen.getByTestId("answer-in-inbox").click();
  await open.pass(50);
  expect(open.app.router.screen).toBe("inbox");
  expect(open.app.inbox.selected).toBe("r-close");
  expect(staged()).toEqual([]);
});

test("approving what wasn't seen to its end turns a page and approves nothing (accept 14, surface 20)", async () => {
  vi.spyOn(Range.prototype, "getBoundingClientRect").mockReturnValue({ bottom: 100_000 } as DOMRect);
  await at("r-push");
  const scroller = screen.getByTestId("detail").querySelector(".scroll")!;
  const turned = vi.fn();
  scroller.scrollBy = turned;
  await open.press("a");
  expect(turned).toHaveBeenCalledOnce();
  expect(staged()).toEqual([]);
});

test("going elsewhere and back is possible without deciding (surface 80)", async () => {
  await at("r-push");
  await open.press("g");
  await open.press("h");
  expect(open.app.router.screen).toBe("history");
  await open.press("g");
  await open.press("i");
  await open.settle();
  expect(open.app.router.screen).toBe("inbox");
  expect(open.app.inbox.selected).toBe("r-push");
  expect(screen.getByTestId("approve")).toBeVisible();
  expect(staged()).toEqual([]);
});

test("an arrival is announced with who asks what, how many wait and the key that leads there (surface 85)", async () => {
  open = await openWindow();
  await open.settle();
  const set = open.ipc.snapshot.sets.find((one) => one.id === "triage")!;
  open.ipc.putSet("more", {
    ...set,
    id: "more",
    conversation: "more",
    title: [{ t: "text", s: "Nightly check" }],
    rows: [{ ...set.rows[0]!, id: "r-more", verb: [{ t: "text", s: "Run a command" }] }],
  });
  await open.pass(1100);
  const waiting = open.app.inbox.waiting;
  expect(open.app.announcer.polite).toBe(`New: Nightly check asks: Run a command. ${waiting} waiting. Press G I.`);
  expect(document.activeElement).toBe(document.body);
});

test("where a mode is chosen each has a plain name and a sentence (surface 49)", async () => {
  open = await openWindow(undefined, "#/conversations/triage");
  await open.pass(50);
  screen.getByTestId("mode-menu").click();
  await open.pass(50);
  for (const [mode, name, sentence] of [
    ["plan", "Plan", "Reads only, and proposes a plan."],
    ["default", "Default", "Asks before it changes something."],
    ["auto", "Auto", "Runs without asking."],
  ] as const) {
    const item = screen.getByTestId(`mode-${mode}`);
    expect(item).toHaveTextContent(name);
    expect(item).toHaveTextContent(sentence);
  }
});

test("the mode stands in each conversation's and each request's header, all three of them (surface 46)", async () => {
  for (const mode of ["plan", "default", "auto"] as const) {
    const name = { plan: "Plan", default: "Default", auto: "Auto" }[mode];
    open = await openWindow((ipc) => {
      for (const row of ipc.snapshot.conversations) if (row.id === "triage") row.mode = mode;
      ipc.details.set("r-close", { ...ipc.details.get("r-close")!, mode });
    }, "#/conversations/triage");
    await open.pass(50);
    expect(screen.getByTestId("mode-menu")).toHaveTextContent(name);
    const row = screen.getByTestId("conversation-triage");
    if (mode === "default") expect(row.querySelector("[data-testid=mode-badge]")).toBeNull();
    else expect(row).toHaveTextContent(name);
    await open.press("g");
    await open.press("i");
    await open.settle();
    expect(screen.getByTestId("detail").querySelector("[data-testid=mode-badge]")).toHaveTextContent(name);
    open.app.stop();
    cleanup();
  }
});
