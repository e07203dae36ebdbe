import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { drawn, isSingle, keymap, lookUp, spell } from "./keys";
import { Keyboard } from "./keyboard";

let keyboard: Keyboard;
let stop: () => void;

beforeEach(() => {
  keyboard = new Keyboard();
  stop = keyboard.watch();
});

afterEach(() => {
  stop();
  document.body.replaceChildren();
});

function press(key: string, options: KeyboardEventInit = {}, target: EventTarget = document.body): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...options });
  target.dispatchEvent(event);
  return event;
}

function add<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string> = {},
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return document.body.appendChild(element);
}

test("no key stands for two actions", () => {
  const keys = keymap.flatMap((entry) => entry.keys);
  expect(new Set(keys).size).toBe(keys.length);
});

test("letters mean the same with Caps Lock, and something else with Shift (surface 78)", () => {
  expect(lookUp(spell(new KeyboardEvent("keydown", { key: "A" }), "linux", false))?.id).toBe("approve");
  expect(lookUp(spell(new KeyboardEvent("keydown", { key: "A", shiftKey: true }), "linux", false))?.id).toBe(
    "approve-more",
  );
});

test("Mod is Ctrl, and Cmd on macOS; the other one is nobody's key", () => {
  const ctrl = new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true });
  const cmd = new KeyboardEvent("keydown", { key: "Enter", metaKey: true });
  expect([spell(ctrl, "linux", false), spell(cmd, "linux", false)]).toEqual(["Mod+Enter", ""]);
  expect([spell(ctrl, "macos", false), spell(cmd, "macos", false)]).toEqual(["", "Mod+Enter"]);
});

test("keys are drawn as the system spells them", () => {
  expect(drawn("Mod+Enter", "linux")).toBe("Ctrl ⏎");
  expect(drawn("Mod+Enter", "macos")).toBe("⌘⏎");
  expect(drawn("Shift+r", "linux")).toBe("⇧R");
  expect(drawn("g i", "linux")).toBe("G I");
  expect(drawn(" ", "linux")).toBe("Space");
});

test("G and a letter go to a screen, and the letter doesn't decide", () => {
  const go = vi.fn();
  const reject = vi.fn();
  keyboard.use({ "go-rules": go, reject });
  press("g");
  press("r");
  expect(go).toHaveBeenCalledOnce();
  expect(reject).not.toHaveBeenCalled();
  press("r");
  expect(reject).toHaveBeenCalledOnce();
});

test("single keys are silent in a text field, a menu, an input method, and where neither list nor detail has the focus (surface 79, field 131)", () => {
  const approve = vi.fn();
  const send = vi.fn();
  keyboard.use({ approve, send });
  press("a", {}, add("textarea"));
  press("a", { isComposing: true });
  const menu = add("div", { role: "menu" });
  press("a", {}, menu.appendChild(document.createElement("button")));
  press("a", {}, add("nav").appendChild(document.createElement("button")));
  expect(approve).not.toHaveBeenCalled();
  press("a", {}, add("section", { "data-pane": "detail" }));
  press("a");
  expect(approve).toHaveBeenCalledTimes(2);
  press("Enter", { ctrlKey: true }, add("textarea"));
  expect(send).toHaveBeenCalledOnce();
});

test("single keys can be switched off, those with Mod stay", () => {
  keyboard.singleKeys = false;
  const approve = vi.fn();
  const undo = vi.fn();
  keyboard.use({ approve, undo });
  press("a");
  press("u");
  press("z", { ctrlKey: true });
  expect(approve).not.toHaveBeenCalled();
  expect(undo).toHaveBeenCalledOnce();
  expect(isSingle("Mod+z")).toBe(false);
});

test("a key that is held down decides once and moves on and on (accept 8)", () => {
  const approve = vi.fn();
  const next = vi.fn();
  keyboard.use({ approve, next });
  press("a");
  press("a", { repeat: true });
  press("j", { repeat: true });
  expect(approve).toHaveBeenCalledOnce();
  expect(next).toHaveBeenCalledOnce();
});

test("no key that approves is Enter, Space or Esc (surface 21, surface 23)", () => {
  for (const entry of keymap.filter((one) => one.id.startsWith("approve"))) {
    expect(entry.keys.every((key) => /^(Shift\+)?a$/.test(key))).toBe(true);
  }
});

test("under a sheet nothing hears a key", () => {
  const below = vi.fn();
  const above = vi.fn();
  keyboard.use({ reject: below, approve: below });
  const close = keyboard.use({ approve: above }, true);
  press("a");
  press("r");
  expect(above).toHaveBeenCalledOnce();
  expect(below).not.toHaveBeenCalled();
  close();
  press("r");
  expect(below).toHaveBeenCalledOnce();
});
