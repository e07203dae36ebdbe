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

async function edit(index: number, text: string) {
  const field = screen.getByTestId<HTMLTextAreaElement>(`correct-${index}`);
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await open.pass(20);
  return field;
}

test("E opens an editor in the payload's place; what leaves is a rejection with only what was changed (surface 74)", async () => {
  open = await openWindow();
  await open.settle();
  await open.press("e");
  expect(screen.getByTestId("correction-editor")).toBeVisible();
  expect(screen.getByTestId("payload")).not.toBeVisible();
  expect(screen.queryByTestId("approve")).toBeNull();
  expect(screen.getByTestId("correct-confirm")).toHaveAttribute("aria-disabled", "true");
  const field = await edit(0, "git push origin main");
  await open.press("Enter", { ctrlKey: true }, field);
  expect(open.requests("stage")[0]?.decision).toEqual({
    say: "correct",
    edits: [{ key: "command", value: '"git push origin main"' }],
  });
  expect(within(screen.getByTestId("row-r-close")).getByText("will reject")).toBeVisible();
  expect(screen.queryByTestId("correction-editor")).toBeNull();
});

test("what isn't JSON can't leave, and an argument can be left out", async () => {
  open = await openWindow();
  await open.settle();
  await open.press("e");
  const field = await edit(1, "soon");
  expect(within(screen.getByTestId("correction-editor")).getByRole("alert")).toHaveTextContent("no JSON");
  await open.press("Enter", { ctrlKey: true }, field);
  expect(open.requests("stage")).toHaveLength(0);
  screen.getByRole("checkbox", { name: "Don't send timeout_s" }).click();
  await open.pass(20);
  await open.press("Enter", { ctrlKey: true }, field);
  expect(open.requests("stage")[0]?.decision).toEqual({ say: "correct", edits: [{ key: "timeout_s", value: null }] });
});

test("while it is open nothing approves or rejects by a key, and what was typed is kept", async () => {
  open = await openWindow();
  await open.settle();
  await open.press("e");
  await edit(0, "git pull");
  await open.settle();
  await open.press("a");
  await open.press("r");
  expect(open.requests("stage")).toHaveLength(0);
  await open.press("Escape", {}, screen.getByTestId("correct-0"));
  expect(screen.queryByTestId("correction-editor")).toBeNull();
  await open.press("e");
  expect(screen.getByTestId("correct-0")).toHaveValue("git pull");
});

test("Change opens it again with what was edited", async () => {
  open = await openWindow();
  await open.settle();
  await open.press("e");
  await open.press("Enter", { ctrlKey: true }, await edit(0, "git pull"));
  open.app.inbox.select("r-close");
  await open.pass(50);
  screen.getByTestId("change").click();
  await open.pass(50);
  expect(screen.getByTestId("correct-0")).toHaveValue("git pull");
});

test("the request that comes back says whether it matches", async () => {
  open = await openWindow((ipc) => {
    const detail = ipc.details.get("r-close")!;
    ipc.details.set("r-close", { ...detail, correction: { at: Date.now(), differences: [], more: 0 } });
    const other = ipc.details.get("r-push")!;
    const differences = ipc.beside.similar[0]!.differences;
    ipc.details.set("r-push", { ...other, correction: { at: Date.now(), differences, more: 2 } });
  });
  await open.settle();
  expect(screen.getByTestId("correction")).toHaveTextContent("Matches your correction");
  await open.press("j");
  expect(screen.getByTestId("correction")).toHaveTextContent("Differs from your correction");
  expect(screen.getByTestId("correction")).toHaveTextContent("2 arguments more differ");
});

test("similar decisions and the last turns are there when somebody opens them", async () => {
  open = await openWindow();
  await open.settle();
  expect(open.requests("similar")).toHaveLength(0);
  screen.getByTestId("open-similar").click();
  screen.getByTestId("open-context").click();
  await open.pass(50);
  const similar = screen.getByTestId("similar");
  expect(similar).toHaveTextContent("last approved");
  expect(similar.querySelector("del")).toHaveTextContent("origin main");
  expect(similar.querySelector("ins")).toHaveTextContent("--force");
  expect(similar).toHaveTextContent("the same arguments");
  expect(screen.getByTestId("context")).toBeVisible();
});

test("a recent reason is ⇧R, down and Enter (f.2) (accept 26)", async () => {
  open = await openWindow();
  await open.settle();
  await open.press("R", { shiftKey: true });
  const field = screen.getByTestId<HTMLTextAreaElement>("reject-reason");
  await open.press("ArrowDown", {}, field);
  const chip = document.activeElement!;
  expect(chip).toHaveTextContent("use --dry-run first");
  await open.press("Enter", {}, chip);
  expect(open.requests("stage")[0]?.decision).toEqual({ say: "reject", reason: "use --dry-run first" });
});
