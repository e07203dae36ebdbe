import type {
  Condition,
  ConditionOffer,
  ConditionShown,
  DryRow,
  Rule,
  RuleDraft,
  RuleHint,
  RuleRow,
  RuleShown,
  RuleTrace,
  RunsRow,
  TraceRow,
} from "./bindings";
import { chip, minute, one, p } from "./fixtures";

const day = 24 * 60 * minute;

/** A rule about one tool, as it comes without more. */
export const rule = (id: string, name: string, part: Partial<Rule> = {}): Rule => ({
  id,
  revision: id === "" ? 0 : 1,
  name,
  former: [],
  on: true,
  verdict: { says: "reject", reason: "" },
  tool: { of: "built_in", name: "run_command" },
  conditions: [],
  any_arguments: false,
  scope: { where: "everywhere" },
  life: { lasts: "forever" },
  note: "",
  samples: [],
  made_at: 0,
  ended_at: null,
  ...part,
});

/** The texts of a condition; where its value has a hidden character, on a chip. */
export function conditionShown(condition: Condition): ConditionShown {
  const text = (value: string) =>
    value.split("\u202e").flatMap((part, at) => (at === 0 ? [p(part)] : [chip("U+202E"), p(part)]));
  if (condition.is === "words")
    return { key: [], values: [one(condition.words.join(" ")), ...condition.flags.map(one)] };
  if (condition.is === "download_to_shell") return { key: [], values: [] };
  const { test } = condition;
  const values =
    test.test === "is"
      ? [test.value]
      : test.test === "one_of"
        ? test.values
        : test.test === "inside"
          ? [test.folder]
          : test.test === "host"
            ? [test.host]
            : test.test === "pattern"
              ? [test.pattern]
              : [test.text];
  return { key: one(condition.path.join(".")), values: values.map(text) };
}

const places: Record<string, string> = { triage: "Ticket triage", nightly: "Nightly check", "agent-1": "Helpdesk" };

/** The texts of a rule. */
export function ruleShown(of: Rule): RuleShown {
  const { tool, scope } = of;
  const place =
    scope.where === "conversation"
      ? places[scope.conversation]
      : scope.where === "agent"
        ? places[scope.agent]
        : scope.where === "folder"
          ? scope.folder.replace("/home/mira", "~")
          : undefined;
  return {
    name: one(of.name),
    tool: tool.of === "built_in" || tool.of === "server" ? one(tool.name) : [],
    server: tool.of === "server" ? one("Helpdesk") : null,
    conditions: of.conditions.map(conditionShown),
    place: place === undefined ? null : one(place),
    note: one(of.note),
    reason: one(of.verdict.says === "reject" ? of.verdict.reason : ""),
  };
}

export const ruleRow = (of: Rule, matches = 0, last_at: number | null = null, unused = false): RuleRow => ({
  rule: of,
  shown: ruleShown(of),
  matches,
  last_at,
  unused,
});

export const wordsOf = (...words: string[]): Condition => ({ is: "words", words, flags: [], further: true });

/** Four of the person's rules: two that reject, two that approve, one of them over. */
export const ruleRows = (now: number): RuleRow[] => [
  ruleRow(
    rule("rule-sudo", "no sudo", {
      verdict: { says: "reject", reason: "Do it without, or ask the person to do it." },
      conditions: [wordsOf("sudo")],
      samples: [
        { matches: true, arguments: '{"command":"sudo apt install x"}' },
        { matches: false, arguments: '{"command":"man sudo"}' },
      ],
      made_at: now - 40 * day,
    }),
    14,
    now - 3 * day,
  ),
  ruleRow(
    rule("rule-push", "no forced push", {
      conditions: [{ is: "words", words: ["git", "push"], flags: ["--force", "-f", "--mirror"], further: true }],
      note: "after the incident of 2 March",
      made_at: now - 30 * day,
    }),
    2,
    now - 9 * day,
  ),
  ruleRow(
    rule("rule-status", "git status", {
      verdict: { says: "approve" },
      conditions: [wordsOf("git", "status")],
      scope: { where: "folder", folder: "/home/mira/work/helpdesk" },
      made_at: now - 110 * day,
    }),
    211,
    now - 4 * minute,
  ),
  ruleRow(
    rule("rule-desk", "close duplicates", {
      on: false,
      verdict: { says: "approve" },
      tool: { of: "server", server: "server-1", name: "close_ticket", key: "k1" },
      conditions: [
        { is: "argument", path: ["reason"], test: { test: "starts_with", text: "duplicate of" } },
        { is: "argument", path: ["notify"], test: { test: "one_of", values: ["true", "false"] } },
      ],
      scope: { where: "conversation", conversation: "triage" },
      life: { lasts: "until", at: now + 6 * day },
      made_at: now - 100 * day,
    }),
    0,
    null,
    true,
  ),
  ruleRow(
    rule("rule-notes", "release notes", {
      verdict: { says: "approve" },
      tool: { of: "built_in", name: "write_file" },
      conditions: [{ is: "argument", path: ["path"], test: { test: "inside", folder: "docs" } }],
      scope: { where: "agent", agent: "agent-1" },
      life: { lasts: "run", conversation: "nightly" },
      made_at: now - 20 * day,
      ended_at: now - 19 * day,
    }),
    6,
    now - 19 * day,
  ),
];

