import type { App } from "../lib/app.svelte";
import type { Decision, Detail, Entry, Mark, RequestRow, RuleRow, SetCard } from "../lib/ipc/bindings";
import type { FakeIpc } from "../lib/ipc/fake";
import { details, longCommand, question } from "../lib/ipc/fixture-details";
import { heldDetail, heldSet } from "../lib/ipc/fixture-held";
import { rule, ruleRow, ruleRows } from "../lib/ipc/fixture-rules";
import { transcripts } from "../lib/ipc/fixture-transcripts";
import { one, questionSet, sets } from "../lib/ipc/fixtures";

import type { Building } from "../lib/state/rules.svelte";

/** When the stories are: fixed, so that pictures of them can be compared. */
export const now = 1_772_000_000_000;

export const all = new Map(
  [...details(now), question(now), { ...longCommand(now), id: "r-long" }, heldDetail(now)].map((detail) => [
    detail.id,
    detail,
  ]),
);
const cards = [...sets(now), questionSet(now), heldSet(now)];

const nothing = () => undefined;

interface Bar {
  id?: string;
  detail?: Partial<Detail>;
  decision?: Decision;
  set?: Partial<SetCard>;
  row?: Partial<RequestRow>;
  whole?: boolean;
  remaining?: number;
  armed?: boolean;
  refusal?: string;
  writing?: "reason" | "note";
  correcting?: boolean;
}

/** What the decision bar is given in a scene. */
export function bar({ id = "r-close", detail, decision, set, row, whole, remaining, armed, refusal, ...rest }: Bar) {
  const found = cards.find((card) => card.rows.some((one) => one.id === id));
  const draft = (for_: Decision) => ({ decision: for_, digest: "d" });
  const rows = (found?.rows ?? []).map((one): RequestRow => {
    if (one.id === id) return { ...one, draft: decision === undefined ? null : draft(decision), ...row };
    return whole ? { ...one, draft: draft({ say: "approve" }) } : one;
  });
  return {
    detail: { ...(all.get(id) ?? all.get("r-close")!), ...detail },
    row: rows.find((one) => one.id === id) ?? null,
    set: found === undefined ? null : { ...found, rows, ...set },
    remaining: remaining ?? 0,
    armed: armed ?? true,
    system: "linux",
    refusal: refusal ?? null,
    writing: rest.writing ?? null,
    correcting: rest.correcting ?? false,
    reason: rest.writing === "reason" ? "not --force; open a pull request" : "",
    recent: rest.writing === "reason" ? ["use --dry-run first", "wrong branch"] : [],
    note: { text: rest.writing === "note" ? "as agreed" : "", tell: false },
    onapprove: nothing,
    onmore: nothing,
    onreject: nothing,
    onreasonopen: nothing,
    onreason: nothing,
    onrejectwith: nothing,
    onnoteopen: nothing,
    onnote: nothing,
    onapprovewith: nothing,
    onundo: nothing,
    ontakeback: nothing,
    onchange: nothing,
    onaskagain: nothing,
    onopen: nothing,
    oncorrect: nothing,
    onrule: nothing,
  };
}

const closed = (expired: boolean): Detail["state"] => ({
  is: "closed",
  in_doubt: false,
  label: expired ? "Expired" : "Answered",
  text: expired ? "Expired: the conversation moved on at 14:05. This call was never made." : "Answered at 14:02.",
  expired,
  outcome: null,
  result: null,
  whole: null,
  at: now,
});

