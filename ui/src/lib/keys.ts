/** Every key in one table: what is pressed is looked up here, and the help is made from it. */

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
  | "later"
  | "pick"
  | "extend-next"
  | "extend-previous"
  | "undo"
  | "send"
  | "page-down"
  | "raw"
  | "open-conversation"
  | "next-set"
  | "previous-set"
  | "next-pane"
  | "mode"
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
  { id: "enter", keys: ["Enter", "ArrowRight"], group: "list" },
  { id: "back", keys: ["Escape", "ArrowLeft"], group: "list" },
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
  { id: "comment", keys: ["c"], group: "detail", once: true },
  { id: "later", keys: ["h"], group: "decide", once: true },
  { id: "send", keys: ["Mod+Enter"], group: "decide", decides: true },
  { id: "undo", keys: ["u", "Mod+z"], group: "decide" },
  { id: "page-down", keys: [" "], group: "detail" },
  { id: "raw", keys: ["d"], group: "detail" },
  { id: "open-conversation", keys: ["o"], group: "detail" },
  { id: "mode", keys: ["m"], group: "detail" },
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
  return `${mod ? "Mod+" : ""}${letter && event.shiftKey ? "Shift+" : ""}${key}`;
}

export function lookUp(spelled: string): KeyEntry | undefined {
  return keymap.find((entry) => entry.keys.includes(spelled));
}

/** Keys without Mod that write something: they act only outside of text, and can be switched off. */
export function isSingle(spelled: string): boolean {
  return !spelled.startsWith("Mod+") && (/^(Shift\+|g )?.$/u.test(spelled) || spelled === "g");
}

/** The keys of an entry that act: without the single ones where those are switched off. */
export function acting(entry: KeyEntry, singleKeys: boolean): string[] {
  return singleKeys ? entry.keys : entry.keys.filter((keys) => !isSingle(keys));
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
  const parts = keys === " " ? [" "] : keys.split("+");
  const last = parts[parts.length - 1] ?? "";
  const key = symbols[last] ?? (last.length === 1 ? last.toUpperCase() : last);
  const mod = parts.includes("Mod") ? (system === "macos" ? "⌘" : "Ctrl ") : "";
  return `${mod}${parts.includes("Shift") ? "⇧" : ""}${key}`;
}
