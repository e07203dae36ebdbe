import { SvelteMap } from "svelte/reactivity";
import { lastEnd } from "../auto-end";
import type { ConversationRow, Entry, Mode, Snapshot, Transcript } from "../ipc/bindings";

export type Group = "running" | "waiting" | "idle" | "failed";
export const groups: Group[] = ["running", "waiting", "idle", "failed"];

const strictness: Record<Mode, number> = { plan: 0, default: 1, auto: 2 };

/** The most entries that are held, and so drawn, at once; the rest is a page away in either direction. */
export const most = 200;

/** Whether going there allows less than now; that holds at once, while more waits for the next run. */
export function isStricter(next: Mode, now: Mode): boolean {
  return strictness[next] < strictness[now];
}

/** A mode that allows more, and waits for the next run. */
export interface Loosening {
  mode: Mode;
  /** When it ends by itself, in milliseconds since 1970. */
  until: number | null;
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
  /** Asked with this `after`, newer entries come; none if the newest are there. */
  newer = $state<number | null>(null);
  /** Whether the end is in view: then what comes in is followed, and what is far above goes. */
  following = $state(true);
  loaded = $state(false);
  /** What the model has written so far of a message that isn't committed. */
  streaming = $state("");
  /** Modes that allow more, which hold from the next run on: they go with the next sending. */
  loosening = new SvelteMap<string, Loosening>();

  running = $derived([...this.rows.values()].filter((row) => row.state.is === "running").length);
  /** When the last of them ends, if all do by themselves. */
  autoUntil = $derived(
    lastEnd([...this.rows.values()].filter((row) => row.mode === "auto").map((row) => row.auto_until)),
  );
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
    this.newer = null;
    this.following = true;
    this.loaded = false;
    this.streaming = "";
  }

  /** The newest page. It takes the place of what is there, unless it goes on with it. */
  newest(page: Transcript): void {
    if (page.conversation !== this.open) return;
    const last = this.entries.at(-1)?.seq;
    const first = page.entries[0]?.seq;
    if (last === undefined || first === undefined || first > last) {
      this.replace([page]);
      return;
    }
    this.newer = null;
    this.#merge(page.entries);
    this.#cut(this.following ? "top" : "end");
  }

  /** Pages that follow each other, in place of what is there. */
  replace(pages: Transcript[]): void {
    if (pages.some((page) => page.conversation !== this.open)) return;
    this.older = pages[0]?.older ?? null;
    this.newer = pages.at(-1)?.newer ?? null;
    this.loaded = true;
    this.entries = pages.flatMap((page) => page.entries);
  }

  /** Older entries, above what is there. What is furthest below goes. */
  above(page: Transcript): void {
    if (page.conversation !== this.open) return;
    this.older = page.older;
    this.#merge(page.entries);
    this.#cut("end");
  }

  /** Newer entries, below what is there. What is furthest above goes. */
  below(page: Transcript): void {
    if (page.conversation !== this.open) return;
    this.newer = page.newer;
    this.#merge(page.entries);
    this.#cut("top");
  }

  /** Entries that were committed or changed; each replaces the one of its place. What isn't held is read when it is come to. */
  apply(conversation: string, entries: Entry[]): void {
    if (conversation !== this.open || !this.loaded) return;
    const first = this.entries[0]?.seq ?? 0;
    const last = this.entries.at(-1)?.seq ?? 0;
    const held = (entry: Entry) =>
      (entry.seq >= first || this.older === null) && (entry.seq <= last || this.newer === null);
    this.#merge(entries.filter(held));
    this.#cut(this.following ? "top" : "end");
    if (entries.some((entry) => entry.body.e === "assistant")) this.streaming = "";
  }

  #merge(entries: Entry[]): void {
    const all = new Map(this.entries.map((entry) => [entry.seq, entry]));
    for (const entry of entries) all.set(entry.seq, entry);
    this.entries = [...all.values()].sort((a, b) => a.seq - b.seq);
  }

  #cut(where: "top" | "end"): void {
    if (this.entries.length <= most) return;
    this.entries = where === "top" ? this.entries.slice(-most) : this.entries.slice(0, most);
    if (where === "top") this.older = this.entries[0]?.seq ?? null;
    else this.newer = this.entries.at(-1)?.seq ?? null;
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
