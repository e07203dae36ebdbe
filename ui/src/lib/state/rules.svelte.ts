import type { RuleSource } from "../ipc/bindings";

/** A rule that is being made. */
export interface Building {
  from: RuleSource;
  /** A copy of the rule that it is made from, instead of the rule itself. */
  copy: boolean;
  /** Whether what it is made from still waits: saving decides nothing about it, which is said then. */
  waits: boolean;
}

/** The rule that is being made, from wherever in the window, and what was said when it was saved. */
export class Rules {
  building = $state.raw<Building | null>(null);
  /** The rule that was saved last while a request was in front. */
  saved = $state.raw<{ request: string; rule: string; name: string } | null>(null);

  /** Takes back the newest thing that went from a list of this screen; `false`: there is none. */
  undo: () => boolean = () => false;

  make(from: RuleSource, waits = false): void {
    this.saved = null;
    this.building = { from, copy: false, waits };
  }

  duplicate(id: string): void {
    this.building = { from: { from: "rule", id }, copy: true, waits: false };
  }
}
