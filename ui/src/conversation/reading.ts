import type { App } from "../lib/app.svelte";

/** Reads the open conversation in pages: the newest, those next to what is held, and those around a place. */
export class Reading {
  #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  async newest(conversation: string): Promise<void> {
    this.#app.conversations.newest(await this.#page(conversation));
  }

  async older(): Promise<void> {
    const { open, older, above } = this.#held();
    if (open !== null && older !== null) above(await this.#page(open, { before: older }));
  }

  async newer(): Promise<void> {
    const { open, newer, below } = this.#held();
    if (open !== null && newer !== null) below(await this.#page(open, { after: newer }));
  }

  /** The newest in place of what is held, unless that is among it. */
  async latest(): Promise<void> {
    const { open, newer, replace } = this.#held();
    if (open !== null && newer !== null) replace([await this.#page(open)]);
  }

  /** Sees to it that an entry is held, with what is around it and not with what lies between. */
  async around(seq: number): Promise<void> {
    const { open, replace } = this.#held();
    if (open === null || this.#app.conversations.entries.some((entry) => entry.seq === seq)) return;
    replace(await Promise.all([this.#page(open, { before: seq + 1 }), this.#page(open, { after: seq })]));
  }

  #held() {
    const held = this.#app.conversations;
    return {
      open: held.open,
      older: held.older,
      newer: held.newer,
      above: held.above.bind(held),
      below: held.below.bind(held),
      replace: held.replace.bind(held),
    };
  }

  #page(conversation: string, { before = null, after = null }: { before?: number | null; after?: number | null } = {}) {
    return this.#app.session.call("transcript", { conversation, before, after });
  }
}
