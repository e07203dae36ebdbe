// What the made-up backend starts with; long because one picture of a busy day is shared by all tests of the window.
import type {
  Agent,
  Asking,
  Chip,
  ClosedRow,
  ConversationRow,
  HistoryRow,
  Piece,
  SetCard,
  Snapshot,
  Spent,
  EditField,
  Similar,
  StandingRow,
} from "./bindings";
import { defaults } from "../settings";

/** What the made-up backend starts with. Times are counted back from the moment it starts. */

export const p = (s: string): Piece => ({ t: "text", s });
export const chip = (s: string, k: Chip = "hidden"): Piece => ({ t: "chip", s, k });
export const one = (s: string): Piece[] => [p(s)];

export const minute = 60_000;

/** A model that is asked for nothing of its own. */
export const plainly: Asking = {
  temperature: null,
  most_tokens: null,
  thinking: { is: "unstated" },
  headers: [],
  prices: null,
};

export const agents: Agent[] = [
  {
    id: "agent-1",
    revision: 3,
    name: "Helpdesk",
    instructions: "You keep the ticket list tidy.",
    format: "open_ai_chat",
    base_url: "http://127.0.0.1:11434/v1",
    model: "gpt-oss",
    key: { from: "none" },
    folder: "/home/mira/work/helpdesk",
    start_mode: "default",
    rounds: 25,
    tools: null,
    caps: { model_calls: 200, agents: 50, beside: 8 },
    servers: [],
    sub_agents: [],
    groups: null,
    zone: "unstated",
    ceiling: "enforce",
    hold: "strongest",
    network: "on",
    private_addresses: false,
    asking: plainly,
  },
  {
    id: "agent-2",
    revision: 1,
    name: "Release",
    instructions: "",
    format: "anthropic_messages",
    base_url: "https://models.example.org/v1",
    model: "claude-sonnet",
    key: { from: "keyring" },
    folder: "/home/mira/work/product",
    start_mode: "plan",
    rounds: 40,
    tools: null,
    caps: { model_calls: 200, agents: 50, beside: 8 },
    servers: [],
    sub_agents: [],
    groups: null,
    zone: "unstated",
    ceiling: "enforce",
    hold: "strongest",
    network: "on",
    private_addresses: false,
    asking: plainly,
  },
];

/** Nothing used up. */
export const none: Spent = {
  calls: 0,
  counted: 0,
  priced: 0,
  tokens_in: 0,
  tokens_out: 0,
  cached: 0,
  written: 0,
  costs: [],
};

export const conversation = (row: Partial<ConversationRow> & { id: string }, title: string): ConversationRow => ({
  title: one(title),
  agent: "agent-1",
  agent_name: one("Helpdesk"),
  model: one("gpt-oss"),
  folder: one("~/work/helpdesk"),
  mode: "default",
  auto_ends: false,
  auto_until: null,
  state: { is: "idle", unfinished: false },
  at: 0,
  waiting: 0,
  approved: 0,
  standing: 0,
  steering: [],
  beside: [],
  queued: false,
  spent: { ...none, calls: 3, counted: 3, tokens_in: 1204, tokens_out: 310 },
  ...row,
});

export const conversations = (now: number): ConversationRow[] => [
  conversation(
    { id: "triage", state: { is: "waiting" }, waiting: 3, standing: 2, at: now - 12 * minute },
    "Ticket triage",
  ),
  conversation(
    {
      id: "release",
      agent: "agent-2",
      agent_name: one("Release"),
      model: one("claude-sonnet"),
      folder: one("~/work/product"),
      mode: "plan",
      state: { is: "waiting" },
      waiting: 1,
      at: now - 4 * minute,
    },
    "Release notes",
  ),
  conversation(
    {
      id: "nightly",
      model: one("qwen3"),
      folder: one("~/code/site"),
      mode: "auto",
      auto_ends: true,
      auto_until: null,
      state: { is: "running", since: now - 14_000, round: 3, limit: 25, doing: [one("run_command")], stopping: false },
      steering: [one("Also compare the images.")],
      at: now - minute,
    },
    "Nightly check",
  ),
  conversation(
    {
      id: "docs",
      folder: one("~/code/docs"),
      state: { is: "running", since: now - 5000, round: 1, limit: 25, doing: [], stopping: false },
      at: now - 2 * minute,
    },
    "Docs",
  ),
  conversation(
    {
      id: "blog",
      state: { is: "failed", text: "The model server refused the connection.", help: "edit_agent" },
      at: now - 3 * 60 * minute,
    },
    "Blog",
  ),
  conversation({ id: "garden", state: { is: "idle", unfinished: true }, at: now - 26 * 60 * minute }, "Garden"),
];

