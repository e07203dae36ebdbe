import { SvelteMap } from "svelte/reactivity";

export interface TypingStore {
  /** Keeps a text over a restart; blank removes it. */
  keep(conversation: string, text: string): Promise<unknown>;
  /** The kept text. */
  load(conversation: string): Promise<string>;
}

/** How long nobody must have typed before the text is kept. */
const pause = 400;

/**
 * The text being typed in each conversation. The process behind the window keeps it over a restart, and puts words back into it
 * that a run didn't take; nothing that a person wrote is lost by that, and nothing is there twice.
 */
export class Typing {
  #texts = new SvelteMap<string, string>();
  /** What was last handed over to be kept. */
  #kept = new Map<string, string>();
  #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #storing = new Map<string, Promise<unknown>>();
  /** Texts that are on their way into a run, until it is known whether they arrived. */
  #leaving = new Map<string, string>();
  #store: TypingStore;

  constructor(store: TypingStore) {
    this.#store = store;
  }

  text(id: string): string {
    return this.#texts.get(id) ?? "";
  }

  /** Somebody typed, or a text was put there for them. */
  write(id: string, text: string): void {
    this.#texts.set(id, text);
    this.#keepSoon(id);
  }

  /** Its composer was opened: what was kept comes back. */
  async open(id: string): Promise<void> {
    await this.#storing.get(id);
    const all = await this.#store.load(id);
    // A text on its way out may still be in it.
    if (!this.#leaving.has(id)) this.cameBack(id, all);
  }

  /** The kept text, whole, as it is now: a run that ended may have added words that it didn't take. */
  cameBack(id: string, all: string): void {
    const left = this.#leaving.get(id);
    this.#leaving.delete(id);
    const now = left === undefined ? this.text(id) : after(left, this.text(id));
    const next = joined(now, left === undefined ? this.#kept.get(id) : "", all);
    this.#kept.set(id, all);
    this.#texts.set(id, next);
    if (next !== all) this.#keepSoon(id);
  }

  /** The text went with a message. */
  sent(id: string): void {
    this.#texts.set(id, "");
    void this.#keep(id);
  }

  /**
   * Hands the text to `steer`, which takes it out of what is kept. It is cleared here and not kept once more: what comes back
   * meanwhile would be wiped.
   */
  async leave(id: string, steer: (text: string) => Promise<unknown>): Promise<void> {
    const text = this.text(id);
    clearTimeout(this.#timers.get(id));
    this.#leaving.set(id, text);
    try {
      // What is still being kept would otherwise arrive behind the words.
      await this.#storing.get(id);
      await steer(text.trim());
      // If something came back already, the text is in it.
      if (this.#leaving.has(id)) {
        this.#kept.set(id, "");
        this.#texts.set(id, after(text, this.text(id)));
      }
    } finally {
      this.#leaving.delete(id);
      if (this.text(id) !== (this.#kept.get(id) ?? "")) this.#keepSoon(id);
    }
  }

  #keepSoon(id: string): void {
    clearTimeout(this.#timers.get(id));
    if (!this.#leaving.has(id))
      this.#timers.set(
        id,
        setTimeout(() => void this.#keep(id), pause),
      );
  }

  async #keep(id: string): Promise<void> {
    clearTimeout(this.#timers.get(id));
    const text = this.text(id);
    this.#kept.set(id, text);
    // A failure here loses nothing that is on the screen; the next letter tries again.
    const storing = this.#store.keep(id, text).catch(() => undefined);
    this.#storing.set(id, storing);
    await storing;
  }
}

/** What was typed behind a text that left meanwhile. */
function after(left: string, now: string): string {
  return now.startsWith(left) ? now.slice(left.length).trimStart() : now;
}

/** `now` is on the screen, `kept` was kept of it, `all` is kept now. */
export function joined(now: string, kept: string | undefined, all: string): string {
  if (all === kept) return now;
  if (now.trim() === "" && (kept ?? "") === "") return all;
  if (all === now || all.startsWith(`${now}\n`)) return all;
  const back = kept && all.startsWith(`${kept}\n`) ? all.slice(kept.length + 1) : all;
  return [now, back].filter((text) => text.trim() !== "").join("\n");
}