/** Every state of the decision bar, by name. */
export const bars: [string, Bar][] = [
  ["waiting", {}],
  ["waiting, unarmed", { armed: false }],
  ["gate", { id: "r-push", remaining: 1240 }],
  ["high risk", { id: "r-push" }],
  ["plan", { id: "r-plan" }],
  ["question", { id: "r-ask" }],
  ["held by a server", { id: "q-ticket" }],
  ["approved, not run", { id: "r-late" }],
  ["staged, others open", { decision: { say: "approve" } }],
  ["staged, all", { decision: { say: "approve_for_conversation", reach: "exact", any_command: false }, whole: true }],
  ["staged, waits for Send", { id: "r-push", decision: { say: "approve" }, whole: true, set: { grace: null } }],
  ["staged, rejected", { decision: { say: "reject", reason: null }, whole: true }],
  ["reason", { writing: "reason" }],
  ["note", { writing: "note" }],
  ["correcting", { correcting: true }],
  ["sending", { decision: { say: "approve" }, set: { sending: "sending" } }],
  ["queued", { decision: { say: "approve" }, row: { queued: true } }],
  ["changed", { id: "r-edit", detail: { state: { is: "open", digest: "d", draft: null, changed: true } } }],
  ["tool gone", { detail: { gone: true } }],
  ["refused", { refusal: "Not sent: a new request came in. It is shown above; your 2 decisions are kept." }],
  ["closed, expired", { detail: { state: closed(true) } }],
  ["closed, answered", { detail: { state: closed(false) } }],
];

/** Rows of a set in each of their states. */
export function rowScenes(): [string, { row: RequestRow; set: SetCard; selected?: boolean; muted?: boolean }][] {
  const triage = cards[0]!;
  const [call, risk, edit] = triage.rows as [RequestRow, RequestRow, RequestRow];
  const approve = { decision: { say: "approve" } as Decision, digest: "d" };
  const rowOf = (id: string) => cards.flatMap((card) => card.rows).find((one) => one.id === id)!;
  return [
    ["call", { row: call, set: triage }],
    ["selected", { row: call, set: triage, selected: true }],
    ["high risk", { row: risk, set: triage }],
    ["staged", { row: { ...edit, draft: approve }, set: triage }],
    ["sending", { row: { ...edit, draft: approve }, set: { ...triage, sending: "sending" } }],
    ["queued", { row: { ...edit, draft: approve, queued: true }, set: triage }],
    ["rejected before", { row: { ...call, rejected_at: now }, set: triage }],
    ["muted by a filter", { row: call, set: triage, muted: true }],
    ["plan", { row: rowOf("r-plan"), set: triage }],
    ["question", { row: rowOf("r-ask"), set: triage }],
    ["approved, not run", { row: rowOf("r-late"), set: triage }],
    ["held by a server", { row: rowOf("q-ticket"), set: triage }],
    ["of a sub-agent", { row: { ...call, path: [one("researcher")] }, set: triage }],
  ];
}

/** What the set bar says, by what the first set is in. */
export const setBars: [string, (app: App) => void][] = (
  [
    ["nothing decided", {}, 0],
    ["one decided", {}, 1],
    ["in grace", { grace: { ends_at: Date.now() + 3000, total_ms: 3000 } }, 3],
    ["high risk waits", { waits_for_send: true }, 3],
    ["sending", { sending: "sending" }, 3],
    ["refused", { refused: { text: "1 of 3 answers had expired, so nothing was sent.", left: 2 } }, 2],
  ] as [string, Partial<SetCard>, number][]
).map(([name, change, staged]) => [
  name,
  (app) => {
    const card = [...app.inbox.sets.values()].find((one) => one.rows.length === 3);
    if (card === undefined) return;
    const rows = card.rows.map((row, at): RequestRow => {
      return at < staged ? { ...row, draft: { decision: { say: "approve" }, digest: "d" } } : row;
    });
    app.inbox.apply(card.id, { ...card, rows, ...change });
    app.inbox.select(rows[0]!.id);
  },
]);

