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
  | "undo"
  | "send"
  | "page-down"
  | "raw"
  | "open-conversation"
  | "next-set"
  | "previous-set"
  | "next-pane"
  | "mode"
  | "new-conversation"
  | "go-inbox"
  | "go-conversations"
  | "go-history"
  | "go-rules"
  | "go-settings"
  | "save"
  | "help";

export interface KeyEntry {
  id: ActionId;
  /** As in `KeyboardEvent.key`, letters small; `Shift+`, `Mod+` before it, `g ` for a key after G. */
  keys: string[];
  group: "list" | "decide" | "detail" | "go";
  label: string;
  /** Decides something: never by a key that repeats because it is held down, and listed in the help without running from there. */
  decides?: true;
}

export const keymap: KeyEntry[] = [
  { id: "next", keys: ["j", "ArrowDown"], group: "list", label: "Next row" },
  { id: "previous", keys: ["k", "ArrowUp"], group: "list", label: "Previous row" },
  { id: "next-set", keys: ["]"], group: "list", label: "Next set" },
  { id: "previous-set", keys: ["["], group: "list", label: "Previous set" },
  { id: "enter", keys: ["Enter", "ArrowRight"], group: "list", label: "Into the detail" },
  { id: "back", keys: ["Escape", "ArrowLeft"], group: "list", label: "Back to the list" },
  { id: "approve", keys: ["a"], group: "decide", label: "Approve", decides: true },
  {
    id: "approve-more",
    keys: ["Shift+a"],
    group: "decide",
    label: "Approve for the conversation, or into Auto",
    decides: true,
  },
  { id: "reject", keys: ["r"], group: "decide", label: "Reject", decides: true },
  { id: "reject-reason", keys: ["Shift+r"], group: "decide", label: "Reject with a reason", decides: true },
  { id: "send", keys: ["Mod+Enter"], group: "decide", label: "Send the set now", decides: true },
  { id: "undo", keys: ["u", "Mod+z"], group: "decide", label: "Take the newest decision back" },
  { id: "page-down", keys: [" "], group: "detail", label: "A page down in the payload" },
  { id: "raw", keys: ["d"], group: "detail", label: "The exact stored text, and back" },
  { id: "open-conversation", keys: ["o"], group: "detail", label: "Open the conversation" },
  { id: "mode", keys: ["m"], group: "detail", label: "Mode of the conversation" },
  { id: "next-pane", keys: ["F6"], group: "go", label: "Next pane" },
  { id: "new-conversation", keys: ["Mod+n"], group: "go", label: "New conversation" },
  { id: "save", keys: ["Mod+s"], group: "go", label: "Save the agent" },
  { id: "go-inbox", keys: ["g i"], group: "go", label: "Inbox" },
  { id: "go-conversations", keys: ["g c"], group: "go", label: "Conversations" },
  { id: "go-history", keys: ["g h"], group: "go", label: "History" },
  { id: "go-rules", keys: ["g r"], group: "go", label: "Rules" },
  { id: "go-settings", keys: ["g s"], group: "go", label: "Settings" },
  { id: "help", keys: ["?"], group: "go", label: "All keys" },
];

export const groupLabels: Record<KeyEntry["group"], string> = {
  list: "List",
  decide: "Decide",
  detail: "Detail",
  go: "Go to",
};

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
