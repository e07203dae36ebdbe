import type { FeedEvent, Snapshot, Space } from "./bindings";
import type { Ipc } from "./ipc";

export interface FeedListener {
  /** A whole new picture; everything known before is replaced. */
  snapshot(snapshot: Snapshot): void;
  /** One change of the space that is shown. */
  event(event: FeedEvent): void;
  /** A request of any space wants to be shown; the space has been switched by then. */
  show(request: string | null): void;
  /** Whether the picture is being fetched again, because the first one isn't there or something was missed. */
  connected(connected: boolean): void;
}

/**
 * Keeps the window's picture equal to the process's: opens the channel first, then takes the snapshot, drops what the snapshot
 * already holds, and applies the rest in order. A gap means that something was lost, so the snapshot is taken again.
 */
export class Feed {
  space: Space = "main";
  #ipc: Pick<Ipc, "call" | "subscribe">;
  #listener: FeedListener;
  #last = 0;
  #buffer: FeedEvent[] | null = [];
  #attempt = 0;

  constructor(ipc: Pick<Ipc, "call" | "subscribe">, listener: FeedListener) {
    this.#ipc = ipc;
    this.#listener = listener;
  }

  async start(): Promise<void> {
    await this.#ipc.subscribe((event) => this.#receive(event));
    await this.take("main");
  }

  /** Shows a space, from a new snapshot. */
  async take(space: Space): Promise<void> {
    const attempt = ++this.#attempt;
    this.#buffer ??= [];
    const changed = space !== this.space;
    this.space = space;
    this.#listener.connected(false);
    let snapshot: Snapshot;
    try {
      snapshot = await this.#ipc.call(space, "snapshot", {});
    } catch (problem) {
      if (attempt === this.#attempt) setTimeout(() => attempt === this.#attempt && void this.take(space), 1000);
      throw problem;
    }
    // A later call of take() is on its way; its picture is the one that counts.
    if (attempt !== this.#attempt) return;
    // The window belongs in the Rehearsal for as long as there is one. Coming back from it is never undone here.
    if (space === "main" && snapshot.rehearsal !== null && !changed) return this.take("rehearsal");
    if (space === "rehearsal" && snapshot.rehearsal === null) return this.take("main");
    const waiting = this.#buffer ?? [];
    this.#buffer = null;
    this.#last = snapshot.seq;
    this.#listener.snapshot(snapshot);
    this.#listener.connected(true);
    for (const event of waiting) this.#receive(event);
  }

  #receive(event: FeedEvent): void {
    if (this.#buffer !== null) {
      this.#buffer.push(event);
      return;
    }
    // Streamed text has no place in the order: it is shown and replaced by the committed entry.
    if (event.seq !== 0) {
      if (event.seq <= this.#last) return;
      if (event.seq !== this.#last + 1) {
        this.#buffer = [event];
        this.#again(this.space);
        return;
      }
      this.#last = event.seq;
    }
    this.#apply(event);
  }

  #apply(event: FeedEvent): void {
    const { what } = event;
    if (what.f === "show") {
      const show = () => this.#listener.show(what.request);
      if (event.space === this.space) show();
      else void this.take(event.space).then(show, () => undefined);
      return;
    }
    if (event.space !== this.space) return;
    if (what.f === "rehearsal" && what.state === null && this.space === "rehearsal") {
      this.#again("main");
      return;
    }
    this.#listener.event(event);
  }

  /** A failed attempt repeats itself, so nothing waits for this one. */
  #again(space: Space): void {
    void this.take(space).catch(() => undefined);
  }
}