/** Whole screens, by where they are. */
export const screens: [string, App["router"]["screen"], string | null, (ipc: FakeIpc) => void][] = [
  ["inbox", "inbox", null, nothing],
  ["conversation, waiting", "conversations", "triage", nothing],
  ["conversation, running", "conversations", "nightly", nothing],
  ["conversation, failed", "conversations", "blog", nothing],
  ["history", "history", null, nothing],
  ["rules", "rules", null, nothing],
  ["rules, none", "rules", null, (ipc) => (ipc.rules.rows = [])],
  ["rules, some unreadable", "rules", null, (ipc) => (ipc.rules.unreadable = 2)],
  ["standing approvals", "rules", "standing", nothing],
  ["runs without asking", "rules", "runs", nothing],
  ["a call is tried", "rules", "test", nothing],
  ["settings, general", "settings", "general", nothing],
  ["settings, deciding", "settings", "deciding", nothing],
  ["settings, notifications", "settings", "notifications", nothing],
  ["settings, agents", "settings", "agents", nothing],
  ["settings, tools", "settings", "tools", (ipc) => ipc.addServers()],
  ["settings, keyboard", "settings", "keyboard", nothing],
  ["settings, accessibility", "settings", "accessibility", nothing],
  ["settings, data", "settings", "data", nothing],
  ["settings, about", "settings", "about", nothing],
  [
    "rehearsal",
    "inbox",
    null,
    (ipc) => {
      const text = "Read the command to its end, then press R to reject it.";
      ipc.snapshot = { ...ipc.snapshot, rehearsal: { conversation: "triage", step: 3, steps: 6, text } };
    },
  ],
];

const marks: Mark["what"][] = [
  { is: "forked", conversation: "triage", title: one("Ticket triage") },
  { is: "forked", conversation: null, title: one("Old triage") },
  { is: "forked", conversation: null, title: null },
  { is: "mode", mode: "plan", ends: false, until: null },
  { is: "mode", mode: "auto", ends: true, until: null },
];

/** A transcript with each kind of line between its entries, and a run that came to its limit. */
export const lines: Entry[] = (transcripts(now)["manual"] ?? []).map((entry, at) =>
  at === 0 ? { ...entry, marks: marks.map((what): Mark => ({ at: entry.at, what })) } : entry,
);

/** The builder of a rule, by what it begins with. */
export const builders: [string, Building, (ipc: FakeIpc) => void][] = [
  ["from a call", { from: { from: "call", id: "r-close" }, copy: false, waits: true }, nothing],
  ["from a dangerous call", { from: { from: "call", id: "r-push" }, copy: false, waits: true }, nothing],
  ["editing", { from: { from: "rule", id: "rule-push" }, copy: false, waits: false }, nothing],
  [
    "editing, the tool changed",
    { from: { from: "rule", id: "rule-desk" }, copy: false, waits: false },
    (ipc) => (ipc.rules.lost = true),
  ],
  ["empty", { from: { from: "nothing" }, copy: false, waits: false }, nothing],
];

/** Rules as rows, by what they are in. */
export const ruleScenes = (): [string, RuleRow, boolean][] => {
  const rows = ruleRows(now);
  const [sudo, , , off, ended] = rows as [RuleRow, RuleRow, RuleRow, RuleRow, RuleRow];
  const any = rule("any", "no writes outside", {
    tool: { of: "any" },
    conditions: [{ is: "argument", path: ["path"], test: { test: "pattern", pattern: "^/etc/" } }],
  });
  const plan = rule("plan", "no plan on Friday", { tool: { of: "plan" } });
  const download = rule("load", "no download to a shell", { conditions: [{ is: "download_to_shell" }] });
  const host = rule("host", "own hosts", {
    verdict: { says: "approve" },
    tool: { of: "built_in", name: "http_fetch" },
    conditions: [{ is: "argument", path: ["url"], test: { test: "host", host: "example.org", below: true } }],
    life: { lasts: "quit" },
  });
  const hidden = rule("hidden", "with a hidden character", {
    conditions: [{ is: "argument", path: ["command"], test: { test: "contains", text: "rm \u202e-rf" } }],
  });
  const gone = rule("gone", "of a conversation that is gone", {
    scope: { where: "conversation", conversation: "away" },
  });
  return [
    ["reject", sudo, false],
    ["deleted", sudo, true],
    ["off", off, false],
    ["ended", ended, false],
    ...[any, plan, download, host, hidden, gone].map((one): [string, RuleRow, boolean] => [
      one.name,
      ruleRow(one),
      false,
    ]),
  ];
};
