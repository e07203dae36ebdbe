import type { CallLine, Entry, QuickRow, QuickTask } from "./bindings";
import { minute, none, one, p } from "./fixtures";

/** Quick tasks of the made-up backend. */

const call = (call: string, verb: string, target: string, words: string, tone: CallLine["tone"]): CallLine => ({
  call,
  request: null,
  verb: one(verb),
  target: one(target),
  words,
  tone,
  result: tone === "ran" ? one("2 files\n") : null,
  agent: null,
  asked: [],
});

const round = (seq: number, at: number, words: string, calls: CallLine[]): Entry => ({
  seq,
  at,
  body: { e: "assistant", blocks: [{ b: "plain", text: [p(words)] }], calls },
  end: null,
  marks: [],
});

export const quickTask = (now: number, change: Partial<QuickTask> = {}): QuickTask => ({
  id: "quick-done",
  agent: "agent-1",
  agent_name: one("Helpdesk"),
  folder: one("~/work/helpdesk"),
  mode: "default",
  text: one("Which notes have open points?"),
  at: now - 40 * minute,
  state: { is: "done" },
  result: [{ b: "plain", text: [p("Two notes have open points: todo.md and meeting.md.")] }],
  rounds: [
    round(2, now - 40 * minute, "I'll look at the notes.", [
      call("q-1", "List files", "notes", "ran, no approval needed", "ran"),
      call("q-2", "Search files", "- \\[ \\]", "ran, no approval needed", "ran"),
    ]),
  ],
  spent: { ...none, calls: 2, counted: 2, tokens_in: 812, tokens_out: 96 },
  ...change,
});

export const quickTasks = (now: number): QuickTask[] => [
  quickTask(now, {
    id: "quick-asks",
    text: one("Put the open points into one list."),
    at: now - 12 * minute,
    state: { is: "would_ask", tool: one("write_file"), rounds: 1 },
    result: [],
    rounds: [
      round(2, now - 12 * minute, "I'll look at the notes.", [
        call("q-3", "List files", "notes", "ran, no approval needed", "ran"),
      ]),
      round(3, now - 11 * minute, "Now I'll write the list.", [
        call("q-4", "Write a file", "open.md", "never made: it would have asked", "never"),
      ]),
    ],
  }),
  quickTask(now),
];

export const quickRow = (task: QuickTask, place: number): QuickRow => ({
  id: task.id,
  place,
  title: task.text,
  agent_name: task.agent_name,
  at: task.at,
  calls: task.rounds.reduce((sum, entry) => sum + (entry.body.e === "assistant" ? entry.body.calls.length : 0), 0),
  state: task.state,
});