const offer = (condition: Condition, on: boolean, group: number, approves = true): ConditionOffer => ({
  condition,
  shown: conditionShown(condition),
  on,
  approves,
  group,
});

const builtIn = (name: string, free_form = false) => ({
  tool: { of: "built_in" as const, name },
  shown: one(name),
  server: null,
  free_form,
});

const inPlace = [
  { scope: { where: "conversation" as const, conversation: "triage" }, shown: one("Ticket triage") },
  { scope: { where: "folder" as const, folder: "/home/mira/work/helpdesk" }, shown: one("~/work/helpdesk") },
  { scope: { where: "agent" as const, agent: "agent-1" }, shown: one("Helpdesk") },
  { scope: { where: "everywhere" as const }, shown: null },
];

const offered = {
  tools: [
    builtIn("run_command", true),
    builtIn("write_file"),
    builtIn("edit_file"),
    {
      tool: { of: "server" as const, server: "server-1", name: "close_ticket", key: "k1" },
      shown: one("close_ticket"),
      server: one("Helpdesk"),
      free_form: false,
    },
    { tool: { of: "any" as const }, shown: [], server: null, free_form: true },
    { tool: { of: "plan" as const }, shown: [], server: null, free_form: false },
  ],
  places: inPlace,
  free_form: false,
  unreadable: null,
};

/** What the builder starts with, for a ticket that is to be closed. */
export const ticketDraft = (taken: string[]): RuleDraft => {
  const id: Condition = { is: "argument", path: ["id"], test: { test: "is", value: "1234" } };
  const reason: Condition = { is: "argument", path: ["reason"], test: { test: "is", value: "duplicate of 1201" } };
  return {
    ...offered,
    rule: rule("", "close ticket", {
      verdict: { says: "approve" },
      tool: { of: "server", server: "server-1", name: "close_ticket", key: "k1" },
      conditions: [id, reason],
      scope: { where: "conversation", conversation: "triage" },
      life: { lasts: "conversation", conversation: "triage" },
    }),
    chosen: true,
    verb: one("Call close_ticket"),
    target: one("id 1234"),
    offers: [
      offer(id, true, 0),
      offer(reason, true, 1),
      offer({ is: "argument", path: ["reason"], test: { test: "starts_with", text: "duplicate of" } }, false, 1),
      offer({ is: "argument", path: ["reason"], test: { test: "contains", text: "duplicate" } }, false, 1, false),
    ],
    taken,
  };
};

/** The same for a command of several parts, with a red fact: the person says whether it is rejected or approved. */
export const commandDraft = (taken: string[]): RuleDraft => {
  const command = "git add -A && git push origin HEAD --force";
  const whole: Condition = { is: "argument", path: ["command"], test: { test: "is", value: command } };
  return {
    ...offered,
    rule: rule("", "git push", {
      conditions: [whole],
      scope: { where: "conversation", conversation: "triage" },
      life: { lasts: "conversation", conversation: "triage" },
    }),
    chosen: false,
    verb: one("Run a command"),
    target: [p("git add "), chip("+79", "cut"), p(" ../exports")],
    offers: [
      offer(whole, true, 0),
      offer({ is: "words", words: ["git", "push"], flags: ["--force"], further: true }, false, 0, false),
      offer(wordsOf("git", "push"), false, 0, false),
      offer(wordsOf("git"), false, 0, false),
    ],
    free_form: true,
    unreadable: "parts",
    taken,
  };
};

