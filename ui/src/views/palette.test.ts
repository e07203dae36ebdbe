import { screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Piece } from "../lib/ipc/bindings";
import { keymap } from "../lib/keys";
import { t } from "../lib/messages";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;
let user: ReturnType<typeof userEvent.setup>;

beforeEach(() => {
  vi.useFakeTimers();
  user = userEvent.setup({ advanceTimers: (milliseconds) => vi.advanceTimersByTime(milliseconds) });
});

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

const palette = () => screen.queryByTestId("palette");
const field = () => screen.getByTestId<HTMLInputElement>("palette-field");
const entries = () => screen.queryAllByTestId("palette-entry");
const ids = () => entries().map((one) => one.dataset.entry);
const entry = (id: string) => entries().find((one) => one.dataset.entry === id)!;
const active = () => document.getElementById(field().getAttribute("aria-activedescendant") ?? "");
const call = (repeat = false) => open.press("k", { ctrlKey: true, repeat }, document.activeElement ?? document.body);

/** Nothing that lets a call run, keeps one from it, or sends anything. */
function nothingDecided() {
  const decided = ["stage", "unstage", "send", "steer", "start_conversation", "start_quick_task", "tighten", "stop"];
  expect(open.ipc.calls.filter((one) => decided.includes(one.name))).toEqual([]);
}

async function pick(typed: string, id: string, enter = "{Enter}") {
  await call();
  await user.type(field(), typed);
  expect(active()?.dataset.entry).toBe(id);
  await user.keyboard(enter);
  await open.pass(50);
}

test("Mod+K opens it with the field focused; Esc gives the focus back to where it was", async () => {
  open = await openWindow(() => undefined, "#/conversations/nightly");
  const composer = await screen.findByTestId("composer");
  composer.focus();
  await call();
  expect(field()).toHaveFocus();
  expect(field()).toHaveAttribute("role", "combobox");
  await user.keyboard("{Escape}");
  await open.pass(20);
  expect(palette()).toBeNull();
  expect(composer).toHaveFocus();
});

test("its key shuts it again, and held down neither opens nor shuts it", async () => {
  open = await openWindow();
  await call(true);
  expect(palette()).toBeNull();
  await call();
  await call(true);
  await call(true);
  expect(palette()).not.toBeNull();
  await call();
  expect(palette()).toBeNull();
});

test("it opens with single keys off, and shows none of those that are", async () => {
  open = await openWindow((ipc) => {
    ipc.snapshot.settings = { ...ipc.snapshot.settings, single_keys: false };
  });
  await call();
  expect(within(entry("approve")).queryByText("A")).toBeNull();
  expect(within(entry("undo")).getByText("Ctrl Z")).toBeInTheDocument();
  expect(within(entry("quick-task")).getByText("Ctrl N")).toBeInTheDocument();
});

test("it doesn't open over a sheet that asks something", async () => {
  open = await openWindow();
  await open.settle();
  await open.press("A", { shiftKey: true });
  expect(screen.getByTestId("sheet-confirm")).toBeInTheDocument();
  await call();
  expect(palette()).toBeNull();
});

test("the selected request comes first, then screens, conversations, settings, what is started, tool servers", async () => {
  open = await openWindow((ipc) => ipc.addServers());
  await open.settle();
  await call();
  const groups = within(screen.getByRole("listbox")).getAllByRole("group");
  expect(groups.map((one) => one.querySelector(".heading span")?.textContent)).toEqual(
    ["request", "screens", "conversations", "settings", "start", "servers", "more"].map(
      (group) => t.paletteGroups[group as keyof typeof t.paletteGroups],
    ),
  );
  expect(groups[0]).toHaveTextContent("Call close_ticket");
  expect(ids().slice(0, 5)).toEqual(["approve", "approve-more", "reject", "reject-reason", "send"]);
  expect(ids()).toContain("agent agent-1");
  expect(ids()).toContain("server server-1");
  for (const line of entries()) {
    const inTable = keymap.find((one) => one.id === line.dataset.entry);
    if (inTable && !inTable.decides) expect(line).toHaveTextContent(t.keyLabels[inTable.id]);
  }
});

test("arrows go through the lines and around, past nothing that is off", async () => {
  open = await openWindow();
  await call();
  const all = ids();
  expect(active()?.dataset.entry).toBe(all[0]);
  for (let n = 1; n <= 5; n += 1) {
    await user.keyboard("{ArrowDown}");
    expect(active()?.dataset.entry).toBe(all[n]);
  }
  expect(active()).toHaveAttribute("aria-selected", "true");
  await user.keyboard("{ArrowUp>6/}");
  expect(active()?.dataset.entry).toBe(all[all.length - 1]);
  await user.tab();
  expect(field()).toHaveFocus();
});

