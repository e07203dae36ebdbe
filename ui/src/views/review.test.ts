import { screen, within } from "@testing-library/svelte";
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

async function reviewing(ids: string[]) {
  open = await openWindow();
  for (const id of ids) {
    open.app.inbox.select(id);
    await open.press("x");
  }
  await open.press("Enter");
  await open.pass(50);
  return screen.getByTestId("review");
}

test("X picks, the bar says how many, Esc lets go (surface 81)", async () => {
  open = await openWindow();
  await open.settle();
  await open.press("x");
  await open.press("J", { shiftKey: true });
  expect(screen.getByTestId("picked-bar")).toHaveTextContent("2 selected");
  expect(within(screen.getByTestId("row-r-close")).getByText(/, selected/)).toBeInTheDocument();
  await open.press("x");
  expect(screen.getByTestId("picked-bar")).toHaveTextContent("1 selected");
  await open.press("Escape");
  expect(screen.queryByTestId("picked-bar")).toBeNull();
  expect(open.requests("stage")).toHaveLength(0);
});

test("what is high risk, a plan or a question is left out, with the reason", async () => {
  const review = await reviewing(["r-close", "r-push", "r-plan"]);
  const out = within(review).getByTestId("review-left-out");
  expect(out).toHaveTextContent("high risk");
  expect(out).toHaveTextContent("a plan");
  expect(within(review).getAllByTestId("review-approve")).toHaveLength(1);
});

test("a group is approved with one press once it is read and armed, and the sets that miss something are named", async () => {
  const review = await reviewing(["r-close", "r-edit"]);
  const buttons = within(review).getAllByTestId("review-approve");
  expect(buttons.map((button) => button.textContent?.replace(/\s+/g, " ").trim())).toHaveLength(2);
  buttons[0]!.click();
  await open.pass(20);
  expect(open.requests("stage")).toHaveLength(0);
  await open.settle();
  await open.settle();
  within(review).getAllByTestId("review-approve")[0]!.click();
  await open.pass(50);
  expect(open.requests("stage").map((one) => [one.id, one.decision.say, one.digest])).toEqual([
    ["r-close", "approve", "digest of r-close"],
  ]);
  expect(review).toHaveTextContent("Ticket triage needs 2 more.");
  expect(open.requests("send")).toHaveLength(0);
});

test("rejecting takes a reason, and takes what is high risk along", async () => {
  const review = await reviewing(["r-close", "r-push"]);
  await open.settle();
  within(review).getByTestId("review-reject").click();
  await open.pass(20);
  const field = within(review).getByTestId<HTMLTextAreaElement>("reject-reason");
  field.value = "not today";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await open.press("Enter", {}, field);
  await open.pass(50);
  expect(open.requests("stage").map((one) => [one.id, one.decision])).toEqual([
    ["r-close", { say: "reject", reason: "not today" }],
    ["r-push", { say: "reject", reason: "not today" }],
  ]);
});

test("no letter decides there, and Esc goes back with nothing decided", async () => {
  await reviewing(["r-close", "r-edit"]);
  await open.settle();
  await open.press("a");
  await open.press("r");
  await open.press("Enter");
  await open.press("Escape");
  expect(screen.queryByTestId("review")).toBeNull();
  expect(open.requests("stage")).toHaveLength(0);
});

test("a stale payload stops the rest: nothing is decided past it", async () => {
  open = await openWindow();
  for (const id of ["r-close", "r-edit"]) {
    open.app.inbox.select(id);
    await open.press("x");
  }
  const detail = open.ipc.details.get("r-edit")!;
  await open.press("Enter");
  await open.pass(50);
  open.ipc.details.set("r-edit", { ...detail, state: { is: "open", digest: "another", draft: null, changed: false } });
  await open.settle();
  await open.settle();
  const buttons = screen.getAllByTestId("review-approve");
  buttons[buttons.length - 1]!.click();
  await open.pass(50);
  expect(within(screen.getByTestId("review")).getByRole("alert")).toHaveTextContent("What is shown changed");
  expect(open.app.inbox.find("r-edit")?.row.draft).toBeNull();
});
