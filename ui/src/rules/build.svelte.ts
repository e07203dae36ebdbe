import type {
  Condition,
  ConditionOffer,
  ConditionShown,
  DryRun,
  Piece,
  Rule,
  RuleDraft,
  RuleFault,
  RuleLook,
  RuleRow,
  RuleShown,
  RuleVerdict,
} from "../lib/ipc/bindings";
import { asApiError } from "../lib/ipc/ipc";
import { asTyped, keyOf, type Says } from "../lib/rule";
import type { Session } from "../lib/state/session.svelte";
import type { Building } from "../lib/state/rules.svelte";
import { words } from "../lib/text";

/** How long nothing must change before it is asked what a rule would have done. */
export const lookAfter = 300;
const mostName = 80;

/** A name that no other rule has, from one that it would like to have. */
export function freeName(wanted: string, taken: string[]): string {
  const isTaken = (name: string) => taken.some((one) => one.toLowerCase() === name.toLowerCase());
  if (wanted === "" || !isTaken(wanted)) return wanted;
  for (let n = 2; ; n += 1) {
    const end = ` ${n}`;
    const name = [...wanted].slice(0, mostName - end.length).join("") + end;
    if (!isTaken(name)) return name;
  }
}

/** A rule that is being made: what it says, what is wrong with it, and what it would have done. Nothing is stored until it is saved. */
export class Build {
  draft = $state.raw<RuleDraft | null>(null);
  rule = $state.raw<Rule | null>(null);
  /** Whether it is said what it does: of a dangerous call, the person says it. */
  chosen = $state(false);
  /** What the rule as it is now would do; none while that isn't known. */
  look = $state.raw<RuleLook | null>(null);
  /** What saving found, which holds until something is changed. */
  #refused = $state.raw<RuleFault[]>([]);
  problem = $state("");
  busy = $state(false);
  /** Whether a condition is being typed: until it is added or left, the rule isn't saved without it. */
  adding = $state(false);
  /** Kept while the other verdict is tried. */
  reason = $state("");
  #start = $state("");
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;
  #texts = new Map<string, ConditionShown>();
  /** The request or call that it is made from. */
  readonly front: string | null;
  /** Whether that waits. */
  readonly waits: boolean;

  constructor(
    private readonly session: Session,
    private readonly building: Building,
  ) {
    this.waits = building.waits;
    this.front = building.from.from === "call" ? building.from.id : null;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#asked += 1;
  }

  async load(): Promise<void> {
    try {
      const draft = await this.session.call("rule_draft", { from: this.building.from });
      for (const offer of draft.offers) this.#texts.set(keyOf(offer.condition), offer.shown);
      this.draft = draft;
      this.chosen = draft.chosen;
      this.reason = draft.rule.verdict.says === "reject" ? draft.rule.verdict.reason : "";
      const { copy } = this.building;
      this.rule = copy
        ? {
            ...draft.rule,
            id: "",
            revision: 0,
            former: [],
            ended_at: null,
            name: freeName(draft.rule.name, [...draft.taken, draft.rule.name]),
          }
        : draft.rule;
      this.#start = copy ? "" : this.#state;
      this.#ask(0);
    } catch (error) {
      this.problem = asApiError(error).message;
    }
  }

