import { whole } from "../long";
import type {
  CallLine,
  CallTone,
  ConversationRow,
  Detail,
  Entry,
  PathAgent,
  Piece,
  RequestRow,
  SetCard,
} from "./bindings";
import { base, raw, word } from "./fixture-details";
import { conversation, minute, one } from "./fixtures";

/** Two conversations whose agents have started others: one waits for what they ask, the other goes on beside them. */

const step = (name: string, model: string, task: string): PathAgent => ({
  name: one(name),
  model: one(model),
  task: one(task),
});

const researcher = step("researcher", "qwen3", "Find out what the three vendors charge for 50 seats.");
const reader = step("reader", "gpt-oss", "Read the price list in downloads/ and give the figures.");
const translator = step("translator", "gpt-oss", "Put the German price list into English.");
const checker = step("checker", "phi4", "Check the figures against the original.");
const links = step("link_checker 1", "qwen3", "Follow every link of the new pages.");

const row = (id: string, path: PathAgent[], part: Partial<RequestRow>): RequestRow => ({
  id,
  kind: "call",
  path: path.map((agent) => agent.name),
  verb: one("Run a command"),
  target: one(""),
  group: "commands",
  high_risk: false,
  opened_at: 0,
  draft: null,
  queued: false,
  beside: false,
  held_by: null,
  rejected_at: null,
  ...part,
});

const set = (id: string, title: string, rows: RequestRow[]): SetCard => ({
  id,
  conversation: id,
  title: one(title),
  mode: "default",
  auto_ends: false,
  auto_until: null,
  oldest_at: Math.min(...rows.map((one) => one.opened_at)),
  rows,
  held: [],
  grace: null,
  sending: "idle",
  waits_for_send: false,
  refused: null,
  later: null,
});

export const conversations = (now: number): ConversationRow[] => [
  conversation(
    {
      id: "survey",
      agent_name: one("Analyst"),
      folder: one("~/work/survey"),
      state: { is: "waiting" },
      waiting: 3,
      at: now - 6 * minute,
    },
    "Price survey",
  ),
  conversation(
    {
      id: "launch",
      agent_name: one("Site"),
      folder: one("~/code/site"),
      state: { is: "running", since: now - 95_000, round: 4, limit: 25, doing: [], stopping: false },
      waiting: 1,
      beside: [
        { name: links.name, since: now - 3 * minute, waits: true },
        { name: one("writer 2"), since: now - 2 * minute, waits: false },
      ],
      at: now - minute,
    },
    "Site launch",
  ),
];

/** The rows come in the model's order; what was asked first stands last in it. */
export const sets = (now: number): SetCard[] => [
  set("survey", "Price survey", [
    row("r-deep", [researcher, reader, translator, checker], {
      verb: one("Create a file"),
      target: one("notes/vendor-b.md"),
      group: "files",
      opened_at: now - 6 * minute,
    }),
    row("r-own", [], {
      verb: one("Edit a file"),
      target: one("survey.md"),
      group: "files",
      opened_at: now - 5 * minute,
    }),
    row("r-fetch", [researcher], {
      target: one("curl -O https://vendor-a.example/prices.pdf"),
      opened_at: now - 7 * minute,
    }),
  ]),
  set("launch", "Site launch", [
    row("r-links", [links], { target: one("npm run check-links"), opened_at: now - minute, beside: true }),
  ]),
];

const command = (program: string, rest: string): Detail["payload"] => ({
  p: "command",
  analysable: true,
  folder: one("~/work/survey"),
  segments: whole([{ operator: "", high_risk: false, words: [word(program, "program"), word(rest)] }]),
});

const created = (path: string, text: string): Detail["payload"] => ({
  p: "create",
  path: one(path),
  lines: whole([{ d: "added", new: 1, begins: false, parts: [{ text: one(text), changed: false }] }]),
});

