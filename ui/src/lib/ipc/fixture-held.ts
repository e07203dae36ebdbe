import { whole } from "../long";
import type { AskedLine, Detail, SetCard } from "./bindings";
import { base, raw } from "./fixture-details";
import { minute, one } from "./fixtures";

/** What a server holds open in the middle of a call of a conversation that runs. */

const message = "Which ticket is it, and with whose key?";

export const heldSet = (now: number, id = "q-ticket"): SetCard => ({
  id,
  conversation: "nightly",
  title: one("Nightly check"),
  mode: "auto",
  auto_ends: true,
  auto_until: null,
  oldest_at: now - minute,
  rows: [
    {
      id,
      kind: "question",
      path: [],
      verb: one("Asks for input"),
      target: one(`“${message}”`),
      group: "other",
      high_risk: false,
      opened_at: now - minute,
      draft: null,
      queued: false,
      beside: false,
      held_by: one("helpdesk"),
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

export const heldDetail = (now: number, id = "q-ticket"): Detail => ({
  ...base(id, "nightly", "Nightly check", now - minute),
  kind: "question",
  mode: "auto",
  auto_ends: true,
  auto_until: null,
  model: one("qwen3"),
  folder: one("~/code/site"),
  verb: one("Asks for input"),
  tool: one("close_ticket"),
  reaches: [],
  payload: {
    p: "question",
    question: one(message),
    tool: one("helpdesk"),
    fields: [
      {
        key: "ticket",
        label: one("Ticket"),
        help: one("The number in its address."),
        required: true,
        kind: { f: "number", whole: true, least: "1", most: null },
        default: null,
        secret: false,
      },
      {
        key: "access_key",
        label: one("Access key"),
        help: null,
        required: false,
        kind: { f: "text", long: false },
        default: null,
        secret: true,
      },
    ],
    others: whole([]),
  },
  raw: raw(`${message}\n\n{"type":"object"}`),
  why: {
    rules: one("rules judge calls; this is asked inside one"),
    standing: "none covers a question",
    mode: "a question asks in every mode",
    trace: [],
  },
  held_by: one("helpdesk"),
});

export const askedLines: AskedLine[] = [
  {
    request: "q-before",
    verb: one("Asks for input"),
    target: one("“Which project?”"),
    words: "withdrawn: the server stopped waiting",
    tone: "never",
  },
  {
    request: "q-ticket",
    verb: one("Asks for input"),
    target: one(`“${message}”`),
    words: "waits for you",
    tone: "waiting",
  },
];
