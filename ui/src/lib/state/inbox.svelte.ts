import { SvelteMap, SvelteSet } from "svelte/reactivity";
import type { ClosedRow, Decision, Draft, Piece, RequestRow, RowGroup, SetCard, Snapshot } from "../ipc/bindings";

export type Filter = "all" | RowGroup;
export type Tab = "waiting" | "later" | "closed";

/** A place in the list. A set that left stays as one line until the selection has left it, so that nothing jumps. */
export type Place = { is: "set"; id: string } | { is: "sent"; id: string; title: Piece[]; ids: string[] };

/** What waits for the person, in an order that holds still under their hands. */
export class Inbox {
  /** By the set's own id: a conversation's, or that of a question which a server holds open and which is a set of its own. */
  sets = new SvelteMap<string, SetCard>();
  places = $state.raw<Place[]>([]);
  closed = $state.raw<ClosedRow[]>([]);
  /** What was selected since this window is there. */
  #opened = new Set<string>();
  /** The row whose detail is shown: one that waits, or one that closed. */
  selected = $state<string | null>(null);
  tab = $state<Tab>("waiting");
  filter = $state<Filter>("all");
  /** Whether the detail is in front where there is room for only one of the two. */
  inDetail = $state(false);
  /** Sets whose calls that wait along are listed. */
  unfolded = new SvelteSet<string>();
  /** How many sets came in since the list was last looked at from its top. */
  arrived = $state(0);
  /** Decisions in the order in which they were staged; the newest is taken back first. */
  #staged: string[] = [];

  /** Rows that were picked, for reviewing them together. */
  picked = new SvelteSet<string>();
  /** Whether they are being reviewed. */
  reviewing = $state(false);
  /** The set whose *Later* menu is open under its row. */
  postponing = $state<string | null>(null);

  waiting = $derived([...this.sets.values()].reduce((sum, set) => sum + (set.later ? 0 : set.rows.length), 0));
  /** How many were put aside. */
  later = $derived([...this.sets.values()].reduce((sum, set) => sum + (set.later ? set.rows.length : 0), 0));
  /** The places that the filter leaves: whole sets, so that no set is ever sent with rows that weren't seen. */
  shown = $derived(
    this.places.filter((place) =>
      place.is === "sent" ? this.tab === "waiting" : this.#matches(this.sets.get(place.id)),
    ),
  );
  rows = $derived(this.shown.flatMap((place) => (place.is === "set" ? (this.sets.get(place.id)?.rows ?? []) : [])));
  selectedSet = $derived.by(() => {
    for (const set of this.sets.values()) if (set.rows.some((row) => row.id === this.selected)) return set;
    return null;
  });
  selectedRow = $derived(this.selectedSet?.rows.find((row) => row.id === this.selected) ?? null);
  /** The set that the bar speaks of: the selected row's, else the one that is about to leave. */
  barSet = $derived(this.selectedSet ?? [...this.sets.values()].find((set) => set.grace !== null) ?? null);

