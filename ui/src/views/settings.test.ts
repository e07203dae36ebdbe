import { screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Settings } from "../lib/ipc/bindings";
import { speakAs } from "../lib/i18n/choose";
import { remapped } from "../lib/remap.svelte";
import { sections } from "../lib/sections";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
  remapped.keys = {};
  remapped.single = true;
  document.documentElement.style.removeProperty("--zoom");
  speakAs("en");
});

async function openSettings(hash: string, change: Partial<Settings> = {}) {
  open = await openWindow((ipc) => {
    ipc.snapshot = { ...ipc.snapshot, settings: { ...ipc.snapshot.settings, ...change } };
  }, hash);
  await open.pass(50);
}

const settings = () => open.app.session.settings;
const saved = () => open.requests("save_settings").at(-1)?.settings;
const press = async (element: HTMLElement) => {
  element.click();
  await open.pass(20);
};

test("the sections stand in their order", async () => {
  await openSettings("#/settings");
  expect(sections.map((one) => one.id)).toEqual([
    "general",
    "deciding",
    "notifications",
    "agents",
    "tools",
    "keyboard",
    "accessibility",
    "data",
    "about",
  ]);
  const list = screen.getAllByTestId(/^settings-/).map((one) => one.textContent);
  expect(list).toEqual([
    "General",
    "Deciding",
    "Notifications",
    "Agents & models",
    "Tools & servers",
    "Keyboard",
    "Accessibility",
    "Data & privacy",
    "About",
  ]);
});

test("another language holds at once, in what is open and in what is said of the page, and so does English again", async () => {
  await openSettings("#/settings/general");
  await press(screen.getByRole("radio", { name: "Deutsch" }));
  expect(screen.getByRole("heading", { name: "Allgemein" })).toBeVisible();
  expect(screen.getByTestId("nav-history")).toHaveTextContent("Verlauf");
  expect(screen.getByRole("radio", { name: "Dunkel" })).toBeInTheDocument();
  expect(document.documentElement).toHaveAttribute("lang", "de");
  await press(screen.getByTestId("nav-inbox"));
  await open.settle();
  expect(screen.getByTestId("approve")).toHaveTextContent(/^Genehmigen/);
  open.ipc.emit({ f: "settings", settings: { ...settings(), language: "en" } });
  await open.pass(20);
  expect(screen.getByTestId("approve")).toHaveTextContent(/^Approve/);
  expect(document.documentElement).toHaveAttribute("lang", "en");
});

test("contrast, density and zoom hold at once, and each can be put back (accept 20)", async () => {
  await openSettings("#/settings/accessibility");
  const page = document.documentElement;
  await press(screen.getByRole("switch", { name: "High contrast" }));
  expect(page.dataset.contrast).toBe("more");
  await press(screen.getByRole("radio", { name: "Compact" }));
  expect(page.dataset.density).toBe("compact");
  const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
  await user.selectOptions(screen.getByRole("combobox", { name: "Zoom" }), "150");
  await open.pass(20);
  expect(page.style.getPropertyValue("--zoom")).toBe("1.5");
  expect(saved()).toMatchObject({ high_contrast: true, density: "compact", zoom: 150 });
  const resets = screen.getAllByTestId("reset");
  expect(resets.map((one) => one.textContent.replace(/\s+/g, " "))).toEqual([
    "Reset High contrast",
    "Reset Zoom",
    "Reset Density",
  ]);
  for (let left = resets.length; left > 0; left -= 1) await press(screen.getAllByTestId("reset")[0]!);
  expect(saved()).toMatchObject({ high_contrast: false, density: "comfortable", zoom: 100 });
  expect(screen.queryByTestId("reset")).toBeNull();
  expect(page.style.getPropertyValue("--zoom")).toBe("");
});

test("Mod and plus, minus, 0 zoom in steps, to the ends and no further (accept 20, surface 86)", async () => {
  await openSettings("#/inbox", { zoom: 175 });
  await open.press("+", { ctrlKey: true, shiftKey: true });
  expect(settings().zoom).toBe(200);
  await open.press("=", { ctrlKey: true });
  expect(settings().zoom).toBe(200);
  await open.press("0", { ctrlKey: true });
  expect(settings().zoom).toBe(100);
  for (let step = 0; step < 4; step += 1) await open.press("-", { ctrlKey: true });
  expect(settings().zoom).toBe(80);
});

