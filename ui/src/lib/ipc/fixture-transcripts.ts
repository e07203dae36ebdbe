import { plain } from "../text";
import type { Entry, Found, Transcript } from "./bindings";
import { minute, one } from "./fixtures";

/** What was said in the made-up conversations. */
export const transcripts = (now: number): Record<string, Entry[]> => {
  const call = (
    call: string,
    verb: string,
    target: string,
    words: string,
    tone: "ran" | "rejected" | "waiting" | "running",
    request: string | null = null,
  ) => ({
    call,
    request,
    verb: one(verb),
    target: one(target),
    words,
    tone,
    result: tone === "ran" ? one("ok\n") : null,
    agent: null,
    asked: [],
  });
  const say = (text: string) => [
    { b: "paragraph" as const, line: 1, inlines: [{ i: "text" as const, text: one(text) }] },
  ];
  return {
    nightly: [
      {
        seq: 1,
        at: now - 5 * minute,
        body: { e: "user", text: one("Compare the site with the baseline.") },
        end: null,
        marks: [],
      },
      {
        seq: 2,
        at: now - 5 * minute,
        body: {
          e: "assistant",
          blocks: say("I'll read the two builds first."),
          calls: [
            call("c1", "Read a file", "site/index.html", "ran, no approval needed", "ran"),
            call("c2", "Read a file", "baseline/index.html", "ran, no approval needed", "ran"),
            call("c3", "Run a command", "cargo nextest run", "ran · Auto · 41 s", "ran"),
            call("c4", "Run a command", "curl … | sh", "rejected · rule no download to shell", "rejected"),
          ],
        },
        end: null,
        marks: [{ at: now - 4 * minute, what: { is: "mode", mode: "auto", ends: true, until: null } }],
      },
      {
        seq: 3,
        at: now - minute,
        body: {
          e: "assistant",
          blocks: say("The tests pass. Now the rendered pages."),
          calls: [call("c5", "Run a command", "npm run compare", "running", "running")],
        },
        end: null,
        marks: [],
      },
    ],
    triage: [
      {
        seq: 1,
        at: now - 14 * minute,
        body: { e: "user", text: one("Close the duplicates of 1201, and make it stick.") },
        end: null,
        marks: [],
      },
      {
        seq: 2,
        at: now - 12 * minute,
        body: {
          e: "assistant",
          blocks: say("There is one open duplicate. I close it, push the list, and change the rule."),
          calls: [
            call("c0", "Read a file", "triage/rules.toml", "ran, no approval needed", "ran"),
            call("r-close", "Call close_ticket", "id 1234", "waits for you", "waiting", "r-close"),
            call("r-push", "Run a command", "git add -A && …", "waits for you", "waiting", "r-push"),
            call("r-edit", "Edit a file", "triage/rules.toml", "waits for you", "waiting", "r-edit"),
          ],
        },
        end: null,
        marks: [],
      },
    ],
    manual: [
      {
        seq: 1,
        at: now - 4 * 60 * minute,
        body: { e: "user", text: one("Check every link of the manual.") },
        end: null,
        marks: [],
      },
      {
        seq: 2,
        at: now - 3 * 60 * minute,
        body: { e: "assistant", blocks: say("I came to page 180 of 260."), calls: [] },
        end: {
          at: now - 3 * 60 * minute,
          words: "limit of 25 rounds",
          goes_on: true,
          spent: {
            calls: 26,
            counted: 26,
            priced: 0,
            tokens_in: 1204,
            tokens_out: 310,
            cached: 0,
            written: 0,
            costs: [],
          },
        },
        marks: [],
      },
    ],
  };
};

/** A page as the real process cuts it. */
export function pageOf(conversation: string, all: Entry[], before: number | null, after: number | null): Transcript {
  const most = 100;
  const within = all.filter((entry) => (after === null ? before === null || entry.seq < before : entry.seq > after));
  const entries = after === null ? within.slice(-most) : within.slice(0, most);
  const [first, last] = [entries[0]?.seq ?? null, entries.at(-1)?.seq ?? null];
  return {
    conversation,
    entries,
    older: first === all[0]?.seq ? null : first,
    newer: last === all.at(-1)?.seq ? null : last,
  };
}

/** A long conversation: who wrote takes turns. */
export function longTalk(now: number, length: number): Entry[] {
  return Array.from({ length }, (_, at): Entry => {
    const seq = at + 1;
    const text = one(`Message ${seq}`);
    const words = [{ b: "paragraph" as const, line: 1, inlines: [{ i: "text" as const, text }] }];
    const body = seq % 2 === 1 ? { e: "user" as const, text } : { e: "assistant" as const, blocks: words, calls: [] };
    return { seq, at: now - (length - at) * minute, body, end: null, marks: [] };
  });
}

/** Where words were said, or stand in a call's line, newest first. */
export function placesIn(entries: Entry[], text: string): Found[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const said = (entry: Entry, seq: number, within: string[]): Found[] => {
    const place = { seq, entry: entry.seq, within, at: entry.at, call: null };
    if (entry.body.e === "user") return [{ ...place, speaker: "person", excerpt: entry.body.text }];
    const words = entry.body.blocks.flatMap((block) =>
      block.b === "paragraph" ? block.inlines.flatMap((inline) => (inline.i === "text" ? inline.text : [])) : [],
    );
    const calls = entry.body.e === "agent" ? [] : entry.body.calls;
    return [
      { ...place, speaker: "agent", excerpt: words },
      ...calls.flatMap(({ call, verb, target, agent }): Found[] => [
        { ...place, speaker: "call", call, excerpt: [...verb, ...one(" "), ...target] },
        ...(agent?.entries ?? []).flatMap((inner) => said(inner, seq, [...within, call])),
      ]),
    ];
  };
  const all = entries
    .flatMap((entry) => said(entry, entry.seq, []))
    .filter((place) => plain(place.excerpt).toLowerCase().includes(wanted));
  return all.toReversed();
}
