import { SvelteMap } from "svelte/reactivity";
import type { ConversationRow, Entry, Mode, Snapshot, Transcript } from "../ipc/bindings";

export type Group = "running" | "waiting" | "idle" | "failed";
export const groups: Group[] = ["running", "waiting", "idle", "failed"];

const strictness: Record<Mode, number> = { plan: 0, default: 1, auto: 2 };

/** Whether going there allows less than now; that holds at once, while more waits for the next run. */
export function isStricter(next: Mode, now: Mode): boolean {
  return strictness[next] < strictness[now];
}

/** The conversations, and the transcript of the one that is open. */
export class Conversations {
  rows = new SvelteMap<string, ConversationRow>();
  /** The order of the list, settled when the screen is opened. */
  order = $state.raw<string[]>([]);
  /** The conversation whose transcript is shown. */
  open = $state<string | null>(null);
  entries = $state.raw<Entry[]>([]);
  /** Asked with this `before`, older entries come; none if there are none. */
  older = $state<number | null>(null);
  loaded = $state(false);
  /** What the model has written so far of a message that isn't committed. */
  streaming = $state("");
  /** Modes that allow more, which hold from the next run on: they go with the next sending. */
  loosening = new SvelteMap<string, Mode>();

  running = $derived([...this.rows.values()].filter((row) => row.state.is === "running").length);
  inAuto = $derived([...this.rows.values()].filter((row) => row.mode === "auto").length);

  take(snapshot: Snapshot): void {
    this.rows.clear();
    for (const row of snapshot.conversations) this.rows.set(row.id, row);
    this.order = this.order.filter((id) => this.rows.has(id));
    this.sort();
  }

  /** Called when the screen is opened: newest first, and from then on nothing moves. */
  sort(): void {
    this.order = [...this.rows.values()].sort((a, b) => b.at - a.at).map((row) => row.id);
  }

  put(row: ConversationRow): void {
    const before = this.rows.get(row.id);
    if (before === undefined) this.order = [row.id, ...this.order];
    this.rows.set(row.id, row);
    // What was left of a run that ended is either committed or gone.
    if (row.id === this.open && row.state.is !== "running") this.streaming = "";
    if (before !== undefined && before.mode !== row.mode) this.loosening.delete(row.id);
  }

  remove(id: string): void {
    this.rows.delete(id);
    this.order = this.order.filter((other) => other !== id);
    this.loosening.delete(id);
    if (this.open === id) this.show(null);
  }

  show(id: string | null): void {
    this.open = id;
    this.entries = [];
    this.older = null;
    this.loaded = false;
    this.streaming = "";
  }

  /** A page that was asked for: the newest, or older ones above what is there. */
  page(transcript: Transcript): void {
    if (transcript.conversation !== this.open) return;
    this.older = transcript.older;
    this.loaded = true;
    this.merge(transcript.entries);
  }

  /** Entries that were committed or changed; each replaces the one of its place. */
  apply(conversation: string, entries: Entry[]): void {
    if (conversation !== this.open || !this.loaded) return;
    this.merge(entries);
    if (entries.some((entry) => entry.body.e === "assistant")) this.streaming = "";
  }

  merge(entries: Entry[]): void {
    const all = new Map(this.entries.map((entry) => [entry.seq, entry]));
    for (const entry of entries) all.set(entry.seq, entry);
    this.entries = [...all.values()].sort((a, b) => a.seq - b.seq);
  }

  stream(conversation: string, text: string): void {
    if (conversation === this.open) this.streaming = text;
  }

  in(group: Group): ConversationRow[] {
    return this.order
      .map((id) => this.rows.get(id))
      .filter((row): row is ConversationRow => row !== undefined && row.state.is === group);
  }
}