export const sets = (now: number): SetCard[] => {
  const shared = {
    auto_ends: false,
    auto_until: null,
    held: [],
    grace: null,
    sending: "idle" as const,
    waits_for_send: false,
    refused: null,
    later: null,
  };
  return [
    {
      ...shared,
      id: "triage",
      conversation: "triage",
      title: one("Ticket triage"),
      mode: "default",
      oldest_at: now - 12 * minute,
      rows: [
        {
          id: "r-close",
          kind: "call",
          path: [],
          verb: one("Call close_ticket"),
          target: one("helpdesk id 1234"),
          group: "other",
          high_risk: false,
          opened_at: now - 12 * minute,
          draft: null,
          queued: false,
          beside: false,
          held_by: null,
          rejected_at: null,
        },
        {
          id: "r-push",
          kind: "call",
          path: [],
          verb: one("Run a command"),
          target: [p("git add "), chip("+79", "cut"), p(" rm -rf "), chip("+44", "cut_hidden"), p(" ../exports")],
          group: "commands",
          high_risk: true,
          opened_at: now - 12 * minute,
          draft: null,
          queued: false,
          beside: false,
          held_by: null,
          rejected_at: null,
        },
        {
          id: "r-edit",
          kind: "call",
          path: [],
          verb: one("Edit a file"),
          target: one("triage/rules.toml"),
          group: "files",
          high_risk: false,
          opened_at: now - 12 * minute,
          draft: null,
          queued: false,
          beside: false,
          held_by: null,
          rejected_at: null,
        },
      ],
      held: [
        { verb: one("Read a file"), target: one("triage/list.md"), then: one("runs after your answer") },
        { verb: one("List files"), target: one("triage"), then: one("runs after your answer") },
      ],
    },
    {
      ...shared,
      id: "release",
      conversation: "release",
      title: one("Release notes"),
      mode: "plan",
      oldest_at: now - 4 * minute,
      rows: [
        {
          id: "r-plan",
          kind: "plan",
          path: [],
          verb: one("Plan: 6 steps"),
          target: one("Prepare the 2.4 release"),
          group: "plans",
          high_risk: false,
          opened_at: now - 4 * minute,
          draft: null,
          queued: false,
          beside: false,
          held_by: null,
          rejected_at: null,
        },
      ],
    },
    {
      ...shared,
      id: "garden",
      conversation: "garden",
      title: one("Garden"),
      mode: "default",
      oldest_at: now - 1 * minute,
      rows: [
        {
          id: "r-late",
          kind: "approved",
          path: [],
          verb: one("Create a file"),
          target: one("beds/2027.md"),
          group: "files",
          high_risk: false,
          opened_at: now - 60 * minute,
          draft: null,
          queued: false,
          beside: false,
          held_by: null,
          rejected_at: null,
        },
      ],
    },
  ];
};

export const questionSet = (now: number): SetCard => ({
  id: "nightly",
  conversation: "nightly",
  title: one("Nightly check"),
  mode: "auto",
  auto_ends: true,
  auto_until: null,
  oldest_at: now - 20 * minute,
  rows: [
    {
      id: "r-ask",
      kind: "question",
      path: [],
      verb: one("Asks for input"),
      target: one("“Which branch is the baseline?”"),
      group: "other",
      high_risk: false,
      opened_at: now - 20 * minute,
      draft: null,
      queued: false,
      beside: false,
      held_by: null,
      rejected_at: null,
    },
  ],
  held: [],
  grace: null,
  sending: "idle",
  waits_for_send: false,
  refused: null,
  later: null,
});

export const closed = (now: number): ClosedRow[] => [
  {
    id: "h-mail",
    conversation: "triage",
    title: one("Ticket triage"),
    path: [],
    verb: one("Send mail"),
    target: one("to 2 people"),
    label: "Expired: conversation moved on",
    was: "expired",
    expired: true,
    unknown: false,
    at: now - 41 * minute,
  },
  {
    id: "h-1201",
    conversation: "triage",
    title: one("Ticket triage"),
    path: [],
    verb: one("Call close_ticket"),
    target: one("id 1201"),
    label: "Approved",
    was: "approved",
    expired: false,
    unknown: false,
    at: now - 68 * minute,
  },
];

