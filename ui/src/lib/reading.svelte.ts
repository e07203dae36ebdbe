import { getContext, setContext } from "svelte";
import type { App } from "./app.svelte";
import type { Detail, Exact, Long, PayloadList, PayloadPart } from "./ipc/bindings";

/** Brings a thing of a list into view, by its number; none if it can't. */
type Reveal = (item: number) => Promise<HTMLElement | null>;

const KEY = Symbol("reading");

/**
 * Reading on in a payload that crossed by its ends. What is asked for belongs to the payload that is on the screen; if the process
 * has dropped it meanwhile, it is opened again first.
 */
export class Reading {
  #app: App;
  #detail: () => Detail;
  #opened: number | null = null;
  #reveals = new Map<PayloadList, Reveal>();

  constructor(app: App, detail: () => Detail) {
    this.#app = app;
    this.#detail = detail;
  }

  async #ask<T>(ask: (opened: number) => Promise<T>): Promise<T> {
    const detail = this.#detail();
    try {
      return await ask(this.#opened ?? detail.opened);
    } catch {
      const again = await this.#app.session.call("detail", { id: detail.id });
      this.#opened = again.opened;
      return await ask(again.opened);
    }
  }

  part(list: PayloadList, from: number, items: number): Promise<PayloadPart["items"]> {
    return this.#ask(async (opened) => {
      const part = await this.#app.session.call("payload_part", { opened, list, from, items });
      return part.items;
    });
  }

  find(list: PayloadList, text: string) {
    return this.#ask((opened) => this.#app.session.call("find_in_payload", { opened, list, text }));
  }

  /** The exact text; at once where it crossed. */
  async exact(): Promise<Exact> {
    return this.#detail().raw.exact ?? this.#ask((opened) => this.#app.session.call("exact_arguments", { opened }));
  }

  /** Who draws a list says how its things come into view, until it is gone. */
  register(list: PayloadList, reveal: Reveal): () => void {
    this.#reveals.set(list, reveal);
    return () => {
      if (this.#reveals.get(list) === reveal) this.#reveals.delete(list);
    };
  }

  async reveal(list: PayloadList, item: number): Promise<HTMLElement | null> {
    return (await this.#reveals.get(list)?.(item)) ?? null;
  }

  /** For everything that is drawn below. */
  provide(): this {
    setContext(KEY, this);
    return this;
  }
}

/** The reading of the payload that this is drawn in; none where all of it is at hand. */
export function useReading(): Reading | undefined {
  return getContext<Reading | undefined>(KEY);
}

/** How many things a list has, for whoever knows only its parts. */
export type Loaded<T> = { long: Long<T>; list: PayloadList };
