import type {
  ApiError,
  ChainState,
  FacetValue,
  FeedWhat,
  FilterState,
  HistoryPage,
  HistoryRow,
  Moment,
  Piece,
  QueryFault,
  Span,
} from "./bindings";
import type { CommandName, ReplyOf, RequestOf } from "./ipc";
import { history } from "./fixtures";

type Handlers = { [Name in CommandName]: (request: RequestOf<Name>) => ReplyOf<Name> };

const decisions: Record<string, string> = {
  Approved: "approved",
  "Approved, conversation": "for-conversation",
  "Approved, ask per step": "step-by-step",
  "Approved into Auto": "into-auto",
  Answered: "answered",
  Declined: "declined",
  Rejected: "rejected",
  "Sent back": "sent-back",
  Ran: "ran",
  Expired: "expired",
  Withdrawn: "withdrawn",
};
const outcomes: Record<string, string> = {
  "ran ok": "ok",
  failed: "failed",
  "never made": "never-made",
  "outcome unknown": "unknown",
};

const plain = (pieces: Piece[]) => pieces.map((piece) => piece.s).join("");

/** What a row has under each key, as the query is spelled. */
function facts(row: HistoryRow): Record<string, string> {
  const by = plain(row.by);
  const verb = plain(row.verb);
  return {
    is: decisions[row.decision] ?? "expired",
    by:
      by === "you"
        ? "you"
        : by === "Auto"
          ? "auto"
          : by === "standing approval"
            ? "standing"
            : by.split(":")[0] === "rule"
              ? "rule"
              : "conversation",
    outcome: outcomes[row.outcome] ?? "told",
    kind:
      verb === "Run a command"
        ? "command"
        : verb.includes("file")
          ? "file"
          : verb.startsWith("Plan")
            ? "plan"
            : "other",
    tool:
      verb === "Run a command"
        ? "run_command"
        : verb
            .replace(/^Call /, "")
            .toLowerCase()
            .replaceAll(" ", "_"),
  };
}

/** History behind the window, made up: it pages, filters, counts and writes nothing. */
export class FakeHistory {
  rows: HistoryRow[];
  /** Decisions a page. */
  page = 100;
  total: number | null = 41;
  chain: ChainState;
  unread = 0;

  constructor(
    now: number,
    private readonly emit: (what: FeedWhat) => void,
  ) {
    this.rows = history(now);
    this.chain = { is: "whole", entries: 20_114, hash: "5f2e", at: now - 2 * 60_000 };
  }

  /** As it was, at another time. */
  reset(now: number): void {
    this.rows = history(now);
    this.chain = { is: "whole", entries: 20_114, hash: "5f2e", at: now - 2 * 60_000 };
  }

  /** So many decisions more, older and older. */
  fill(count: number): void {
    const last = this.rows[this.rows.length - 1]!;
    const more = Array.from({ length: count }, (_, index) => {
      const like = this.rows[index % this.rows.length]!;
      return { ...like, id: `h-more-${index}`, at: last.at - (index + 1) * 47 * 60_000 };
    });
    const all = [...this.rows, ...more];
    this.rows = all.map((row, index) => ({ ...row, seq: all.length - index }));
    this.total = all.length;
  }

  #read(query: string): { faults: QueryFault[]; fits: (row: HistoryRow) => boolean; words: string } {
    const faults: QueryFault[] = [];
    const keys = new Map<string, string[]>();
    const words: string[] = [];
    for (const found of query.matchAll(/(?:([a-z]+):)?("[^"]*"|\S+)|([a-z]+):/g)) {
      const value = (found[2] ?? "").replaceAll('"', "");
      const key = found[1] ?? found[3];
      const fault = (text: string) => faults.push({ from: found.index, to: found.index + found[0].length, text });
      if (key === undefined) words.push(value.toLowerCase());
      else if (!["is", "by", "outcome", "kind", "tool", "after", "before", "conv", "agent"].includes(key))
        fault(`There is no “${key}:”.`);
      else if (key === "is" && !Object.values(decisions).includes(value))
        fault(`“${value}” isn't one of approved, rejected.`);
      else keys.set(key, [...(keys.get(key) ?? []), value]);
    }
    const fits = (row: HistoryRow) => {
      const own = facts(row);
      const text = [row.title, row.verb, row.target, row.by].map(plain).join(" ").toLowerCase();
      return (
        words.every((word) => text.includes(word)) &&
        [...keys].every(([key, values]) => {
          if (key === "after") return row.at >= new Date(`${values[0]}T00:00`).getTime();
          if (key === "before") return row.at < new Date(`${values[0]}T00:00`).getTime();
          if (key === "conv")
            return values.some((value) => plain(row.title).toLowerCase().includes(value.toLowerCase()));
          if (key === "agent") return true;
          return values.includes(own[key] ?? "");
        })
      );
    };
    const said = [...keys].flatMap(([, values]) => values).concat(words.map((word) => `with “${word}”`));
    return { faults, fits, words: said.join(", ") };
  }