export const details = (now: number): Detail[] => [
  {
    ...base("r-fetch", "survey", "Price survey", now - 7 * minute),
    path: [researcher],
    verb: one("Run a command"),
    tool: one("run_command"),
    model: one("qwen3"),
    payload: command("curl", " -O https://vendor-a.example/prices.pdf"),
    raw: raw('{"command":"curl -O https://vendor-a.example/prices.pdf"}'),
    facts: [{ text: one("talks to vendor-a.example"), tone: "plain" }],
    agent_says: one("The price list is only there as a file."),
    defaults: [
      { name: one("timeout"), value: one("60") },
      { name: one("background"), value: one("false") },
    ],
  },
  {
    ...base("r-deep", "survey", "Price survey", now - 6 * minute),
    path: [researcher, reader, translator, checker],
    verb: one("Create a file"),
    tool: one("write_file"),
    model: one("phi4"),
    payload: created("notes/vendor-b.md", "# Vendor B: 41 a seat"),
    raw: raw('{"path":"notes/vendor-b.md","content":"# Vendor B: 41 a seat"}'),
    facts: [{ text: one("writes in the workspace"), tone: "plain" }],
  },
  {
    ...base("r-own", "survey", "Price survey", now - 5 * minute),
    verb: one("Edit a file"),
    tool: one("edit_file"),
    payload: created("survey.md", "| B | 41 |"),
    raw: raw('{"path":"survey.md"}'),
  },
  {
    ...base("r-links", "launch", "Site launch", now - minute),
    path: [links],
    verb: one("Run a command"),
    tool: one("run_command"),
    model: one("qwen3"),
    payload: command("npm", " run check-links"),
    raw: raw('{"command":"npm run check-links"}'),
  },
];

const call = (id: string, verb: string, target: string, words: string, tone: CallTone): CallLine => ({
  call: id,
  request: tone === "waiting" ? id : null,
  verb: one(verb),
  target: one(target),
  words,
  tone,
  result: tone === "ran" ? one("ok\n") : null,
  agent: null,
  asked: [],
});

const said = (seq: number, at: number, text: string): Entry => ({
  seq,
  at,
  body: { e: "user", text: one(text) },
  end: null,
  marks: [],
});

const turn = (seq: number, at: number, text: string, calls: CallLine[] = []): Entry => ({
  seq,
  at,
  body: {
    e: "assistant",
    blocks: text === "" ? [] : [{ b: "paragraph", line: 1, inlines: [{ i: "text", text: one(text) }] }],
    calls,
  },
  end: null,
  marks: [],
});

const started = (
  id: string,
  name: Piece[],
  task: Piece[],
  agent: Partial<NonNullable<CallLine["agent"]>>,
): CallLine => ({
  ...call(id, "Start an agent", "", "ran, no approval needed", "ran"),
  target: [...name, { t: "text", s: ": " }, ...task],
  agent: { name, beside: false, words: "done", tone: "ran", entries: [], ...agent },
});

export const transcripts = (now: number): Record<string, Entry[]> => {
  const task = (agent: PathAgent): Entry => ({
    seq: 1,
    at: now - 8 * minute,
    body: { e: "user", text: agent.task },
    end: null,
    marks: [],
  });
  return {
    survey: [
      said(1, now - 9 * minute, "What would 50 seats cost with the three vendors?"),
      turn(2, now - 8 * minute, "I let the researcher look, and compare when the figures are there.", [
        started("s-scout", one("scout"), one("List the vendors."), {
          entries: [said(1, now - 9 * minute, "List the vendors."), turn(2, now - 9 * minute, "A, B and C.")],
        }),
        {
          ...started("s-researcher", researcher.name, researcher.task, {
            words: "waits for you",
            tone: "waiting",
            entries: [
              task(researcher),
              turn(2, now - 8 * minute, "", [
                call("c-list", "List files", "downloads", "ran, no approval needed", "ran"),
                call(
                  "r-fetch",
                  "Run a command",
                  "curl -O https://vendor-a.example/prices.pdf",
                  "waits for you",
                  "waiting",
                ),
                {
                  ...started("s-reader", reader.name, reader.task, {
                    words: "waits for you",
                    tone: "waiting",
                    entries: [task(reader), turn(2, now - 7 * minute, "I have the list of vendor B translated first.")],
                  }),
                  words: "waits for you",
                  tone: "waiting",
                },
              ]),
            ],
          }),
          words: "waits for you",
          tone: "waiting",
        },
      ]),
    ],
    launch: [
      said(1, now - 4 * minute, "Get the site ready for the launch."),
      turn(2, now - 3 * minute, "Two things can go on beside me.", [
        started("s-links", links.name, links.task, {
          beside: true,
          words: "waits for you",
          tone: "waiting",
          entries: [
            task(links),
            turn(2, now - minute, "", [
              call("r-links", "Run a command", "npm run check-links", "waits for you", "waiting"),
            ]),
          ],
        }),
        started("s-writer", one("writer 2"), one("Draft the announcement."), {
          beside: true,
          words: "at work",
          tone: "running",
          entries: [said(1, now - 2 * minute, "Draft the announcement.")],
        }),
      ]),
      turn(3, now - minute, "Meanwhile I go through the images."),
    ],
  };
};