test("what can't be done now says why, and Enter says it again instead of doing it", async () => {
  open = await openWindow((ipc) => {
    ipc.snapshot = { ...ipc.snapshot, sets: [], closed: [], agents: [] };
  });
  await call();
  expect(active()?.dataset.entry).toBe("go-inbox");
  for (const [id, why] of [
    ["approve", t.paletteNoRequest],
    ["send", t.paletteNothingStaged],
    ["undo", t.nothingToUndo],
    ["mode", t.paletteNoConversation],
    ["new-conversation", t.noAgents],
    ["quick-task", t.noAgents],
  ] as const) {
    expect(entry(id)).toHaveAttribute("aria-disabled", "true");
    expect(entry(id)).toHaveTextContent(why);
  }
  await user.type(field(), "approve");
  await user.keyboard("{Enter}");
  await open.pass(1100);
  expect(palette()).not.toBeNull();
  expect(open.app.announcer.polite).toBe(t.paletteNoRequest);
  nothingDecided();
});

test("a decided request says so, and so does a closed one", async () => {
  open = await openWindow();
  await open.app.stage("r-edit", "digest of r-edit", { say: "approve" });
  open.app.inbox.select("r-edit");
  await open.pass(50);
  await call();
  expect(entry("approve")).toHaveTextContent(t.paletteDecided);
  expect(entry("undo")).toHaveAttribute("aria-disabled", "false");
  expect(entry("send")).toHaveAttribute("aria-disabled", "false");
  await call();
  open.app.inbox.reveal("h-mail");
  await open.pass(50);
  await call();
  expect(entry("reject")).toHaveTextContent(t.paletteClosed);
});

test("Approve… opens the request, stages nothing, and what is pressed on with it doesn't count either", async () => {
  open = await openWindow(() => undefined, "#/history");
  await open.settle();
  await pick("approve", "approve");
  expect(palette()).toBeNull();
  expect(open.app.router.screen).toBe("inbox");
  expect(screen.getByTestId("detail")).toHaveFocus();
  expect(open.app.request.detail?.id).toBe(open.app.inbox.selected);
  await open.press("a", {}, screen.getByTestId("detail"));
  nothingDecided();
  await open.settle();
  await open.settle();
  await open.press("a", {}, screen.getByTestId("detail"));
  expect(open.requests("stage")).toHaveLength(1);
});

test("what is pressed right after Approve… about the request that was on the screen already doesn't count", async () => {
  open = await openWindow();
  await open.settle();
  await call();
  await open.settle();
  await user.keyboard("{Enter}");
  await open.pass(20);
  expect(screen.getByTestId("detail")).toHaveFocus();
  await open.press("a", {}, screen.getByTestId("detail"));
  nothingDecided();
});

test("no entry decides or sends, whatever the request is (surface 16)", async () => {
  for (const request of ["r-close", "r-push", "r-plan", "r-late", "r-ask"]) {
    open = await openWindow((ipc) => ipc.ask());
    await open.settle();
    open.app.inbox.select(request);
    await open.settle();
    await call();
    const first = ids().filter((id) => ["approve", "approve-more", "reject", "reject-reason", "send"].includes(id!));
    expect(first).toContain("approve");
    for (const id of first) {
      if (palette() === null) await call();
      await open.settle();
      entry(id!).click();
      await open.settle();
    }
    nothingDecided();
    open.app.stop();
    document.body.replaceChildren();
  }
});

test("the keyboard does no deciding action for anybody, however it is asked", async () => {
  open = await openWindow();
  await open.settle();
  for (const one of keymap.filter((candidate) => candidate.decides)) expect(open.app.keyboard.run(one.id)).toBe(false);
  await open.pass(50);
  nothingDecided();
});

test("each screen's entry does what its key does", async () => {
  open = await openWindow();
  for (const name of ["conversations", "history", "rules", "settings", "inbox"] as const) {
    await pick(name, `go-${name}`);
    expect(open.app.router.screen).toBe(name);
  }
});

test("a conversation, a section and a server are gone to", async () => {
  open = await openWindow((ipc) => ipc.addServers());
  await pick("garden", "conversation garden");
  expect([open.app.router.screen, open.app.router.part]).toEqual(["conversations", "garden"]);
  await pick("data & priv", "section data");
  expect([open.app.router.screen, open.app.router.part]).toEqual(["settings", "data"]);
  expect(screen.getByTestId("settings-data")).toHaveFocus();
  await pick("calendar", "server server-2");
  expect(open.app.router.part).toBe("tools:server-2");
});

test("undo, raw and the request's conversation do what their keys do", async () => {
  open = await openWindow();
  await open.app.stage("r-edit", "digest of r-edit", { say: "approve" });
  await pick("newest decision", "undo");
  expect(open.requests("unstage")).toEqual([{ id: "r-edit" }]);
  const raw = open.app.keyboard;
  const run = vi.spyOn(raw, "run");
  await pick("exact stored", "raw");
  expect(run).toHaveLastReturnedWith(true);
  await pick("open the conversation", "open-conversation");
  expect(open.app.router.screen).toBe("conversations");
  await call();
  expect(entry("raw")).toHaveTextContent(t.paletteNotShown);
});

