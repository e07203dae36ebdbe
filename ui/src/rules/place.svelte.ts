import type { App } from "../lib/app.svelte";
import type { Mode } from "../lib/ipc/bindings";

/** The conversation and mode that rules are asked with: the newest one's own, until the person chooses. */
export class Place {
  #conversation = $state<string | null>(null);
  #mode = $state<Mode | null>(null);

  constructor(private readonly app: App) {}

  get conversation(): string | null {
    const { rows, order } = this.app.conversations;
    const chosen = this.#conversation;
    return chosen !== null && rows.has(chosen) ? chosen : (order.find((id) => rows.has(id)) ?? null);
  }

  /** The conversation's own mode, as long as none was chosen for it. */
  get mode(): Mode {
    const own = this.app.conversations.rows.get(this.conversation ?? "")?.mode;
    return this.#mode ?? own ?? "default";
  }

  go(conversation: string): void {
    this.#conversation = conversation;
    this.#mode = null;
  }

  as(mode: Mode): void {
    this.#mode = mode;
  }
}
