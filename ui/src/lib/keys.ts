/** Every key in one table: what is pressed is looked up here, what the person changed is laid over it, and the help is made from it. */

import { remapped } from "./remap.svelte";

export type ActionId =
  | "next"
  | "previous"
  | "enter"
  | "back"
  | "approve"
  | "approve-more"
  | "reject"
  | "reject-reason"
  | "correct"
  | "comment"
  | "make-rule"
  | "later"
  | "pick"
  | "extend-next"
  | "extend-previous"
  | "undo"
  | "send"
  | "page-down"
  | "next-change"
  | "previous-change"
  | "wide"
  | "raw"
  | "detach"
  | "open-conversation"
  | "next-set"
  | "previous-set"
  | "older-month"
  | "newer-month"
  | "next-pane"
  | "mode"
  | "stop"
  | "all-default"
  | "search"
  | "zoom-in"
  | "zoom-out"
  | "zoom-reset"
  | "quick-task"
  | "new-conversation"
  | "go-inbox"
  | "go-conversations"
  | "go-history"
  | "go-rules"
  | "go-settings"
  | "save"
  | "palette"
  | "help";

export interface KeyEntry {
  id: ActionId;
  /** As in `KeyboardEvent.key`, letters small; `Shift+`, `Mod+` before it, `g ` for a key after G. */
  keys: string[];
  group: "list" | "decide" | "detail" | "go";
  /** Decides something: never by a key that repeats because it is held down, and listed in the help without running from there. */
  decides?: true;
  /** Instead of `keys` on Linux, where desktops take some for themselves. */
  linux?: string[];
  /** Always these keys: other parts of the window, text fields above all, give them the same meaning. */
  fixed?: true;
  /** Opens something that a key held down would only shut and open again. */
  once?: true;
}

export const keymap: KeyEntry[] = [
  { id: "next", keys: ["j", "ArrowDown"], group: "list" },
  { id: "previous", keys: ["k", "ArrowUp"], group: "list" },
  { id: "next-set", keys: ["]"], group: "list" },
  { id: "previous-set", keys: ["["], group: "list" },
  { id: "pick", keys: ["x"], group: "list" },
  { id: "extend-next", keys: ["Shift+j"], group: "list" },
  { id: "extend-previous", keys: ["Shift+k"], group: "list" },
  { id: "enter", keys: ["Enter", "ArrowRight"], group: "list", fixed: true },
  { id: "back", keys: ["Escape", "ArrowLeft"], group: "list", fixed: true },
  { id: "approve", keys: ["a"], group: "decide", decides: true },
  {
    id: "approve-more",
    keys: ["Shift+a"],
    group: "decide",
    decides: true,
  },
  { id: "reject", keys: ["r"], group: "decide", decides: true },
  { id: "reject-reason", keys: ["Shift+r"], group: "decide", decides: true },
  { id: "correct", keys: ["e"], group: "decide", once: true },
  { id: "make-rule", keys: ["."], group: "decide", once: true },
  { id: "comment", keys: ["c"], group: "detail", once: true },
  { id: "later", keys: ["h"], group: "decide", once: true },
  { id: "send", keys: ["Mod+Enter"], group: "decide", decides: true, fixed: true },
  { id: "undo", keys: ["u", "Mod+z"], group: "decide" },
  { id: "page-down", keys: [" "], group: "detail" },
  { id: "detach", keys: ["Shift+Enter"], group: "detail", once: true },
  { id: "raw", keys: ["d"], group: "detail" },
  { id: "next-change", keys: ["n"], group: "detail" },
  { id: "previous-change", keys: ["p"], group: "detail" },
  { id: "wide", keys: ["z"], group: "detail" },
  { id: "open-conversation", keys: ["o"], group: "detail" },
  { id: "mode", keys: ["m"], group: "detail" },
  // Linux desktops take Ctrl and the full stop for emoji inside of text fields.
  { id: "stop", keys: ["Mod+."], linux: ["Mod+Shift+."], group: "detail", once: true },
  { id: "all-default", keys: ["Mod+Shift+d"], group: "go", once: true },
  { id: "search", keys: ["/"], group: "go" },
  { id: "older-month", keys: ["Mod+PageDown"], group: "list" },
  { id: "newer-month", keys: ["Mod+PageUp"], group: "list" },
  { id: "next-pane", keys: ["F6"], group: "go" },
  { id: "quick-task", keys: ["Mod+n"], group: "go" },
  { id: "new-conversation", keys: ["Mod+Shift+n"], group: "go" },
  { id: "save", keys: ["Mod+s"], group: "go" },
  { id: "go-inbox", keys: ["g i"], group: "go" },
  { id: "go-conversations", keys: ["g c"], group: "go" },
  { id: "go-history", keys: ["g h"], group: "go" },
  { id: "go-rules", keys: ["g r"], group: "go" },
  { id: "go-settings", keys: ["g s"], group: "go" },
  { id: "palette", keys: ["Mod+k"], group: "go", once: true },
  { id: "zoom-in", keys: ["Mod++", "Mod+="], group: "go" },
  { id: "zoom-out", keys: ["Mod+-"], group: "go" },
  { id: "zoom-reset", keys: ["Mod+0"], group: "go" },
  { id: "help", keys: ["?"], group: "go" },
];

export const groups: KeyEntry["group"][] = ["list", "decide", "detail", "go"];

