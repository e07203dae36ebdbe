import { screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { days, months, mostPages, toggled, tokensOf } from "../lib/state/history.svelte";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;
beforeEach(() => void vi.useFakeTimers({ now: new Date(2026, 10, 20, 14, 0) }));
afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

const user = userEvent.setup({ delay: null });
const box = () => screen.getByTestId<HTMLInputElement>("history-query");
const rows = () => screen.queryAllByTestId("history-row");

async function type(text: string) {
  await user.clear(box());
  if (text !== "") await user.type(box(), text);
  await open.pass(400);
}

test("the slash focuses the box, and what is typed is searched and said in words", async () => {
  open = await openWindow(undefined, "#/history");
  await open.press("/");
  expect(box()).toHaveFocus();
  await type("is:rejected tool:run_command");
  expect(rows()).toHaveLength(2);
  expect(screen.getByTestId("history-filter-words")).toHaveTextContent("rejected, run_command · 2 of 41");
  await user.click(screen.getByRole("button", { name: "Clear" }));
  await open.pass(50);
  expect(box()).toHaveValue("");
  expect(rows().length).toBeGreaterThan(5);
});

test("a token that can't be read is said with a sentence, and what was found stays", async () => {
  open = await openWindow(undefined, "#/history");
  await type("is:rejected");
  expect(rows()).toHaveLength(2);
  await type("is:rejected is:gone");
  expect(rows()).toHaveLength(2);
  expect(screen.getByText(/“gone” isn't one of/)).toBeVisible();
  expect(box()).toHaveAccessibleDescription(/isn't one of/);
  expect(box()).toBeInvalid();
  const marked = [...document.querySelectorAll(".marks .faulty")].map((one) => one.textContent);
  expect(marked).toEqual(["is:gone"]);
});

test("nothing found says what was looked for, and how to go back", async () => {
  open = await openWindow(undefined, "#/history");
  await type("zebra");
  expect(screen.getByText("No decision matches")).toBeVisible();
  expect(screen.getAllByText(/with “zebra”/).length).toBeGreaterThan(0);
  await user.click(screen.getAllByRole("button", { name: "Clear" }).at(-1)!);
  await open.pass(50);
  expect(rows().length).toBeGreaterThan(5);
});

test("a facet writes its token into the box and takes it out again, by key too", async () => {
  open = await openWindow(undefined, "#/history");
  box().focus();
  await user.keyboard("{ArrowDown}");
  await open.pass(50);
  const panel = screen.getByTestId("history-facets");
  const rejected = within(panel).getByRole("button", { name: /^rejected/ });
  expect(rejected).toHaveTextContent("2");
  await user.click(rejected);
  await open.pass(50);
  expect(box()).toHaveValue("is:rejected");
  expect(rows()).toHaveLength(2);
  const chosen = within(screen.getByTestId("history-facets")).getByRole("button", { name: /^rejected/ });
  expect(chosen).toHaveAttribute("aria-pressed", "true");
  await user.click(chosen);
  await open.pass(50);
  expect(box()).toHaveValue("");
  await user.keyboard("{Escape}");
  expect(screen.queryByTestId("history-facets")).toBeNull();
});

test("a search is kept and found again", async () => {
  open = await openWindow(undefined, "#/history");
  await type("is:expired");
  await user.click(screen.getByTestId("history-save"));
  await open.pass(50);
  expect(open.requests("save_settings")[0]?.settings.searches).toEqual([{ name: "is:expired", query: "is:expired" }]);
  expect(screen.getByTestId("history-save")).toHaveAttribute("aria-pressed", "true");
  await type("");
  await user.click(screen.getByTestId("history-filter"));
  await open.pass(50);
  await user.click(within(screen.getByTestId("history-facets")).getByRole("button", { name: "is:expired" }));
  await open.pass(50);
  expect(box()).toHaveValue("is:expired");
});

test("however far somebody goes, the window holds two thousand rows, and the newest come back", async () => {
  open = await openWindow((ipc) => {
    ipc.past.page = 3;
    ipc.past.fill(100);
  }, "#/history");
  for (let more = 0; more < mostPages + 4; more++) {
    screen.getByRole("button", { name: "Show older" }).click();
    await open.pass(20);
  }
  expect(mostPages * 100).toBe(2000);
  expect(rows()).toHaveLength(mostPages * 3);
  const first = rows()[0]!.dataset["row"];
  for (let more = 0; more < 5; more++) {
    screen.getByRole("button", { name: "Show newer" }).click();
    await open.pass(20);
  }
  expect(rows()).toHaveLength(mostPages * 3);
  expect(rows()[15]!.dataset["row"]).toBe(first);
  expect(rows()[0]!.dataset["row"]).toBe("h-1234");
  expect(screen.queryByRole("button", { name: "Show newer" })).toBeNull();
}, 20_000);

test("the rail goes to a month, by press and by key", async () => {
  open = await openWindow((ipc) => {
    ipc.past.page = 5;
    ipc.past.fill(3000);
  }, "#/history");
  const rail = screen.getByTestId("date-rail");
  const all = within(rail).getAllByRole("button");
  expect(all.length).toBeGreaterThan(3);
  expect(all[0]).toHaveAttribute("aria-current", "true");
  all[2]!.click();
  await open.pass(50);
  expect(within(rail).getAllByRole("button")[2]).toHaveAttribute("aria-current", "true");
  expect(screen.getByRole("button", { name: "Show newer" })).toBeVisible();
  await open.press("PageUp", { ctrlKey: true });
  expect(within(rail).getAllByRole("button")[1]).toHaveAttribute("aria-current", "true");
  await open.press("PageDown", { ctrlKey: true });
  expect(within(rail).getAllByRole("button")[2]).toHaveAttribute("aria-current", "true");
}, 20_000);

test("a record that doesn't add up is said with its place", async () => {
  open = await openWindow((ipc) => {
    const at = new Date(2026, 2, 2, 14, 2).getTime();
    ipc.past.chain = { is: "broken", entry: 20_114, at, before: 5, shorter: false };
  }, "#/history");
  const strip = screen.getByTestId("chain-broken");
  expect(strip).toHaveTextContent("The record doesn't add up from 2 March 14:02 (entry 20,114).");
  within(strip).getByRole("button", { name: "Show" }).click();
  await open.pass(50);
  expect(open.requests("history").at(-1)).toEqual({ before: 5, query: "" });
});

test("the record is checked when somebody asks", async () => {
  open = await openWindow(undefined, "#/history");
  await open.pass(120_000);
  screen.getByTestId("verify-chain").click();
  await open.pass(50);
  expect(open.requests("verify_chain")).toHaveLength(1);
  expect(screen.getByText(/record checked just now, intact/)).toBeVisible();
});

test("an export says what goes into it, masks unless told otherwise, and shows its hash (surface 88)", async () => {
  open = await openWindow(undefined, "#/history");
  await type("is:rejected");
  screen.getByTestId("history-export").click();
  await open.pass(50);
  const sheet = screen.getByRole("dialog");
  expect(sheet).toHaveTextContent("2 decisions: rejected.");
  expect(screen.getByTestId("export-masked")).toBeChecked();
  await user.click(within(sheet).getByRole("radio", { name: "CSV" }));
  await open.pass(50);
  const path = screen.getByTestId("export-path");
  expect(path).toHaveValue("/home/me/Downloads/countersign-history-2026-12-01.csv");
  await user.clear(path);
  await user.type(path, "here.csv");
  await user.click(screen.getByTestId("sheet-confirm"));
  await open.pass(50);
  expect(within(sheet).getByRole("alert")).toHaveTextContent("Write the whole path");
  await user.clear(path);
  await user.type(path, "/tmp/here.csv");
  await user.click(screen.getByTestId("sheet-confirm"));
  await open.pass(50);
  expect(open.requests("export_history").at(-1)).toEqual({
    query: "is:rejected",
    format: "csv",
    masked: true,
    path: "/tmp/here.csv",
  });
  expect(sheet).toHaveTextContent("2 decisions written.");
  expect(sheet).toHaveTextContent("9f86d081884c7d65");
});

test("before a span is deleted it is said how many decisions go", async () => {
  open = await openWindow(undefined, "#/history");
  screen.getByTestId("history-erase").click();
  await open.pass(50);
  const from = screen.getByTestId<HTMLInputElement>("erase-from");
  const to = screen.getByTestId<HTMLInputElement>("erase-to");
  await user.clear(from);
  await user.type(from, "2026-11-20");
  await user.clear(to);
  await user.type(to, "2026-11-19");
  await open.pass(50);
  expect(screen.getByTestId("erase-going")).toHaveTextContent("The last day lies before the first.");
  expect(screen.getByTestId("sheet-confirm")).toHaveAttribute("aria-disabled", "true");
  await user.clear(to);
  await user.type(to, "2026-11-20");
  await open.pass(50);
  const said = screen.getByTestId("erase-going").textContent;
  expect(said).toMatch(/^\s*\d+ decisions will go for good\.\s*$/);
  await user.click(screen.getByTestId("sheet-confirm"));
  await open.pass(50);
  const span = { from: new Date(2026, 10, 20).getTime(), to: new Date(2026, 10, 21).getTime() };
  expect(open.requests("erase_history")).toEqual([{ span }]);
  expect(screen.getByRole("dialog")).toHaveTextContent(/\d+ decisions are gone/);
});

test("N-84: how long decisions are kept is changed after it was said how many go", async () => {
  open = await openWindow((ipc) => ipc.past.fill(3000), "#/settings/data");
  await user.selectOptions(screen.getByTestId("keep-days"), "30 days");
  await open.pass(50);
  expect(open.requests("save_settings")).toEqual([]);
  expect(screen.getByTestId("keep-going")).toHaveTextContent(/decisions older than 30 days will go for good/);
  await user.click(screen.getByTestId("sheet-confirm"));
  await open.pass(50);
  expect(open.requests("save_settings").at(-1)?.settings.keep_days).toBe(30);
  await user.selectOptions(screen.getByTestId("keep-days"), "for good");
  await open.pass(50);
  expect(open.requests("save_settings").at(-1)?.settings.keep_days).toBeNull();
});

test("a decision shows its way and that its bytes are those that were decided on", async () => {
  open = await openWindow(undefined, "#/history/h-push");
  const record = screen.getByTestId("decision-record");
  expect(
    within(record)
      .getAllByRole("listitem")
      .map((one) => one.textContent?.trim().split(/\s/)[0]),
  ).toEqual(["asked", "decided"]);
  expect(screen.getByTestId("record-digest")).toHaveTextContent("✓ matches the stored bytes");
});

test("the charts have their numbers in tables", async () => {
  open = await openWindow(undefined, "#/history");
  screen.getByTestId("history-charts").click();
  await open.pass(50);
  const tables = within(screen.getByRole("dialog")).getAllByRole("table");
  expect(tables).toHaveLength(3);
  expect(within(tables[0]!).getAllByRole("row")).toHaveLength(31);
});

test("tokens are told apart as they are written", () => {
  expect(tokensOf('is:rejected by:rule:"no sudo" "two words"')).toEqual([
    "is:rejected",
    'by:rule:"no sudo"',
    '"two words"',
  ]);
  expect(toggled("force is:ran", "is:ran")).toBe("force");
  expect(toggled("force", "is:ran")).toBe("force is:ran");
});

test("days and months are the person's, whatever the clock does in between", () => {
  open = { app: { stop: () => undefined } } as never;
  const all = days(new Date(2026, 10, 2, 15).getTime(), 30);
  expect(all).toHaveLength(30);
  expect(new Date(all[29]!.from)).toEqual(new Date(2026, 10, 2));
  expect(all.every((one, at) => at === 0 || all[at - 1]!.to === one.from)).toBe(true);
  const some = months(new Date(2025, 10, 30).getTime(), new Date(2026, 0, 1).getTime());
  expect(some.map((one) => new Date(one.from).getMonth())).toEqual([0, 11, 10]);
});
