import type { CallLine, ConversationRow, Entry } from "./bindings";
import * as made from "./fixtures";

/** A fork as the real process makes it: nothing open, not in Auto, and what hadn't ended never made. */
export function forked(
  source: ConversationRow,
  said: Entry[],
  as: { id: string; title: string; upto: number | null; now: number },
): { row: ConversationRow; entries: Entry[] } {
  const last = as.upto === null ? said.length : said.findIndex((entry) => entry.seq === as.upto) + 1;
  const left = (call: CallLine): CallLine =>
    call.tone === "waiting" || call.tone === "running"
      ? { ...call, request: null, tone: "never", words: "never made here: it hadn't ended when this was forked" }
      : { ...call, agent: null, asked: [] };
  const entries = said.slice(0, last).map((entry): Entry => {
    const body = entry.body.e === "assistant" ? { ...entry.body, calls: entry.body.calls.map(left) } : entry.body;
    return { ...entry, body, marks: [] };
  });
  const end = entries.at(-1);
  if (end !== undefined)
    entries[entries.length - 1] = {
      ...end,
      end: as.upto === null ? end.end : null,
      marks: [{ at: as.now, what: { is: "forked", conversation: source.id, title: source.title } }],
    };
  const row: ConversationRow = {
    ...source,
    id: as.id,
    title: [made.p(as.title)],
    mode: source.mode === "auto" ? "default" : source.mode,
    auto_ends: false,
    auto_until: null,
    state: { is: "idle", unfinished: end?.body.e === "user" },
    at: as.now,
    waiting: 0,
    approved: 0,
    standing: 0,
    steering: [],
    beside: [],
    queued: false,
    spent: { calls: 0, counted: 0, priced: 0, tokens_in: 0, tokens_out: 0, cached: 0, written: 0, costs: [] },
  };
  return { row, entries };
}
