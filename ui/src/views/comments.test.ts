import { whole } from "../lib/long";
import { cleanup, screen } from "@testing-library/svelte";
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

async function plan() {
  open = await openWindow();
  open.app.inbox.select("r-plan");
  await open.pass(50);
  await open.settle();
}

async function comment(text: string) {
  const field = screen.getByTestId<HTMLTextAreaElement>("comment-text");
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await open.press("Enter", {}, field);
  await open.settle();
}

/** The key budget of (f.2): step by J, C text Enter, ⇧R Enter. */
test("a plan goes back with a comment on a step, by keys (accept 26)", async () => {
  await plan();
  const text = screen.getByTestId("plan-text");
  text.focus();
  for (let n = 0; n < 3; n += 1) await open.press("j", {}, text);
  expect(document.querySelector("li.at")).toHaveTextContent("Bump the version");
  await open.press("c", {}, text);
  await comment("Leave the docs for the docs team.");
  expect(text).toHaveFocus();
  expect(screen.getByTestId("comment")).toHaveTextContent("You, on step 3");
  expect(screen.getByTestId("send-back")).toHaveTextContent("Send back, 1 comment");
  await open.press("R", { shiftKey: true });
  const reason = screen.getByTestId("reject-reason");
  await open.press("Enter", {}, reason);
  expect(open.requests("stage")[0]?.decision).toEqual({
    say: "reject",
    reason: "On “Bump the version in Cargo.toml and the docs.”: Leave the docs for the docs team.",
  });
});

test("with comments A approves nothing: it says what approving would drop", async () => {
  await plan();
  await open.press("c");
  await comment("Not this.");
  await open.press("a");
  await open.pass(20);
  expect(open.requests("stage")).toHaveLength(0);
  const items = screen.getAllByRole("menuitem").map((item) => item.textContent?.trim());
  expect(items).toEqual(["Approve and drop 1 comment", "Approve into Auto and drop 1 comment…"]);
  await open.settle();
  screen.getByTestId("approve-drop").click();
  await open.pass(20);
  expect(open.requests("stage")[0]?.decision).toEqual({
    say: "approve_plan",
    into: "default",
    only_this_plan: false,
    ends_at: null,
  });
});

test("an empty comment goes with a key, and Esc keeps one that says something", async () => {
  await plan();
  await open.press("c");
  await open.press("Backspace", {}, screen.getByTestId("comment-text"));
  expect(screen.queryByTestId("comment")).toBeNull();
  await open.press("c");
  const field = screen.getByTestId<HTMLTextAreaElement>("comment-text");
  field.value = "keep me";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await open.press("Escape", {}, field);
  expect(screen.getByTestId("comment")).toHaveTextContent("keep me");
  expect(screen.getByTestId("approve-menu")).toBeVisible();
});

test("comments are kept over a restart of the window", async () => {
  await plan();
  await open.press("c");
  await comment("Not this.");
  await open.pass(500);
  const kept = open.ipc.drafts.get("r-plan") ?? "";
  expect(kept).toContain("Not this.");
  open.app.stop();
  cleanup();
  open = await openWindow((ipc) => ipc.drafts.set("r-plan", kept));
  open.app.inbox.select("r-plan");
  await open.pass(50);
  expect(screen.getByTestId("comment")).toHaveTextContent("Not this.");
});

test("what changed since the plan that was sent back opens beside it", async () => {
  open = await openWindow((ipc) => {
    const detail = ipc.details.get("r-plan")!;
    if (detail.payload.p !== "plan") return;
    const lines = [
      {
        d: "added" as const,
        begins: false,
        new: 1,
        parts: [{ text: [{ t: "text" as const, s: "3. Test" }], changed: false }],
      },
    ];
    ipc.details.set("r-plan", {
      ...detail,
      payload: { ...detail.payload, since: { added: 2, removed: 1, lines: whole(lines) } },
    });
  });
  open.app.inbox.select("r-plan");
  await open.pass(50);
  const link = screen.getByTestId("plan-since");
  expect(link).toHaveTextContent("+2 −1");
  link.click();
  await open.pass(20);
  expect(screen.getByTestId("plan-diff")).toHaveTextContent("3. Test");
});
