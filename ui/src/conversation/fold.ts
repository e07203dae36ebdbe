import type { AskedLine, Block, CallLine, CallTone, Entry, Mark, Piece, RunEnded } from "../lib/ipc/bindings";

/** A transcript as it is drawn: people's words, the model's, and calls in runs. */
export type Line =
  | { is: "user"; key: string; seq: number; at: number; text: Piece[] }
  | { is: "agent"; key: string; at: number; name: Piece[]; blocks: Block[] }
  | { is: "assistant"; key: string; at: number; blocks: Block[] }
  | { is: "call"; key: string; call: CallLine }
  | { is: "folded"; key: string; calls: CallLine[] }
  | { is: "end"; key: string; end: RunEnded }
  | { is: "mark"; key: string; mark: Mark };

/** What waits, fails or is unknown is never folded away. */
const foldable: CallTone[] = ["ran", "rejected", "never"];
const most = 3;

/** What a server asked in the middle of a call, as a line like a call's. */
export function askedLine(asked: AskedLine): CallLine {
  return { ...asked, call: asked.request, result: null, agent: null, asked: [] };
}

/** Calls that follow each other with nothing said between them fold when there are more than three; the one that was found doesn't. */
export function fold(entries: Entry[], found: string | null = null): Line[] {
  const lines: Line[] = [];
  let run: CallLine[] = [];
  const close = () => {
    if (run.length > most) lines.push({ is: "folded", key: `fold ${run[0]?.call}`, calls: run });
    else for (const call of run) lines.push({ is: "call", key: `call ${call.call}`, call });
    run = [];
  };
  /** What happened behind an entry, in order: a mode that ends with its run is changed after the end. */
  const behind = (entry: Entry) => {
    if (entry.end !== null || entry.marks.length > 0) close();
    const { seq, end } = entry;
    const marks = entry.marks.map((mark, at): Line => ({ is: "mark", key: `mark ${seq} ${at}`, mark }));
    const early = end === null ? marks.length : entry.marks.filter((mark) => mark.at < end.at).length;
    lines.push(...marks.slice(0, early));
    if (end !== null) lines.push({ is: "end", key: `end ${seq}`, end });
    lines.push(...marks.slice(early));
  };
  for (const entry of entries) {
    if (entry.body.e === "user") {
      close();
      lines.push({ is: "user", key: `entry ${entry.seq}`, seq: entry.seq, at: entry.at, text: entry.body.text });
      behind(entry);
      continue;
    }
    if (entry.body.e === "agent") {
      close();
      lines.push({
        is: "agent",
        key: `entry ${entry.seq}`,
        at: entry.at,
        name: entry.body.name,
        blocks: entry.body.blocks,
      });
      behind(entry);
      continue;
    }
    if (entry.body.blocks.length > 0) {
      close();
      lines.push({ is: "assistant", key: `entry ${entry.seq}`, at: entry.at, blocks: entry.body.blocks });
    }
    for (const call of entry.body.calls) {
      if (foldable.includes(call.tone) && call.agent === null && call.asked.length === 0 && call.call !== found) {
        run.push(call);
        continue;
      }
      close();
      lines.push({ is: "call", key: `call ${call.call}`, call });
    }
    behind(entry);
  }
  close();
  return lines;
}
