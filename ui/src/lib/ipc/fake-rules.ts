import type {
  ApiError,
  FeedWhat,
  Rule,
  RuleFault,
  RuleHint,
  RuleList,
  RuleLook,
  RuleRow,
  RuleTrace,
  StandingRow,
} from "./bindings";
import type { CommandName, ReplyOf, RequestOf } from "./ipc";
import * as made from "./fixture-rules";
import { standing } from "./fixtures";
import { plain } from "../text";

type Name = Extract<
  CommandName,
  | "rules"
  | "rule_draft"
  | "rule_look"
  | "save_rule"
  | "switch_rule"
  | "delete_rule"
  | "ship_rules"
  | "runs_without"
  | "trace_call"
  | "call_text"
  | "rule_hint"
  | "dismiss_rule_hint"
  | "standing"
  | "revoke"
  | "revoke_all"
  | "unrevoke"
>;

const gone: ApiError = { code: "not_found", message: "This rule isn't there any more." };

/** Rules and standing approvals behind the window, made up: they keep what a window can notice, and judge nothing. */
export class FakeRules {
  rows: RuleRow[] = [];
  unreadable = 0;
  hint: RuleHint | null = null;
  standing: StandingRow[] = [];
  trace: RuleTrace = made.trace;
  /** Servers that rules are bound to and that changed since. */
  lost = false;
  /** What wins over a rule that approves. */
  beaten: string[] = ["no forced push"];
  /** Arguments of calls; what isn't here isn't stored any more. */
  calls = new Map<string, { conversation: string; tool: string; arguments: string }>([
    ["h-1201", { conversation: "triage", tool: "close_ticket", arguments: '{"id":"1201"}' }],
  ]);
  #revoked = new Map<string, StandingRow>();
  #now = 0;
  #emit: (what: FeedWhat) => void;

  constructor(now: number, emit: (what: FeedWhat) => void) {
    this.#emit = emit;
    this.reset(now);
  }

  /** What there is at the start of a day. */
  reset(now: number): void {
    this.#now = now;
    this.rows = made.ruleRows(now);
    this.standing = standing(now);
  }

  get taken(): string[] {
    return this.rows.map((row) => row.rule.name);
  }

  changed(): void {
    this.#emit({ f: "rules" });
  }

