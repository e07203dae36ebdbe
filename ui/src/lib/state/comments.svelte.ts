import { SvelteMap } from "svelte/reactivity";
import type { TypingStore } from "./typing.svelte";

/** What somebody says about one step of a plan. */
export interface Comment {
  /** Line of the plan's source, from 1. */
  line: number;
  /** The step's first words, as displayed. */
  about: string;
  text: string;
}

/** How long typing rests before it is stored. */
const rest = 400;

/**
 * Comments on the steps of plans, by request. They are stored like any text that is being typed, so that a restart loses none, and
 * they go with the plan that they are about.
 */
export class Comments {
  #of = new SvelteMap<string, Comment[]>();
  #known = new Set<string>();
  #store: TypingStore;
  #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(store: TypingStore) {
    this.#store = store;
  }

  /** In the order of the plan. */
  of(id: string): Comment[] {
    return this.#of.get(id) ?? [];
  }

  /** Those that say something. */
  said(id: string): Comment[] {
    return this.of(id).filter((comment) => comment.text.trim() !== "");
  }

  async load(id: string): Promise<void> {
    if (this.#known.has(id)) return;
    this.#known.add(id);
    try {
      const stored = read(await this.#store.load(id));
      // What was typed meanwhile is newer.
      if (stored.length > 0 && !this.#of.has(id)) this.#of.set(id, stored);
    } catch {
      this.#known.delete(id);
    }
  }

  write(id: string, comment: Comment): void {
    const others = this.of(id).filter((one) => one.line !== comment.line);
    this.#put(
      id,
      [...others, comment].sort((a, b) => a.line - b.line),
    );
  }

  remove(id: string, line: number): void {
    this.#put(
      id,
      this.of(id).filter((one) => one.line !== line),
    );
  }

  /** Its plan is decided for good. */
  forget(id: string): void {
    if (this.of(id).length > 0) this.#put(id, []);
  }

  #put(id: string, comments: Comment[]): void {
    this.#known.add(id);
    this.#of.set(id, comments);
    clearTimeout(this.#timers.get(id));
    const keep = () => {
      const said = this.said(id);
      void this.#store.keep(id, said.length === 0 ? "" : JSON.stringify(said)).catch(() => undefined);
    };
    this.#timers.set(id, setTimeout(keep, rest));
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }
}

/** Comments as they were stored; what can't be read is none. */
function read(stored: string): Comment[] {
  if (stored === "") return [];
  try {
    const all: unknown = JSON.parse(stored);
    if (!Array.isArray(all)) return [];
    return all.filter(
      (one: unknown): one is Comment =>
        typeof one === "object" &&
        one !== null &&
        "line" in one &&
        typeof one.line === "number" &&
        "text" in one &&
        typeof one.text === "string" &&
        "about" in one &&
        typeof one.about === "string",
    );
  } catch {
    return [];
  }
}

/** What the agent gets: the note, then each comment with the step that it is about. */
export function asReason(note: string, comments: Comment[]): string {
  const lines = comments.map(({ about, text }) => `On “${about}”: ${text.trim()}`);
  return [note.trim(), ...lines].filter((part) => part !== "").join("\n\n");
}
