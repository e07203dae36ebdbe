import type { Condition, ConditionShown, Life, Piece, Rule, RuleRow, RuleShown, RuleTool, Test } from "./ipc/bindings";
import { t } from "./messages";
import { slot, type Part, type Slot } from "./parts";
import { plain } from "./text";
import { clock, date } from "./time";

/** What a rule says once it is chosen; a draft about a dangerous call says nothing yet. */
export type Says = "approve" | "reject" | "open";

/** A value as text that doesn't depend on the order of its keys, for comparing what came from different places. */
export function keyOf(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

export function says(rule: Rule): Says {
  return rule.verdict.says;
}

/** A rule's sentence as the language orders it. */
export function sentenceOf(verdict: Says, tool: RuleTool, some: boolean): Part[] {
  const say = t.ruleSentence;
  if (verdict === "open") return say.open(some);
  if (verdict === "approve") return say.approve(some);
  if (tool.of === "any") return say.rejectAny(some);
  return tool.of === "plan" ? say.rejectPlan(some) : say.reject(some);
}

/** What a condition says, as the language orders it. */
export function conditionParts(condition: Condition, verdict: Says): Part[] {
  const say = t.ruleIs;
  if (condition.is === "download_to_shell") return say.download();
  if (condition.is === "words") {
    const further = condition.further || verdict === "reject";
    return say.words(further, condition.flags.length > 0);
  }
  const { test } = condition;
  if (test.test === "pattern") return say.pattern(verdict !== "reject");
  return test.test === "host" ? say.host(test.below) : say[test.test]();
}

/** What is put into the sentence of a condition: its key and its values, one chip each. */
export function conditionValues(condition: Condition, shown: ConditionShown): Partial<Record<Slot, Piece[][]>> {
  if (condition.is === "download_to_shell") return {};
  if (condition.is === "argument") return { [slot.key]: [shown.key], [slot.value]: shown.values };
  // The words of a command are one thing to read, however they come; what follows them are its flags.
  const words = shown.values.slice(0, Math.max(0, shown.values.length - condition.flags.length));
  const joined = words.flatMap((word, at) => (at === 0 ? word : [{ t: "text" as const, s: " " }, ...word]));
  return { [slot.value]: [joined], [slot.flags]: shown.values.slice(words.length) };
}

/** A condition as plain text, for names. */
export function conditionText(condition: Condition, shown: ConditionShown, verdict: Says): string {
  const values = conditionValues(condition, shown);
  return conditionParts(condition, verdict)
    .map((part) =>
      typeof part === "string" ? part : (values[part] ?? []).map((pieces) => plain(pieces)).join(t.ruleOr),
    )
    .join("");
}

/** The texts of a condition that the person just made: their own words, which nobody else wrote. */
export function asTyped(condition: Condition): ConditionShown {
  const texts = (...all: string[]): Piece[][] => all.map((s) => [{ t: "text", s }]);
  if (condition.is === "download_to_shell") return { key: [], values: [] };
  if (condition.is === "words") return { key: [], values: texts(...condition.words, ...condition.flags) };
  return { key: [{ t: "text", s: condition.path.join(".") }], values: texts(...valuesOf(condition.test)) };
}

export function valuesOf(test: Test): string[] {
  switch (test.test) {
    case "is":
      return [test.value];
    case "one_of":
      return test.values;
    case "starts_with":
    case "contains":
      return [test.text];
    case "pattern":
      return [test.pattern];
    case "inside":
      return [test.folder];
    case "host":
      return [test.host];
    default: {
      const unknown: never = test;
      return unknown;
    }
  }
}

/** Where a rule holds, as the language orders it. */
export function whereParts(rule: Rule, shown: Pick<RuleShown, "place">): Part[] {
  const { where } = rule.scope;
  if (where === "everywhere") return [t.ruleWhere.everywhere];
  return shown.place === null ? [t.ruleWhere.gone] : t.ruleWhere[where]();
}

/** A moment that may be days away. */
export function moment(at: number, now: number): string {
  return t.ruleDateTime(date(at, now), clock(at));
}

/** How long a rule holds, in words. */
export function lasts(life: Life, now: number): string {
  return life.lasts === "until" ? t.ruleLasts.until(moment(life.at, now)) : t.ruleLasts[life.lasts];
}

const mostFormer = 15;

/** The query of history that finds what a rule decided. */
export function matchesOf(rule: Rule): string {
  // A query has a longest length; the last names are the ones that matter.
  return [...rule.former.slice(-mostFormer), rule.name].map((name) => `by:rule:"${name}"`).join(" ");
}

export function hasEnded(row: RuleRow, now: number): boolean {
  const { life, ended_at } = row.rule;
  return ended_at !== null || (life.lasts === "until" && life.at <= now);
}
