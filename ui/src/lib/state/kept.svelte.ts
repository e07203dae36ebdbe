import { SvelteMap } from "svelte/reactivity";

/** How long what was taken away stays in its row, to be taken back. */
export const keptFor = 10_000;

/** Rows of which one that goes keeps its place for a while, so that the person can have it back where it was. */
export class KeptRows<Row> {
  rows = $state.raw<Row[] | null>(null);
  #gone = new SvelteMap<string, ReturnType<typeof setTimeout>>();

  constructor(private readonly id: (row: Row) => string) {}

  isGone(row: Row): boolean {
    return this.#gone.has(this.id(row));
  }

  /** The newest one that went and can still be had back. */
  newest(): Row | null {
    const last = [...this.#gone.keys()].at(-1);
    return (this.rows ?? []).find((row) => this.id(row) === last) ?? null;
  }

  /** What there is now. What went lately stays where it was. */
  take(now: Row[]): void {
    const fresh = new Map(now.map((row) => [this.id(row), row]));
    const stays = (this.rows ?? []).filter((row) => fresh.has(this.id(row)) || this.#gone.has(this.id(row)));
    const known = new Set(stays.map((row) => this.id(row)));
    // Without anything that went, the order is the one that came.
    if (this.#gone.size === 0) this.rows = now;
    else
      this.rows = [
        ...stays.map((row) => fresh.get(this.id(row)) ?? row),
        ...now.filter((row) => !known.has(this.id(row))),
      ];
  }

  /** It went. */
  mark(row: Row): void {
    const id = this.id(row);
    clearTimeout(this.#gone.get(id));
    this.#gone.set(
      id,
      setTimeout(() => {
        this.#gone.delete(id);
        this.rows = (this.rows ?? []).filter((one) => this.id(one) !== id);
      }, keptFor),
    );
  }

  /** It is back, as this. */
  back(row: Row, as: Row): void {
    const id = this.id(row);
    clearTimeout(this.#gone.get(id));
    this.#gone.delete(id);
    this.rows = (this.rows ?? []).flatMap((one) =>
      this.id(one) === id ? [as] : this.id(one) === this.id(as) ? [] : [one],
    );
  }

  stop(): void {
    for (const timer of this.#gone.values()) clearTimeout(timer);
    this.#gone.clear();
  }
}