test("a new conversation starts with the agent that was chosen, and only its sheet opens", async () => {
  open = await openWindow(() => undefined, "#/history");
  await pick("with release", "agent agent-2");
  expect(screen.getByTestId<HTMLSelectElement>("new-agent").value).toBe("agent-2");
  await open.press("Escape");
  await open.press("N", { ctrlKey: true, shiftKey: true });
  expect(screen.getByTestId<HTMLSelectElement>("new-agent").value).toBe("agent-1");
  nothingDecided();
});

test("a held Enter starts nothing in what the entry opened", async () => {
  open = await openWindow();
  open.app.quick.text = "kept from before";
  await pick("quick", "quick-task", "{Enter>}");
  const text = screen.getByTestId("quick-text");
  await open.press("Enter", { repeat: true }, text);
  nothingDecided();
  await open.press("Enter", { repeat: true }, screen.getByRole("dialog"));
  nothingDecided();
  text.dispatchEvent(new KeyboardEvent("keyup", { key: "Enter", bubbles: true }));
  await open.press("Enter", {}, text);
  expect(open.requests("start_quick_task")).toHaveLength(1);
});

test("a held Enter doesn't send what is kept in the conversation that was gone to", async () => {
  open = await openWindow();
  open.app.typing.write("garden", "kept from before");
  await pick("garden", "conversation garden", "{Enter>}");
  for (let n = 0; n < 3; n += 1) await open.press("Enter", { repeat: true }, document.activeElement ?? document.body);
  expect(screen.getByTestId("composer")).not.toHaveFocus();
  nothingDecided();
});

test("an input method's Enter and a held one run nothing", async () => {
  open = await openWindow();
  await call();
  await user.type(field(), "history");
  await open.press("Enter", { isComposing: true }, field());
  await open.press("Enter", { repeat: true }, field());
  expect(palette()).not.toBeNull();
  expect(open.app.router.screen).toBe("inbox");
});

test("no letter typed into it is heard as a key", async () => {
  open = await openWindow();
  await open.settle();
  await call();
  await open.settle();
  await user.type(field(), "arugs");
  await user.keyboard("{Control>}{Enter}{/Control}");
  nothingDecided();
  expect(open.app.inbox.selected).toBe("r-close");
});

test("names from outside are text with chips, and stand in no attribute", async () => {
  const hostile: Piece[] = [
    { t: "text", s: '"><img src=x onerror=alert(1)>' },
    { t: "chip", s: "U+202E right-to-left override", k: "hidden" },
  ];
  open = await openWindow((ipc) => {
    ipc.snapshot.conversations = ipc.snapshot.conversations.map((row) =>
      row.id === "garden" ? { ...row, title: hostile } : row,
    );
  });
  await call();
  await user.type(field(), "onerror");
  const line = entry("conversation garden");
  expect(line.querySelector("img")).toBeNull();
  expect(line.querySelector(".chip")).toHaveTextContent("U+202E right-to-left override");
  for (const attribute of line.attributes) expect(attribute.value).not.toContain("onerror");
});

test("what is chosen stays chosen when something arrives above it", async () => {
  open = await openWindow();
  await call();
  await user.type(field(), "ga");
  await user.keyboard("{ArrowDown}");
  const before = active()?.dataset.entry;
  const row = open.app.conversations.rows.get("garden")!;
  open.ipc.emit({ f: "conversation", row: { ...row, id: "gate", title: [{ t: "text", s: "Ga" }] } });
  await open.pass(50);
  expect(ids()).toContain("conversation gate");
  expect(active()?.dataset.entry).toBe(before);
});

test("nothing found is said in words", async () => {
  open = await openWindow();
  await call();
  await user.type(field(), "zzzq");
  expect(screen.getByText(t.paletteNone("zzzq"))).toBeVisible();
  expect(field()).not.toHaveAttribute("aria-activedescendant");
  await user.keyboard("{Enter}");
  expect(palette()).not.toBeNull();
});

test("the list of keys runs an entry on Enter, and lists decisions without running them (surface 78)", async () => {
  open = await openWindow();
  await open.settle();
  await open.press("?");
  const dialog = screen.getByRole("dialog");
  for (const one of keymap.filter((candidate) => candidate.decides)) {
    expect(within(dialog).getByText(t.keyLabels[one.id])).toBeVisible();
    expect(screen.queryByTestId(`key-${one.id}`)).toBeNull();
  }
  expect(screen.queryByTestId("key-mode")).toBeNull();
  await open.press("ArrowDown", {}, dialog);
  expect(screen.getByTestId("key-next")).toHaveFocus();
  screen.getByTestId("key-go-rules").focus();
  await user.keyboard("{Enter}");
  await open.pass(50);
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(open.app.router.screen).toBe("rules");
  nothingDecided();
});

test("the list of keys leads to the palette, and names only keys that act", async () => {
  open = await openWindow((ipc) => {
    ipc.snapshot.settings = { ...ipc.snapshot.settings, single_keys: false };
  });
  open.app.keyboard.run("help");
  await open.pass(20);
  expect(screen.getByText(t.keysSingleOff)).toBeVisible();
  expect(screen.queryByText(t.keyLabels.approve)).toBeNull();
  screen.getByTestId("key-palette").click();
  await open.pass(20);
  expect(field()).toHaveFocus();
});