  #matches(set: SetCard | undefined): boolean {
    if (set === undefined || (set.later !== null) !== (this.tab === "later")) return false;
    return this.filter === "all" || set.rows.some((row) => row.group === this.filter);
  }

  /** Whether a row is one that the filter is about; its siblings are shown muted. */
  isMatch(row: RequestRow): boolean {
    return this.filter === "all" || row.group === this.filter;
  }

  take(snapshot: Snapshot): void {
    const known = new Set(snapshot.sets.map((set) => set.id));
    const stays = (place: Place) => place.is === "set" && known.has(place.id);
    const placed = new Set(this.places.filter(stays).map((place) => place.id));
    const fresh = inOrder(
      snapshot.sets.filter((set) => !placed.has(set.id)),
      (set) => set.oldest_at,
    );
    for (const id of [...this.sets.keys()]) if (!known.has(id)) this.sets.delete(id);
    for (const set of snapshot.sets) this.sets.set(set.id, { ...set, rows: this.#placed(set) });
    // What has its place keeps it; where nothing came and nothing went the list isn't touched.
    if (fresh.length > 0 || !this.places.every(stays))
      this.places = [...this.places.filter(stays), ...fresh.map(({ id }): Place => ({ is: "set", id }))];
    this.closed = this.#closing(snapshot.closed);
    this.arrived = 0;
    if (this.selected === null || !this.#exists(this.selected)) this.selected = this.rows[0]?.id ?? null;
  }

  /** Rows keep the places that they have; what is new comes below them, by the time at which it asked. */
  #placed(next: SetCard): RequestRow[] {
    const before = this.sets.get(next.id)?.rows ?? [];
    const order = new Map(before.map((row, index) => [row.id, index]));
    return inOrder(byAskTime(next.rows), (row) => order.get(row.id) ?? order.size);
  }

  #exists(id: string): boolean {
    return this.closed.some((row) => row.id === id) || this.find(id) !== null;
  }

  find(id: string): { set: SetCard; row: RequestRow } | null {
    for (const set of this.sets.values()) {
      const row = set.rows.find((candidate) => candidate.id === id);
      if (row !== undefined) return { set, row };
    }
    return null;
  }

  /** A set changed, came or went. Returns whether somebody is asked something new. */
  apply(id: string, next: SetCard | null): boolean {
    const before = this.sets.get(id);
    for (const row of before?.rows ?? []) {
      const still = next?.rows.find((one) => one.id === row.id);
      // What was decided elsewhere or is gone isn't picked any more.
      if (still === undefined || still.draft !== null) this.picked.delete(row.id);
    }
    if (next === null) {
      if (before === undefined) return false;
      this.sets.delete(id);
      const holdsSelection = before.rows.some((row) => row.id === this.selected);
      this.places = this.places.flatMap((place): Place[] => {
        if (place.is !== "set" || place.id !== id) return [place];
        if (!holdsSelection) return [];
        return [{ is: "sent", id, title: before.title, ids: before.rows.map((row) => row.id) }];
      });
      return false;
    }
    if (before === undefined) {
      this.sets.set(id, { ...next, rows: byAskTime(next.rows) });
      this.places = [...this.places, { is: "set", id }];
      this.arrived += 1;
      // Nothing was there to be looked at, so the first arrival is. Focus doesn't move.
      if (this.selected === null && this.tab === "waiting") this.selected = byAskTime(next.rows)[0]?.id ?? null;
      return true;
    }
    if ((before.later === null) !== (next.later === null)) return this.#postponed(before, next);
    const known = new Set(before.rows.map((row) => row.id));
    this.sets.set(id, { ...next, rows: this.#placed(next) });
    return next.rows.some((row) => !known.has(row.id));
  }

  /** A set was put aside, or came back. Back it comes below the others, so that nothing is inserted above the selection. */
  #postponed(before: SetCard, next: SetCard): boolean {
    const goOn = next.later !== null && this.tab === "waiting" && this.#holds(before, this.selected);
    const to = goOn && this.selected !== null ? this.#beyond(before.id) : null;
    for (const row of next.rows) this.picked.delete(row.id);
    this.sets.set(next.id, { ...next, rows: byAskTime(next.rows) });
    this.places = [
      ...this.places.filter((place) => place.is !== "set" || place.id !== next.id),
      { is: "set", id: next.id },
    ];
    if (goOn) this.select(to);
    if (next.later !== null) return false;
    this.arrived += 1;
    if (this.selected === null && this.tab === "waiting") this.selected = this.rows[0]?.id ?? null;
    return true;
  }

  #holds(set: SetCard, id: string | null): boolean {
    return set.rows.some((row) => row.id === id);
  }

  /** The row to go on with when a whole set leaves the list: of the next set, else of the one before. */
  #beyond(id: string): string | null {
    const sets = this.shown.filter((place) => place.is === "set").map((place) => place.id);
    const at = sets.indexOf(id);
    const other = sets[at + 1] ?? sets[at - 1];
    return other === undefined ? null : (this.sets.get(other)?.rows[0]?.id ?? null);
  }

  /** Picks a row, or no longer. What is decided, queued or closed has nothing to review. */
  pick(id: string | null = this.selected): boolean {
    const found = id === null ? null : this.find(id);
    if (id === null || found === null || this.tab === "closed") return false;
    if (this.picked.delete(id)) return true;
    if (found.row.draft !== null || found.row.queued) return false;
    this.picked.add(id);
    return true;
  }

  /** Picks everything from the selected row to another one. */
  pickTo(id: string): void {
    const ids = this.rows.map((row) => row.id);
    const [from, to] = [ids.indexOf(this.selected ?? id), ids.indexOf(id)];
    for (const one of ids.slice(Math.min(from, to), Math.max(from, to) + 1)) if (!this.picked.has(one)) this.pick(one);
    this.select(id);
  }

  /** Goes on to the neighbour and picks both. */
  extend(by: 1 | -1): boolean {
    if (this.tab === "closed" || this.selectedRow === null) return false;
    for (const step of [0, by] as const) {
      if (step !== 0) this.move(step);
      if (this.selected !== null && !this.picked.has(this.selected)) this.pick();
    }
    return true;
  }

  /** Rows that closed, newest first; twenty are kept. Returns whether the selected one is among them. */
  close(rows: ClosedRow[]): boolean {
    const ids = new Set(rows.map((row) => row.id));
    const all = [...rows, ...this.closed.filter((row) => !ids.has(row.id))].sort((a, b) => b.at - a.at);
    this.closed = this.#closing(all).slice(0, 20);
    return this.selected !== null && ids.has(this.selected);
  }

  /** Above the others, which are newest first, what may or may not have happened, until somebody has opened it. */
  #closing(rows: ClosedRow[]): ClosedRow[] {
    const waits = (row: ClosedRow) => row.unknown && !this.#opened.has(row.id);
    return [...rows.filter(waits), ...rows.filter((row) => !waits(row))];
  }

  select(id: string | null): void {
    this.selected = id;
    // It keeps its place under the hand; the next time that something comes it is a row like the others.
    if (id !== null) this.#opened.add(id);
    this.places = this.places.filter((place) => place.is === "set" || (id !== null && place.ids.includes(id)));
  }

  /** Shows a request wherever it is: waiting or closed. */
  reveal(id: string): void {
    const found = this.find(id);
    if (found !== null) this.tab = found.set.later === null ? "waiting" : "later";
    else this.tab = this.closed.some((row) => row.id === id) ? "closed" : "waiting";
    this.filter = "all";
    this.inDetail = true;
    this.select(id);
  }

  move(by: 1 | -1): void {
    const ids = (this.tab === "closed" ? this.closed : this.rows).map((row) => row.id);
    if (ids.length === 0) return;
    const at = ids.indexOf(this.selected ?? "");
    // The line of a set that left isn't a row: from there it goes on with the neighbour.
    const next = at === -1 ? this.#besideSent(ids, by) : at + by;
    if (next >= 0 && next < ids.length) this.select(ids[next] ?? null);
  }

  #besideSent(ids: string[], by: 1 | -1): number {
    const place = this.shown.findIndex((candidate) => candidate.is === "sent");
    if (place === -1 || this.tab !== "waiting") return 0;
    const before = this.shown
      .slice(0, place)
      .reduce((sum, one) => sum + (one.is === "set" ? (this.sets.get(one.id)?.rows.length ?? 0) : 0), 0);
    return by === 1 ? Math.min(before, ids.length - 1) : Math.max(before - 1, 0);
  }

  moveSet(by: 1 | -1): void {
    const ids = this.shown.map((place) => place.id);
    const at = ids.indexOf(this.selectedSet?.id ?? "");
    const next = ids[at === -1 ? 0 : at + by];
    const first = next === undefined ? undefined : this.sets.get(next)?.rows[0];
    if (first !== undefined) this.select(first.id);
  }

  /** Where to go on after a decision: the next undecided row of the set, then of the sets below, then from the top. */
  nextUndecided(id: string): string | null {
    const here = this.find(id);
    if (here === null) return null;
    const open = (row: RequestRow) => row.draft === null && row.id !== id;
    const at = here.set.rows.findIndex((row) => row.id === id);
    const inSet = [...here.set.rows.slice(at + 1), ...here.set.rows.slice(0, at)].find(open);
    if (inSet !== undefined) return inSet.id;
    const places = this.shown.filter((place) => place.is === "set").map((place) => place.id);
    const set = places.indexOf(here.set.id);
    for (const other of [...places.slice(set + 1), ...places.slice(0, set)]) {
      const row = this.sets.get(other)?.rows.find(open);
      if (row !== undefined) return row.id;
    }
    return null;
  }

  /** Remembers what was staged, and goes on to what is undecided. */
  staged(id: string): void {
    this.#staged = [...this.#staged.filter((other) => other !== id), id];
    const next = this.nextUndecided(id);
    if (next !== null && this.selected === id) this.select(next);
  }

  /** The newest decision that hasn't left, which is what Undo takes back. */
  newestStaged(): string | null {
    const staged = (id: string) => this.find(id)?.row.draft != null;
    const remembered = this.#staged.findLast(staged);
    if (remembered !== undefined) return remembered;
    const rows = this.barSet?.rows ?? [];
    return rows.findLast((row) => row.draft !== null)?.id ?? null;
  }

  /** What became of the rows of a set that left: the words of each, in order. */
  outcome(ids: string[]): ClosedRow[] {
    return this.closed.filter((row) => ids.includes(row.id));
  }
}