  get #state(): string {
    return this.rule === null ? "" : keyOf([this.rule, this.chosen, this.reason]);
  }

  /** Whether closing would lose something. */
  readonly changed = $derived(this.rule !== null && this.#start !== "" && this.#state !== this.#start);
  /** What it says, once that is chosen. */
  readonly says: Says = $derived(this.rule === null || !this.chosen ? "open" : this.rule.verdict.says);
  readonly faults: RuleFault[] = $derived(this.#refused.length > 0 ? this.#refused : (this.look?.faults ?? []));
  /** What it would have done; none while that is counted, or while something is wrong with it. */
  readonly past: DryRun | null = $derived(this.look?.past ?? null);

  /** The faults of one kind of place: of a condition, or of the rule as a whole by their kinds. */
  of(condition: number | null, ...kinds: RuleFault["kind"][]): RuleFault[] {
    return this.faults.filter(
      (fault) => fault.condition === condition && (kinds.length === 0 || kinds.includes(fault.kind)),
    );
  }

  /** The texts of the rule as it is now. What isn't known yet as displayed text is the person's own typing. */
  readonly shown: RuleShown | null = $derived.by(() => {
    const { rule, draft, look } = this;
    if (rule === null || draft === null) return null;
    const tool = draft.tools.find((one) => keyOf(one.tool) === keyOf(rule.tool));
    const place = draft.places.find((one) => keyOf(one.scope) === keyOf(rule.scope));
    const named: Piece[] = rule.tool.of === "built_in" || rule.tool.of === "server" ? words(rule.tool.name) : [];
    return {
      name: look?.shown.name ?? words(rule.name),
      tool: look?.shown.tool ?? tool?.shown ?? named,
      server: look?.shown.server ?? tool?.server ?? null,
      conditions: rule.conditions.map((condition) => this.textOf(condition)),
      place: look?.shown.place ?? place?.shown ?? null,
      note: look?.shown.note ?? [],
      reason: look?.shown.reason ?? [],
    };
  });

  textOf(condition: Condition): ConditionShown {
    void this.look;
    return this.#texts.get(keyOf(condition)) ?? asTyped(condition);
  }

  /** The rule becomes another. What was known of the one before isn't known of this one. */
  change(part: Partial<Rule>): void {
    if (this.rule === null) return;
    this.rule = { ...this.rule, ...part };
    this.look = null;
    this.#refused = [];
    this.problem = "";
    this.#ask(lookAfter);
  }

  choose(verdict: RuleVerdict["says"]): void {
    this.chosen = true;
    this.change({ verdict: verdict === "approve" ? { says: "approve" } : { says: "reject", reason: this.reason } });
  }

  because(reason: string): void {
    this.reason = reason;
    this.change({ verdict: { says: "reject", reason } });
  }

  /** Offers that say the same of one argument, the narrowest first. */
  readonly groups: ConditionOffer[][] = $derived.by(() => {
    const by = new Map<number, ConditionOffer[]>();
    for (const offer of this.draft?.offers ?? []) by.set(offer.group, [...(by.get(offer.group) ?? []), offer]);
    return [...by.values()];
  });

  /** Where a condition stands in the rule; -1: it doesn't. */
  placeOf(condition: Condition): number {
    const key = keyOf(condition);
    return this.rule?.conditions.findIndex((one) => keyOf(one) === key) ?? -1;
  }

  has(condition: Condition): boolean {
    return this.placeOf(condition) !== -1;
  }

  /** The conditions that no offer has, with their places. */
  readonly own: { condition: Condition; at: number }[] = $derived.by(() => {
    const offered = new Set((this.draft?.offers ?? []).map((offer) => keyOf(offer.condition)));
    return (this.rule?.conditions ?? []).flatMap((condition, at) =>
      offered.has(keyOf(condition)) ? [] : [{ condition, at }],
    );
  });

  /** Of a group, this one holds; none: nothing of it. It takes the place of the one before. */
  pick(group: ConditionOffer[], offer: ConditionOffer | null): void {
    if (this.rule === null) return;
    const keys = group.map((one) => keyOf(one.condition));
    const at = this.rule.conditions.findIndex((one) => keys.includes(keyOf(one)));
    const rest = this.rule.conditions.filter((one) => !keys.includes(keyOf(one)));
    const put = offer === null ? [] : [offer.condition];
    this.change({ conditions: at === -1 ? [...rest, ...put] : [...rest.slice(0, at), ...put, ...rest.slice(at)] });
  }

  add(condition: Condition): void {
    if (this.rule !== null && !this.has(condition)) this.change({ conditions: [...this.rule.conditions, condition] });
  }

  remove(at: number): void {
    this.change({ conditions: this.rule?.conditions.filter((_, index) => index !== at) ?? [] });
  }

  /** Other rules changed: what it would do is asked again. What is shown is about this rule still, so it stays meanwhile. */
  again(): void {
    if (this.look !== null) this.#ask(0);
  }

  #ask(after: number): void {
    clearTimeout(this.#timer);
    const asked = ++this.#asked;
    if (!this.chosen) return;
    this.#timer = setTimeout(() => void this.#look(asked), after);
  }

  async #look(asked: number): Promise<void> {
    const { rule } = this;
    if (rule === null) return;
    try {
      const look = await this.session.call("rule_look", { rule, front: this.front });
      // An answer about another rule is none.
      if (asked !== this.#asked) return;
      rule.conditions.forEach((condition, at) => {
        const texts = look.shown.conditions[at];
        if (texts) this.#texts.set(keyOf(condition), texts);
      });
      this.look = look;
    } catch (error) {
      if (asked === this.#asked) this.problem = asApiError(error).message;
    }
  }

  /** Stores it, if nothing is wrong with it; what is, is said at its place. */
  async save(): Promise<RuleRow | null> {
    const { rule } = this;
    if (rule === null || !this.chosen || this.busy) return null;
    this.busy = true;
    this.problem = "";
    try {
      const saved = await this.session.call("save_rule", { rule });
      if (saved.row === null && keyOf(this.rule) === keyOf(rule)) this.#refused = saved.faults;
      return saved.row;
    } catch (error) {
      this.problem = asApiError(error).message;
      return null;
    } finally {
      this.busy = false;
    }
  }
}
