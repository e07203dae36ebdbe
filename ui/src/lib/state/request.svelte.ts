import type { Detail } from "../ipc/bindings";
import { asApiError } from "../ipc/ipc";

/** One request in full, fetched when it is selected and again when something about it changes. */
export class RequestDetail {
  detail = $state.raw<Detail | null>(null);
  problem = $state<string | null>(null);
  #fetch: (id: string) => Promise<Detail>;
  #wanted: string | null = null;

  constructor(fetch: (id: string) => Promise<Detail>) {
    this.#fetch = fetch;
  }

  async load(id: string | null): Promise<void> {
    this.#wanted = id;
    if (this.detail?.id !== id) this.detail = null;
    this.problem = null;
    if (id === null) return;
    try {
      const detail = await this.#fetch(id);
      // Another one was selected meanwhile.
      if (this.#wanted === id) this.detail = same(this.detail, detail);
    } catch (problem) {
      if (this.#wanted === id) this.problem = asApiError(problem).message;
    }
  }

  async again(): Promise<void> {
    await this.load(this.#wanted);
  }
}

/** What is drawn of a payload that is open stays as it is: it is the same one, and somebody reads in it. */
function same(before: Detail | null, now: Detail): Detail {
  if (before === null || before.opened !== now.opened || now.payload.p === "plan") return now;
  return { ...now, payload: before.payload, raw: before.raw };
}