/** A pressed key as the table spells it, `g ` in front where G came before. */
export function spell(event: KeyboardEvent, system: string, afterG: boolean): string {
  const mod = system === "macos" ? event.metaKey : event.ctrlKey;
  const other = system === "macos" ? event.ctrlKey : event.metaKey;
  if (event.altKey || other) return "";
  // Letters mean the same with and without the Caps Lock; only Shift itself counts.
  const letter = /^[a-z]$/i.test(event.key);
  const key = letter ? event.key.toLowerCase() : event.key;
  if (afterG) return mod || event.shiftKey ? "" : `g ${key}`;
  // What Shift makes of the full stop differs from keyboard to keyboard; with Mod it is the key that counts.
  if (mod && event.shiftKey && event.code === "Period") return "Mod+Shift+.";
  return `${mod ? "Mod+" : ""}${(letter || key === "Enter") && event.shiftKey ? "Shift+" : ""}${key}`;
}

/** The keys that an action has before anybody changes them. */
export function defaultsOf(entry: KeyEntry): string[] {
  return remapped.system === "linux" && entry.linux ? entry.linux : entry.keys;
}

/** The keys of an action. What is stored is only followed where it could have been chosen, so that nothing decides by a key that must not. */
export function keysOf(entry: KeyEntry): string[] {
  const chosen = remapped.keys[entry.id];
  if (chosen === undefined || chosen.length === 0 || entry.fixed) return defaultsOf(entry);
  return chosen.some((keys) => refused(entry, keys) !== null) ? defaultsOf(entry) : chosen;
}

/** What a key does. Where two actions claim it, which only a settings file written by hand could bring about, it does nothing. */
export function lookUp(spelled: string): KeyEntry | undefined {
  const found = keymap.filter((entry) => keysOf(entry).includes(spelled));
  return found.length === 1 ? found[0] : undefined;
}

/** Why a key can't be given to an action. */
export type Refused = "fixed" | "escape" | "press" | "text" | "system" | "prefix";

const textNeeds = ["a", "c", "v", "x", "z", "y", "Shift+z", "ArrowLeft", "ArrowRight", "Backspace", "Delete"];

/** Whether an action can't have a key, and why. Esc never decides, Enter and Space press what has the focus, text keeps its keys. */
export function refused(entry: KeyEntry, spelled: string): Refused | null {
  if (entry.fixed) return "fixed";
  if (defaultsOf(entry).includes(spelled)) return null;
  const key = spelled.replace(/^(Mod\+)?(Shift\+)?(g )?(?=.)/, "");
  if (key === "Escape") return "escape";
  if (key === "Enter" || key === " ") return "press";
  if (spelled === "" || /^(Dead|Process|Unidentified|Tab)$/.test(key)) return "system";
  if (spelled === "g") return "prefix";
  if (spelled.startsWith("Mod+")) return textNeeds.includes(spelled.slice(4)) ? "text" : null;
  return [...key].length > 1 && !/^F\d+$/.test(key) ? "text" : null;
}

/** What the settings would hold with another first key of an action; the others stay. Nothing is held that is as it was made. */
export function withKey(stored: Record<string, string[] | undefined>, entry: KeyEntry, spelled: string) {
  const keys = [
    spelled,
    ...keysOf(entry)
      .slice(1)
      .filter((other) => other !== spelled),
  ];
  const rest = Object.fromEntries(Object.entries(stored).filter(([id]) => id !== entry.id));
  return keys.join() === defaultsOf(entry).join() ? rest : { ...rest, [entry.id]: keys };
}

/** The key to draw where the table's own one would stand: what the person made of it, and none where it doesn't act. */
export function current(spelled: string): string | null {
  const entry = keymap.find((one) => one.keys.includes(spelled));
  if (entry === undefined) return spelled;
  return (
    acting(entry, remapped.single)[Math.max(0, defaultsOf(entry).indexOf(spelled))] ??
    acting(entry, remapped.single)[0] ??
    null
  );
}

/** As an assistive technology wants it said. */
export function spoken(spelled: string): string | undefined {
  const now = current(spelled);
  if (now === null) return undefined;
  return now.replace("Mod", remapped.system === "macos" ? "Meta" : "Control").replace(/^ $/, "Space");
}

/** Keys without Mod that write something: they act only outside of text, and can be switched off. */
export function isSingle(spelled: string): boolean {
  return !spelled.startsWith("Mod+") && (/^(Shift\+|g )?.$/u.test(spelled) || spelled === "g");
}

/** The keys of an entry that act: without the single ones where those are switched off. */
export function acting(entry: KeyEntry, singleKeys: boolean): string[] {
  return singleKeys ? keysOf(entry) : keysOf(entry).filter((keys) => !isSingle(keys));
}

const symbols: Record<string, string> = {
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowRight: "→",
  ArrowLeft: "←",
  Escape: "Esc",
  " ": "Space",
  Enter: "⏎",
};

/** A key as it is drawn on the running system: `Ctrl ⏎`, `⌘⏎`, `⇧R`, `G I`. */
export function drawn(keys: string, system: string): string {
  if (keys.startsWith("g ")) return `G ${keys.slice(2).toUpperCase()}`;
  const last = /^(Mod\+)?(Shift\+)?(.+)$/u.exec(keys)?.[3] ?? keys;
  const parts = keys.slice(0, keys.length - last.length).split("+");
  const key = symbols[last] ?? (last.length === 1 ? last.toUpperCase() : last);
  const mod = parts.includes("Mod") ? (system === "macos" ? "⌘" : "Ctrl ") : "";
  return `${mod}${parts.includes("Shift") ? "⇧" : ""}${key}`;
}