/** Several agents of one conversation may ask: who asked first comes first, and what asked together keeps its order. */
function byAskTime(rows: RequestRow[]): RequestRow[] {
  return inOrder(rows, (row) => row.opened_at);
}

/** By a number; what is in order already isn't sorted, and equal ones keep their order. */
function inOrder<T>(all: T[], by: (one: T) => number): T[] {
  const sorted = all.every((one, index) => index === 0 || by(all[index - 1] as T) <= by(one));
  return sorted ? all : [...all].sort((a, b) => by(a) - by(b));
}

/** The rows that can still be decided or sent: what is queued is as good as sent. */
export function unsent(set: SetCard): RequestRow[] {
  return set.rows.filter((row) => !row.queued);
}

export function decided(set: SetCard): number {
  return unsent(set).filter((row) => row.draft !== null).length;
}

/** Whether it lets a call run that was shown; an answer to a question is none. */
export function isApproval(draft: Draft | null): boolean {
  return draft !== null && !isRejection(draft.decision) && draft.decision.say !== "answer";
}

/** Whether it refuses: with a reason, without one, or with other arguments. */
export function isRejection(decision: Decision): boolean {
  return decision.say === "reject" || decision.say === "correct";
}

/** Whether a set is a question that a server holds open: it leaves by itself, while its conversation goes on. */
export function isHeld(set: SetCard): boolean {
  return set.id !== set.conversation;
}