test("a slash finds a setting in every section, in words of its label or its help, and Esc shows all again", async () => {
  await openSettings("#/settings/about");
  const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
  await open.press("/");
  const field = screen.getByTestId("find-setting");
  expect(field).toHaveFocus();
  await user.type(field, "contr");
  const found = () => within(screen.getByTestId("found-settings"));
  expect(found().getByRole("switch", { name: "High contrast" })).toBeInTheDocument();
  expect(found().queryByRole("radiogroup", { name: "Theme" })).toBeNull();
  await user.keyboard("{Enter}");
  expect(found().getByRole("switch", { name: "High contrast" })).toHaveFocus();
  await user.clear(field);
  await user.type(field, "zoom");
  // It stands in two sections and is found once.
  expect(found().getAllByRole("combobox", { name: "Zoom" })).toHaveLength(1);
  await user.clear(field);
  await user.type(field, "approve for");
  expect(found().getByTestId("remap-approve-more")).toBeInTheDocument();
  await user.clear(field);
  await user.type(field, "no such thing");
  expect(screen.getByText("No setting is called “no such thing”.")).toBeInTheDocument();
  await user.keyboard("{Escape}");
  expect(screen.getByRole("heading", { name: "About" })).toBeInTheDocument();
});

test("an action takes the key that is pressed, and everything that names its key follows", async () => {
  await openSettings("#/settings/keyboard");
  const row = screen.getByTestId("remap-approve");
  await press(row);
  expect(row).toHaveTextContent("Press a key…");
  await open.press("y", {}, row);
  expect(saved()?.keys).toEqual({ approve: ["y"] });
  expect(row).toHaveAccessibleName(/now Y, change the key$/);
  await press(screen.getByTestId("nav-inbox"));
  await open.settle();
  expect(screen.getByTestId("approve")).toHaveAttribute("aria-keyshortcuts", "y");
  expect(screen.getByTestId("approve").querySelector("kbd")).toHaveTextContent("Y");
  await open.press("a");
  expect(open.requests("stage")).toHaveLength(0);
  await open.press("y");
  expect(open.requests("stage")).toHaveLength(1);
  await open.press("?", { shiftKey: true });
  expect(screen.getByRole("dialog", { name: "Keys" })).toHaveTextContent(/the answer\s*Y/);
});

test("a key that another action has names it and can be swapped, and reset puts both back", async () => {
  await openSettings("#/settings/keyboard");
  const row = screen.getByTestId("remap-approve");
  await press(row);
  await open.press("r", {}, row);
  expect(saved()).toBeUndefined();
  expect(within(row.closest("li")!).getByRole("alert")).toHaveTextContent("R is the key of: Reject or decline.");
  await press(screen.getByTestId("key-swap"));
  expect(saved()?.keys).toEqual({ approve: ["r"], reject: ["a"] });
  await press(screen.getByTestId("reset-approve"));
  expect(saved()?.keys).toEqual({});
});

test("keys of two steps and with Shift can be given, all of them reset at once", async () => {
  await openSettings("#/settings/keyboard");
  const go = screen.getByTestId("remap-go-rules");
  await press(go);
  await open.press("g", {}, go);
  expect(go).toHaveTextContent("G, and…");
  await open.press("x", {}, go);
  expect(saved()?.keys).toEqual({ "go-rules": ["g x"] });
  const raw = screen.getByTestId("remap-raw");
  await press(raw);
  await open.press("Shift", { shiftKey: true }, raw);
  await open.press("D", { shiftKey: true }, raw);
  expect(saved()?.keys).toEqual({ "go-rules": ["g x"], raw: ["Shift+d"] });
  await press(screen.getByTestId("keys-reset"));
  expect(saved()?.keys).toEqual({});
});

