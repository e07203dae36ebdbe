import type { Session } from "./session.svelte";
import type { ChainState, FilterState, HistoryPage, HistoryRow, QueryFault } from "../ipc/bindings";
import { asApiError } from "../ipc/ipc";

/** Pages that are in the window at one time: two thousand rows, at any length of history. */
export const mostPages = 20;
const typing = 250;

interface Page {
  /** What it was asked for with: decisions before this place. */
  before: number | null;
  rows: HistoryRow[];
}

/** History as the window shows it: a stretch of pages around where the person looks, found by a query. */
export class HistoryList {
  pages = $state.raw<Page[]>([]);
  /** Where the next older page begins; none if there is none. */
  older = $state<number | null>(null);
  /** Pages that were pushed out at the top, by what they are asked for with. */
  #newer: (number | null)[] = [];
  hasNewer = $state(false);
  total = $state(0);
  since = $state<number | null>(null);
  filter = $state.raw<FilterState>({ is: "none" });
  unread = $state(0);
  chain = $state.raw<ChainState>({ is: "unchecked" });
  /** What is in the box. */
  typed = $state("");
  /** What the rows were found by. */
  query = $state("");
  faults = $state.raw<QueryFault[]>([]);
  loaded = $state(false);
  problem = $state("");
  readonly rows = $derived(this.pages.flatMap((page) => page.rows));
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;
  #loading = false;

  constructor(private readonly session: Session) {}

  stop(): void {
    clearTimeout(this.#timer);
    this.#asked += 1;
  }

  /** The box changed; it is searched when nobody types for a moment. */
  type(text: string): void {
    this.typed = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.search(text), typing);
  }

  /** Searches at once. A query that can't be read leaves what was found before. */
  async search(text: string): Promise<void> {
    clearTimeout(this.#timer);
    this.typed = text;
    await this.#load(null, text);
  }

  /** From the newest on again, or from a place on. */
  async from(before: number | null): Promise<void> {
    await this.#load(before, this.query);
    if (before !== null) {
      this.#newer = [null];
      this.hasNewer = true;
    }
  }

  /** New decisions appear on top while the top is what is looked at. */
  refresh(): void {
    if (!this.hasNewer && this.pages.length <= 1) void this.#load(null, this.query);
  }

  async showOlder(): Promise<void> {
    const before = this.older;
    if (before === null || this.#loading) return;
    const page = await this.#ask(before, this.query);
    if (page === null) return;
    const all = [...this.pages, { before, rows: page.rows }];
    this.#newer.push(...all.slice(0, -mostPages).map((one) => one.before));
    this.hasNewer = this.#newer.length > 0;
    this.pages = all.slice(-mostPages);
    this.older = page.older;
  }

  async showNewer(): Promise<void> {
    const before = this.#newer[this.#newer.length - 1];
    if (before === undefined || this.#loading) return;
    const page = await this.#ask(before, this.query);
    if (page === null) return;
    this.#newer.pop();
    this.hasNewer = this.#newer.length > 0;
    const first = this.pages[0]?.rows[0]?.seq ?? 0;
    // After a jump the newest page needn't border on what is shown.
    const rows = page.rows.filter((row) => row.seq > first);
    const last = rows[rows.length - 1];
    const borders = last !== undefined && (page.rows.length > rows.length || last.seq === this.pages[0]?.before);
    if (!borders && last !== undefined) {
      this.pages = [{ before, rows: page.rows }];
      this.older = page.older;
      return;
    }
    const all = [{ before, rows }, ...this.pages].filter((one) => one.rows.length > 0);
    const kept = all.slice(0, mostPages);
    if (kept.length < all.length) {
      const end = kept[kept.length - 1]?.rows;
      this.older = end?.[end.length - 1]?.seq ?? null;
    }
    this.pages = kept;
  }

  async #load(before: number | null, query: string): Promise<void> {
    const page = await this.#ask(before, query);
    if (page === null || page.filter.is === "faulty") return;
    this.query = query;
    this.filter = page.filter;
    this.pages = page.rows.length === 0 ? [] : [{ before, rows: page.rows }];
    this.older = page.older;
    this.#newer = [];
    this.hasNewer = false;
    this.loaded = true;
  }

  /** None if something else was asked for since. */
  async #ask(before: number | null, query: string): Promise<HistoryPage | null> {
    const asked = ++this.#asked;
    this.#loading = true;
    try {
      const page = await this.session.call("history", { before, query });
      if (asked !== this.#asked) return null;
      this.problem = "";
      ({ total: this.total, since: this.since, unread: this.unread, chain: this.chain } = page);
      this.faults = page.filter.is === "faulty" ? page.filter.faults : [];
      return page;
    } catch (error) {
      if (asked === this.#asked) this.problem = asApiError(error).message;
      return null;
    } finally {
      if (asked === this.#asked) this.#loading = false;
    }
  }
}

/** The tokens of a query, as written. */
export function tokensOf(query: string): string[] {
  return query.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];
}

/** A query with a token, or without it where it was in it. */
export function toggled(query: string, token: string): string {
  const all = tokensOf(query);
  const without = all.filter((one) => one !== token);
  return (without.length < all.length ? without : [...all, token]).join(" ");
}

/** The person's days, the last one today: from midnight to midnight, whatever the clock does in between. */
export function days(now: number, count: number): { from: number; to: number }[] {
  const midnight = (back: number) => {
    const day = new Date(now);
    day.setHours(0, 0, 0, 0);
    day.setDate(day.getDate() - back);
    return day.getTime();
  };
  return Array.from({ length: count }, (_, at) => ({ from: midnight(count - 1 - at), to: midnight(count - 2 - at) }));
}

/** The person's months from the first decision to now, the newest first. */
export function months(since: number, now: number): { from: number; to: number }[] {
  const first = new Date(since);
  const all = [];
  let month = new Date(first.getFullYear(), first.getMonth(), 1);
  while (month.getTime() <= now) {
    const next = new Date(month.getFullYear(), month.getMonth() + 1, 1);
    all.push({ from: month.getTime(), to: next.getTime() });
    month = next;
  }
  return all.reverse();
}