/** What fits several commands: one of them, or what they begin with. */
export const severalDraft = (taken: string[], count: number): RuleDraft => {
  const values = ["cargo nextest run", "cargo nextest run --release"];
  const each: Condition = { is: "argument", path: ["command"], test: { test: "one_of", values } };
  return {
    ...offered,
    rule: rule("", "cargo nextest", { conditions: [each] }),
    chosen: true,
    verb: one("Run a command"),
    target: one(`${count} selected calls`),
    offers: [offer(each, true, 0), offer(wordsOf("cargo", "nextest"), false, 0), offer(wordsOf("cargo"), false, 0)],
    free_form: true,
    taken,
  };
};

export const emptyDraft = (taken: string[]): RuleDraft => ({
  ...offered,
  places: inPlace.slice(3),
  rule: rule("", "", { tool: { of: "any" } }),
  chosen: false,
  verb: [],
  target: [],
  offers: [],
  taken,
});

export const editDraft = (of: Rule, taken: string[]): RuleDraft => ({
  ...offered,
  places: of.scope.where === "everywhere" ? inPlace : inPlace.filter((place) => place.scope.where !== "agent"),
  rule: of,
  chosen: true,
  verb: [],
  target: [],
  offers: of.conditions.map((condition, at) => offer(condition, true, at, of.verdict.says === "approve")),
  free_form: of.tool.of === "built_in" && of.tool.name === "run_command",
  taken,
});

export const dryRows = (now: number): DryRow[] => [
  {
    id: "h-mail",
    at: now - 2 * day,
    title: one("Ticket triage"),
    verb: one("Call close_ticket"),
    target: one("id 1188"),
    against: true,
    decision: one("Rejected"),
  },
  {
    id: "h-1198",
    at: now - 3 * day,
    title: one("Ticket triage"),
    verb: one("Call close_ticket"),
    target: one("id 1198"),
    against: false,
    decision: one("Ran"),
  },
];

export const traceRows: TraceRow[] = [
  { name: one("no sudo"), says: "abstains", reason: [] },
  { name: one("no forced push"), says: "rejects", reason: one("Push without force, or to a new branch.") },
];

export const trace: RuleTrace = {
  rows: traceRows,
  standing: "exact",
  mode: "auto",
  outcome: "rejected",
  fault: [],
};

const runs = (tool: string, part: Partial<RunsRow>): RunsRow => ({
  tool: one(tool),
  server: null,
  verdict: "asks",
  cause: "approval",
  gate: [],
  approving: [],
  rejecting: [],
  rejecting_rules: [],
  exact: 0,
  undeclared: false,
  ...part,
});

/** What tools do in a mode. */
export const runsRows = (mode: "plan" | "default" | "auto", closing: boolean): RunsRow[] => {
  const asking: Partial<RunsRow> =
    mode === "auto"
      ? { verdict: "runs", cause: "auto" }
      : mode === "plan"
        ? { verdict: "not_offered", cause: "plan" }
        : {};
  return [
    runs("read_file", { verdict: "runs", cause: "not_marked" }),
    runs("write_file", asking),
    runs("run_command", {
      ...asking,
      approving: [one("git status")],
      rejecting: [one("no sudo")],
      rejecting_rules: ["rule-sudo"],
      exact: 1,
    }),
    runs("close_ticket", {
      ...(closing && mode !== "plan" ? { verdict: "runs", cause: "standing" } : asking),
      server: one("Helpdesk"),
    }),
    runs("ask_user", { verdict: "asks_input", cause: "input" }),
    runs("lookup", { verdict: "runs", cause: "not_marked", server: one("Notes"), undeclared: true }),
    runs("fetch_page", { verdict: "not_offered", cause: "gate", gate: one("its group is off for this agent") }),
  ];
};

export const hint: RuleHint = {
  call: "h-lint",
  verb: one("Run a command"),
  target: one("git status"),
  times: 14,
  key: "git status",
};