  #found(query: string): HistoryRow[] {
    const { faults, fits } = this.#read(query);
    if (faults[0] !== undefined) throw { code: "invalid", message: faults[0].text, field: "query" } satisfies ApiError;
    return this.rows.filter(fits);
  }

  #in(span: Span): HistoryRow[] {
    return this.rows.filter((row) => row.at >= span.from && row.at < span.to);
  }

  handlers: Pick<
    Handlers,
    | "history"
    | "history_facets"
    | "history_months"
    | "history_charts"
    | "export_path"
    | "export_history"
    | "export_conversation"
    | "export_all"
    | "decision_record"
    | "verify_chain"
    | "history_going"
    | "erase_history"
  > = {
    history: ({ before, query }): HistoryPage => {
      const { faults, fits, words } = this.#read(query);
      const all = faults.length > 0 ? [] : this.rows.filter(fits);
      const rest = before === null ? all : all.filter((row) => row.seq < before);
      const rows = rest.slice(0, this.page);
      const filter: FilterState =
        faults.length > 0
          ? { is: "faulty", faults }
          : query.trim() === ""
            ? { is: "none" }
            : { is: "on", words, matched: Math.min(all.length, 10_000), more: all.length > 10_000 };
      const oldest = this.rows[this.rows.length - 1];
      const total = this.rows.length === 0 ? 0 : (this.total ?? this.rows.length);
      const since = oldest === undefined ? null : total === 41 ? new Date(2026, 2, 3).getTime() : oldest.at;
      const older = rest.length > rows.length ? (rows[rows.length - 1]?.seq ?? null) : null;
      return { rows, older, total, since, filter, unread: query.trim() === "" ? 0 : this.unread, chain: this.chain };
    },
    history_facets: ({ query }) => {
      const found = this.#found(query);
      const groups = ["is", "by", "outcome", "kind", "tool"].map((key) => {
        const counts = new Map<string, number>();
        for (const row of found) counts.set(facts(row)[key]!, (counts.get(facts(row)[key]!) ?? 0) + 1);
        const values = [...counts].map(([value, count]): FacetValue => {
          const label: Piece[] = [{ t: "text", s: value.replaceAll("-", " ") }];
          return { token: `${key}:${value}`, label, count };
        });
        return { key, values: values.sort((a, b) => b.count - a.count) };
      });
      return { groups: groups.filter((group) => group.values.length > 0), newest: null };
    },
    history_months: ({ spans }) =>
      spans.map((span) => {
        const found = this.#in(span);
        return { count: found.length, before: found[0] === undefined ? null : found[0].seq + 1 };
      }),
    history_charts: ({ spans }) => {
      const by = new Map<string, number>();
      const took = [0, 0, 0, 0, 0, 0];
      const days = spans.map((span) => {
        const found = this.#in(span);
        for (const row of found) {
          const who = facts(row)["by"]!;
          by.set(who, (by.get(who) ?? 0) + 1);
          if (row.took_ms !== null)
            took[[5_000, 15_000, 60_000, 300_000, 3_600_000].filter((limit) => row.took_ms! >= limit).length]! += 1;
        }
        const asked = found.filter((row) => facts(row)["by"] === "you").length;
        return { asked, unasked: found.length - asked };
      });
      const values = [...by].map(([value, count]): FacetValue => {
        return { token: `by:${value}`, label: [{ t: "text", s: value }], count };
      });
      return { days, by: values.sort((a, b) => b.count - a.count), took };
    },
    export_all: ({ path }) => ({
      file: path,
      manifest: `${path}.manifest.json`,
      count: 812,
      sha256: "0".repeat(64),
    }),
    export_path: ({ format, what }) =>
      `/home/me/Downloads/countersign-${what}-2026-12-01.${format === "markdown" ? "md" : format}`,
    export_conversation: ({ path }) => ({
      file: path,
      manifest: `${path}.manifest.json`,
      count: 4,
      sha256: "0".repeat(64),
    }),
    export_history: ({ query, path }) => {
      if (!path.startsWith("/"))
        throw {
          code: "invalid",
          message: "Write the whole path of the file, from / or ~/ on.",
          field: "path",
        } satisfies ApiError;
      const sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
      return { file: path, manifest: `${path}.manifest.json`, count: this.#found(query).length, sha256 };
    },
    decision_record: ({ id }) => {
      const row = this.rows.find((one) => one.id === id);
      if (row === undefined)
        throw { code: "not_found", message: "There is no such decision any more." } satisfies ApiError;
      const asked = row.at - (row.took_ms ?? 0);
      const ran = row.tone === "ok" || row.tone === "failed";
      const moments: Moment[] = [
        { what: row.took_ms === null ? "proposed" : "asked", at: asked },
        { what: "decided", at: row.at },
        ...(ran
          ? [
              { what: "started" as const, at: row.at + 40 },
              { what: "ended" as const, at: row.at + 2_100 },
            ]
          : []),
      ];
      const digest = row.took_ms === null ? null : "5d41402abc4b2a76b9719d911017c592ae2f";
      return { moments, decision: row.decision, by: row.by, reason: null, digest, matches: digest !== null };
    },
    verify_chain: () => {
      if (this.chain.is !== "broken") this.chain = { is: "whole", entries: 20_114, hash: "5f2e", at: Date.now() };
      return this.chain;
    },
    history_going: ({ span }) => ({ count: this.#in(span).length, more: false }),
    erase_history: ({ span }) => {
      const gone = this.#in(span);
      this.rows = this.rows.filter((row) => !gone.includes(row));
      this.total = this.rows.length;
      this.emit({ f: "history" });
      return gone.length;
    },
  };
}
