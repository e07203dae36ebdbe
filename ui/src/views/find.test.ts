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

async function type(testid: string, text: string) {
  const field = screen.getByTestId<HTMLInputElement>(testid);
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await open.pass(300);
  return field;
}

test("/ finds words that were said, Enter goes to them, Esc closes", async () => {
  open = await openWindow(undefined, "#/conversations/triage");
  await open.settle();
  const first = open.ipc.transcripts["triage"]!.find((entry) => entry.body.e === "user")!;
  const word = first.body.e === "user" ? (first.body.text[0]?.s ?? "").split(" ")[0]! : "";
  await open.press("/");
  const field = await type("find-text", word.toUpperCase());
  expect(field).toHaveFocus();
  const places = within(screen.getByTestId("find")).getAllByRole("listitem");
  expect(places.length).toBeGreaterThan(0);
  await open.press("Enter", {}, field);
  expect(document.querySelector("[data-testid=transcript] .found")).not.toBeNull();
  expect(within(screen.getByTestId("find")).getByRole("status")).toHaveTextContent(/^1 of/);
  await type("find-text", "no such words");
  expect(within(screen.getByTestId("find")).getByRole("status")).toHaveTextContent("Nothing found");
  await open.press("Escape", {}, field);
  expect(screen.queryByTestId("find")).toBeNull();
});

test("the list is filtered by name and agent, and says when nothing fits", async () => {
  open = await openWindow(undefined, "#/conversations");
  await open.settle();
  const all = document.querySelectorAll("[data-testid^='conversation-']").length;
  await type("filter-conversations", "nightly");
  const left = document.querySelectorAll("[data-testid^='conversation-']").length;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(all);
  await type("filter-conversations", "zzz");
  expect(screen.getByText("No conversation is called “zzz”, and none says it.")).toBeVisible();
});

test("/ finds calls too, and one that was folded away is shown by itself", async () => {
  open = await openWindow(undefined, "#/conversations/nightly");
  await open.settle();
  expect(document.querySelector("[data-call='c3']")).toBeNull();
  await open.press("/");
  const field = await type("find-text", "nextest");
  const places = within(screen.getByTestId("find")).getAllByRole("listitem");
  expect(places.map((place) => place.textContent)).toEqual([expect.stringContaining("Call")]);
  await open.press("Enter", {}, field);
  const call = document.querySelector("[data-call='c3']");
  expect(call).toHaveClass("found");
  expect(call).toHaveTextContent("cargo nextest run");
});

test("what a sub-agent said is found, and its block unfolds for it", async () => {
  const inner = (seq: number, text: string) => ({
    seq,
    at: 0,
    end: null,
    marks: [],
    body: { e: "user" as const, text: [{ t: "text" as const, s: text }] },
  });
  open = await openWindow((ipc) => {
    const entry = ipc.transcripts["nightly"]!.find((one) => one.body.e === "assistant")!;
    if (entry.body.e !== "assistant") return;
    const [call] = entry.body.calls;
    const agent = {
      name: [{ t: "text" as const, s: "researcher" }],
      beside: false,
      words: "done",
      tone: "ran" as const,
    };
    entry.body.calls = [{ ...call!, agent: { ...agent, entries: [inner(901, "Look for marmots.")] } }];
  }, "#/conversations/nightly");
  await open.settle();
  expect(screen.queryByText("Look for marmots.")).toBeNull();
  await open.press("/");
  const field = await type("find-text", "marmots");
  await open.press("Enter", {}, field);
  await open.pass(20);
  expect(screen.getAllByText("Look for marmots.")).toHaveLength(2);
  expect(document.querySelector("[data-entry='entry 901']")).toHaveClass("found");
});

test("the list finds conversations by words that were said, and opens them there", async () => {
  open = await openWindow(undefined, "#/conversations");
  await open.settle();
  await type("filter-conversations", "baseline");
  const said = within(screen.getByTestId("said")).getAllByRole("listitem");
  expect(said.map((one) => one.textContent)).toEqual([expect.stringContaining("Compare the site with the baseline.")]);
  expect(screen.queryByText(/^No conversation is called/)).toBeNull();
  screen.getByTestId("said-nightly").click();
  await open.pass(100);
  expect(location.hash).toBe("#/conversations/nightly");
  expect(document.querySelector("[data-entry].found")).toHaveAttribute("data-entry", "entry 1");
  await type("filter-conversations", "nightly");
  expect(screen.queryByTestId("said")).toBeNull();
});

test("a conversation is exported from its menu, as Markdown first, with secrets masked", async () => {
  open = await openWindow(undefined, "#/conversations/triage");
  await open.settle();
  open.app.keyboard.run("back");
  screen.getByRole("button", { name: "More" }).click();
  await open.pass(20);
  screen.getByTestId("export-conversation").click();
  await open.pass(50);
  screen.getByTestId("sheet-confirm").click();
  await open.pass(50);
  expect(open.requests("export_conversation")[0]).toMatchObject({
    conversation: "triage",
    format: "markdown",
    masked: true,
  });
  expect(screen.getByTestId("export-done")).toHaveTextContent("4 messages written.");
});

test("deleting says what expires and how many decisions history keeps (f.9)", async () => {
  open = await openWindow(undefined, "#/conversations/triage");
  await open.settle();
  screen.getByRole("button", { name: "More" }).click();
  await open.pass(20);
  screen.getByRole("menuitem", { name: "Delete…" }).click();
  await open.pass(50);
  const sheet = screen.getByRole("dialog", { name: "Delete Ticket triage?" });
  expect(sheet).toHaveTextContent("3 open requests expire. History keeps its 41 decisions.");
});