export const history = (now: number): HistoryRow[] => {
  const rows: [string, string, string, Piece[], string, string, string, HistoryRow["tone"], number | null, number][] = [
    ["h-1234", "Ticket triage", "Call close_ticket", one("id 1234"), "Approved", "you", "ran ok", "ok", 6000, 1],
    [
      "h-push",
      "Ticket triage",
      "Run a command",
      [p("git push "), chip("+29", "cut")],
      "Rejected",
      "you",
      "told the agent",
      "plain",
      21_000,
      1,
    ],
    ["h-test", "Nightly check", "Run a command", one("cargo nextest run"), "Ran", "Auto", "ran ok", "ok", null, 5],
    [
      "h-curl",
      "Nightly check",
      "Run a command",
      [p("curl "), chip("+41", "cut"), p(" | sh")],
      "Rejected",
      "rule: no download to shell",
      "told the agent",
      "plain",
      null,
      6,
    ],
    [
      "h-plan",
      "Release notes",
      "Plan: 5 steps",
      [p("Prepare the "), chip("+11", "cut")],
      "Sent back",
      "you",
      "told the agent",
      "plain",
      62_000,
      23,
    ],
    [
      "h-mail",
      "Ticket triage",
      "Send mail",
      one("to 2 people"),
      "Expired",
      "conversation moved on",
      "never made",
      "plain",
      null,
      42,
    ],
    [
      "h-1198",
      "Ticket triage",
      "Call close_ticket",
      one("id 1198"),
      "Ran",
      "standing approval",
      "ran ok",
      "ok",
      null,
      68,
    ],
    ["h-1201", "Ticket triage", "Call close_ticket", one("id 1201"), "Approved", "you", "ran ok", "ok", 4000, 69],
    [
      "h-doc",
      "Docs",
      "Write a file",
      [chip("+18", "cut"), p("/guide/install.md")],
      "Approved",
      "you",
      "outcome unknown",
      "unknown",
      9000,
      60 * 26,
    ],
    ["h-lint", "Docs", "Run a command", one("npm run lint"), "Approved", "you", "failed", "failed", 3000, 60 * 27],
  ];
  return rows.map(([id, title, verb, target, decision, by, outcome, tone, took_ms, ago], index) => ({
    seq: 41 - index,
    id,
    at: now - ago * minute,
    title: one(title),
    path: [],
    verb: one(verb),
    target,
    decision,
    expired: decision === "Expired",
    by: one(by),
    outcome,
    tone,
    took_ms,
  }));
};

export const standing = (now: number): StandingRow[] => [
  {
    id: "s-1",
    conversation: "triage",
    title: one("Ticket triage"),
    tool: one("close_ticket"),
    reach: "any arguments",
    since: now - 69 * minute,
    used: 5,
    last_used: now - 68 * minute,
  },
  {
    id: "s-2",
    conversation: "triage",
    title: one("Ticket triage"),
    tool: one("run_command"),
    reach: "this exact call",
    since: now - 30 * minute,
    used: 1,
    last_used: now - 20 * minute,
  },
];

export const snapshot = (now: number): Snapshot => ({
  seq: 0,
  space: "main",
  sets: sets(now),
  closed: closed(now),
  conversations: conversations(now),
  agents,
  settings: defaults,
  first_run: false,
  rehearsal: null,
  rehearsal_stored: true,
  notices: null,
  version: "0.1.0",
  data_folder: "/home/mira/.local/share/countersign",
  system: "linux",
  system_speaks: "en",
});

/** The last decisions about calls of a tool, as *Similar* shows them. */
export function similar(): Similar[] {
  const part = (s: string, changed: boolean) => ({ text: one(s), changed });
  return [
    {
      id: "r-old-1",
      decision: "Approved",
      at: Date.now() - 26 * 60 * minute,
      title: one("Nightly check"),
      target: one("git push origin main"),
      last_approved: true,
      differences: [
        {
          name: one("command"),
          other: [part("git push ", false), part("origin main", true)],
          this: [part("git push ", false), part("--force", true)],
        },
      ],
      more: 0,
    },
    {
      id: "r-old-2",
      decision: "Rejected",
      at: Date.now() - 50 * 60 * minute,
      title: one("Release notes"),
      target: one("git push --force"),
      last_approved: false,
      differences: [],
      more: 0,
    },
  ];
}

/** Arguments in the correction editor. */
export function editable(): EditField[] {
  return [
    {
      key: "command",
      name: one("command"),
      stored: one("git push --force origin main"),
      text: "git push --force origin main",
      is_text: true,
    },
    { key: "timeout_s", name: one("timeout_s"), stored: one("5"), text: "5", is_text: false },
  ];
}
