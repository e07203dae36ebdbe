import type { DiffLine, Node, Piece, Segment } from "./ipc/bindings";
import { t } from "./messages";
import { plain, words } from "./text";

/** How a part of a command follows the one before. */
export type Operator = "first" | "and" | "or" | "then" | "pipe" | "beside";

/** A line of what would run, for whoever hears it: what it is in the app's words, and what stands there. */
export interface Line {
  label: string;
  text: Piece[];
  /** Whether a stretch of changed lines begins here. */
  begins: boolean;
}

/** A text with each symbol by its name, set apart by blanks so that neither runs into what stands beside it. */
export function spelled(text: string): string {
  const names: Record<string, string> = t.symbols;
  return text
    .replace(/[!-/:-@[-`{-~]/g, (symbol) => ` ${names[symbol] ?? symbol} `)
    .replace(/ {2,}/g, " ")
    .trim();
}

/** Displayed text as it is read in a line: hidden characters by their names among the words, covered secrets as they are. */
function read(pieces: Piece[], spell: boolean): Piece[] {
  return pieces.map((piece): Piece => {
    switch (piece.t) {
      case "text":
        return { t: "text", s: spell ? ` ${spelled(piece.s)} ` : piece.s };
      case "chip":
        return { t: "text", s: t.asTextHidden(piece.s) };
      case "secret":
        return piece;
    }
  });
}

function operatorOf(written: string): Operator {
  const operator = written.trim();
  if (written === "") return "first";
  if (operator.startsWith("&&")) return "and";
  if (operator.startsWith("||")) return "or";
  if (operator.startsWith("|")) return "pipe";
  return operator.startsWith("&") ? "beside" : "then";
}

export function lineOfSegment({ operator, words: all, high_risk }: Segment, spell: boolean): Line {
  const label = t.asTextOperator(operatorOf(operator));
  const text = all.flatMap((word) => read(word.text, spell));
  return { label: high_risk ? `${t.asTextDanger} ${label}` : label, text, begins: false };
}

export function lineOfChange(line: DiffLine, spell: boolean): Line {
  switch (line.d) {
    case "same":
      return { label: t.asTextLine(line.new), text: filled(read(line.text, spell)), begins: false };
    case "removed":
    case "added": {
      const label = line.d === "removed" ? t.asTextRemoved(line.old) : t.asTextAdded(line.new);
      return { label, text: filled(line.parts.flatMap((part) => read(part.text, spell))), begins: line.begins };
    }
    case "folded":
      return { label: t.foldedLines(line.lines), text: [], begins: false };
    case "no_final_break":
      return { label: t.noFinalBreak, text: [], begins: false };
  }
}

export function lineOfNode({ depth, key, value }: Node, spell: boolean): Line {
  const level = depth > 0 ? `${t.asTextLevel(depth + 1)} ` : "";
  const name = key.length > 0 ? [...read(key, spell), ...words(": ")] : [];
  const line = (text: Piece[]): Line => ({ label: level.trim(), text: [...name, ...text], begins: false });
  switch (value.v) {
    case "text":
    case "more":
      return line(filled(read(value.text, spell)));
    case "literal":
      return line(words(spell ? spelled(value.text) : value.text));
    case "object":
      return line(words(t.treePairs(value.items)));
    case "list":
      return line(words(t.treeItems(value.items)));
  }
}

/** Nothing is said, too. */
function filled(text: Piece[]): Piece[] {
  return plain(text).trim() === "" ? words(t.asTextEmpty) : text;
}