test.each([
  ["Escape", {}, /^Esc only goes back/],
  ["Enter", {}, /never decide by themselves/],
  [" ", {}, /never decide by themselves/],
  ["Home", {}, "Text fields need this key."],
  ["c", { ctrlKey: true }, "Text fields need this key."],
  ["a", { altKey: true }, "This key belongs to the system."],
] as const)("the key %j is refused with a sentence", async (key, options, sentence) => {
  await openSettings("#/settings/keyboard");
  const row = screen.getByTestId("remap-approve");
  await press(row);
  await open.press(key, options, row);
  expect(screen.getAllByRole("status").some((one) => one.textContent?.match(sentence))).toBe(true);
  expect(saved()).toBeUndefined();
});

test("keys that a settings file holds and nobody could choose are not followed", async () => {
  await openSettings("#/inbox", { keys: { approve: ["Enter"], raw: ["r"] } });
  await open.settle();
  await open.press("Enter");
  expect(open.requests("stage")).toHaveLength(0);
  // Two actions claim R, so it is nobody's.
  await open.press("r");
  expect(open.requests("stage")).toHaveLength(0);
  await open.press("a");
  expect(open.requests("stage")).toHaveLength(1);
});

test("with single keys off no key is drawn that doesn't act", async () => {
  await openSettings("#/inbox", { single_keys: false });
  await open.settle();
  const approve = screen.getByTestId("approve");
  expect(approve.querySelector("kbd")).toBeNull();
  expect(approve).not.toHaveAttribute("aria-keyshortcuts");
});

test("Mod+Shift+D brings every conversation in Auto back to Default, and says how many (surface 47, surface 50)", async () => {
  await openSettings("#/inbox");
  const inAuto = open.app.conversations.inAuto;
  expect(inAuto).toBeGreaterThan(0);
  await open.press("D", { ctrlKey: true, shiftKey: true });
  expect(open.requests("tighten").map((one) => one.mode)).toEqual(Array(inAuto).fill("default"));
  await open.pass(1100);
  expect(open.app.announcer.polite).toContain("back to Default.");
});

test("Z hides the list and brings it back, Esc brings it back too", async () => {
  await openSettings("#/inbox");
  await open.settle();
  const list = () => document.querySelector("[data-row]");
  expect(list()).not.toBeNull();
  await open.press("z");
  expect(list()).toBeNull();
  expect(screen.getByTestId("detail")).toHaveFocus();
  await open.press("z");
  expect(list()).not.toBeNull();
  await open.press("z");
  await open.press("Escape");
  expect(list()).not.toBeNull();
});

test("on Linux Mod+Shift and the full stop stop the conversation, elsewhere Mod and the full stop", async () => {
  await openSettings("#/conversations/nightly");
  const running = [...open.app.conversations.rows.values()].find((row) => row.state.is === "running")!;
  open.app.router.go("conversations", running.id);
  await open.pass(50);
  const stopped = () => open.requests("stop").length + screen.queryAllByRole("dialog").length;
  await open.press(".", { ctrlKey: true, code: "Period" });
  expect(stopped()).toBe(0);
  await open.press(":", { ctrlKey: true, shiftKey: true, code: "Period" });
  expect(stopped()).toBe(1);
});

test("the reading gate can be lowered, but never for high risk", async () => {
  await openSettings("#/settings/deciding");
  await press(screen.getByRole("switch", { name: "Read to the end before approving" }));
  expect(saved()?.reading_gate).toBe(false);
});

test("patterns of the person's own are kept one a line, and one that can't be read is refused in words", async () => {
  await openSettings("#/settings/data");
  const field = screen.getByTestId<HTMLTextAreaElement>("masks");
  const write = async (text: string) => {
    field.value = text;
    field.dispatchEvent(new Event("change", { bubbles: true }));
    await open.pass(50);
  };
  await write("ACME-[0-9]+\n\n  internal\\.example ");
  expect(saved()?.masks).toEqual(["ACME-[0-9]+", "internal\\.example"]);
  open.ipc.failures.set("save_settings", {
    code: "invalid",
    field: "masks",
    message: "This is no regular expression: (. Nothing was changed.",
  });
  await write("(");
  expect(field).toHaveAccessibleDescription(/no regular expression/);
  expect(settings().masks).toHaveLength(2);
});