  #list(): RuleList {
    const sorted = [...this.rows].sort((a, b) => a.rule.made_at - b.rule.made_at);
    const rejects = sorted.filter((row) => row.rule.verdict.says === "reject");
    const approves = sorted.filter((row) => row.rule.verdict.says === "approve");
    const shipped = this.rows.some((row) => row.rule.name === "no download to a shell");
    return { rows: [...rejects, ...approves], unreadable: this.unreadable, shipped_missing: !shipped };
  }

  #faults(rule: Rule): RuleFault[] {
    const faults: RuleFault[] = [];
    const whole = (kind: RuleFault["kind"]) => faults.push({ kind, condition: null, detail: [] });
    if (rule.name.trim() === "") whole("name");
    if (this.rows.some((row) => row.rule.name === rule.name && row.rule.id !== rule.id)) whole("name_taken");
    if (rule.verdict.says !== "approve") return faults;
    const command = rule.tool.of === "built_in" && rule.tool.name === "run_command";
    if (rule.tool.of === "any") whole("needs_tool");
    if (command && rule.conditions.length === 0 && !rule.any_arguments) whole("needs_tick");
    rule.conditions.forEach((one, condition) => {
      if (one.is === "argument" && one.test.test === "contains")
        faults.push({ kind: "reject_only", condition, detail: [] });
    });
    return faults;
  }

  #look(rule: Rule, front: string | null): RuleLook {
    const faults = this.#faults(rule);
    const approves = rule.verdict.says === "approve";
    // The fewer conditions, the more it would have decided.
    const matched = Math.max(0, 60 - 19 * rule.conditions.length);
    const against = approves ? Math.min(3, matched) : 0;
    return {
      faults,
      shown: made.ruleShown(rule),
      front: front === null ? null : !rule.conditions.some((one) => one.is === "download_to_shell"),
      past:
        faults.length > 0
          ? null
          : { days: 30, calls: 312, matched, against, rows: made.dryRows(this.#now), untold: 12, beyond: 0 },
      beaten_by: approves ? this.beaten.map((name) => [{ t: "text", s: name }]) : [],
      lost: this.lost && rule.tool.of === "server" && rule.tool.key === "k1",
    };
  }

  handlers: { [One in Name]: (request: RequestOf<One>) => ReplyOf<One> } = {
    rules: () => this.#list(),
    rule_draft: ({ from }) => {
      if (from.from === "nothing") return made.emptyDraft(this.taken);
      if (from.from === "call") return (from.id === "r-push" ? made.commandDraft : made.ticketDraft)(this.taken);
      if (from.from === "calls") return made.severalDraft(this.taken, from.ids.length);
      const row = this.rows.find((one) => one.rule.id === from.id);
      if (row === undefined) throw gone;
      const draft = made.editDraft(
        row.rule,
        this.taken.filter((name) => name !== row.rule.name),
      );
      // As it is now it comes beside the one that the rule knows.
      const others = draft.tools.flatMap((one) =>
        this.lost && one.tool.of === "server" ? [one, { ...one, tool: { ...one.tool, key: "k2" } }] : [one],
      );
      return { ...draft, tools: others };
    },
    rule_look: ({ rule, front }) => this.#look(rule, front),
    save_rule: ({ rule }) => {
      // Saving one that was deleted brings it back as it was.
      const deleted = rule.id !== "" && !this.rows.some((row) => row.rule.id === rule.id);
      const faults = deleted ? [] : this.#faults(rule);
      if (faults.length > 0) return { row: null, faults };
      const before = this.rows.find((row) => row.rule.id === rule.id);
      if (before !== undefined && before.rule.revision !== rule.revision)
        throw { code: "refused", message: "This rule was changed meanwhile. Look at it again." } satisfies ApiError;
      const id = rule.id === "" ? `rule-${this.rows.length + 1}-${rule.name}` : rule.id;
      const row = made.ruleRow(
        { ...rule, id, revision: rule.revision + 1 },
        before?.matches ?? 0,
        before?.last_at ?? null,
      );
      this.rows = before === undefined ? [...this.rows, row] : this.rows.map((one) => (one === before ? row : one));
      this.changed();
      return { row, faults: [] };
    },
    switch_rule: ({ id, on }) => {
      this.rows = this.rows.map((row) => (row.rule.id === id ? { ...row, rule: { ...row.rule, on } } : row));
      this.changed();
      return null;
    },
    delete_rule: ({ id }) => {
      if (!this.rows.some((row) => row.rule.id === id)) throw gone;
      this.rows = this.rows.filter((row) => row.rule.id !== id);
      this.changed();
      return null;
    },
    ship_rules: () => {
      const download = made.rule("rule-download", "no download to a shell", {
        conditions: [{ is: "download_to_shell" }],
      });
      const sudo = made.rule("rule-sudo", "no sudo", { conditions: [made.wordsOf("sudo")] });
      const missing = [sudo, download].filter((rule) => !this.taken.includes(rule.name));
      this.rows = [...this.rows, ...missing.map((rule) => made.ruleRow(rule))];
      this.changed();
      return this.#list();
    },
    runs_without: ({ mode }) =>
      made.runsRows(
        mode,
        this.standing.some((row) => plain(row.tool) === "close_ticket"),
      ),
    trace_call: ({ mode, arguments: text }) => {
      try {
        JSON.parse(text);
      } catch {
        const fault = [{ t: "text" as const, s: "These arguments are no JSON." }];
        return { rows: [], standing: null, mode, outcome: "not_looked_at", fault };
      }
      return { ...this.trace, mode };
    },
    call_text: ({ id }) => {
      const call = this.calls.get(id);
      return call ?? { conversation: null, tool: "run_command", arguments: null };
    },
    rule_hint: () => this.hint,
    dismiss_rule_hint: () => {
      this.hint = null;
      return null;
    },
    standing: () => this.standing,
    revoke: ({ id }) => {
      const row = this.standing.find((one) => one.id === id);
      if (row !== undefined) this.#revoked.set(id, row);
      this.standing = this.standing.filter((one) => one.id !== id);
      return null;
    },
    revoke_all: ({ conversation }) => {
      const left = this.standing.filter((one) => one.conversation !== conversation);
      const taken = this.standing.length - left.length;
      this.standing = left;
      return taken;
    },
    unrevoke: ({ id }) => {
      const row = this.#revoked.get(id);
      if (row === undefined) throw { code: "refused", message: "This was taken back too long ago." } satisfies ApiError;
      this.#revoked.delete(id);
      this.standing = [...this.standing, row].sort((a, b) => a.since - b.since);
      return null;
    },
  };
}
