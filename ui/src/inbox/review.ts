import type { Detail, Piece, RequestRow, RowGroup } from "../lib/ipc/bindings";
import { plain } from "../lib/text";
import type { t } from "../lib/messages";

export interface Picked {
  row: RequestRow;
  detail: Detail | null;
}

export interface Group {
  /** Its tool, for telling groups apart. */
  key: string;
  name: Piece[];
  group: RowGroup;
  rows: Picked[];
}

/** Why a row can't be approved together with others; `null`: it can. */
export function leftOut(row: RequestRow, detail: Detail | null): keyof typeof t.reviewWhy | null {
  if (row.kind === "plan") return "plan";
  if (row.kind === "question") return "question";
  if (row.kind === "approved") return "risk";
  if (row.draft !== null || row.queued) return "decided";
  if (row.high_risk) return "risk";
  if (detail === null) return "unread";
  if (detail.facts.some((fact) => fact.tone === "danger")) return "risk";
  if (detail.state.is !== "open") return "gone";
  if (detail.state.changed || detail.gone || detail.server?.replaced) return "changed";
  return null;
}

/** Rows of the same tool belong together, in the order of the list. */
export function grouped(rows: Picked[]): Group[] {
  const groups = new Map<string, Group>();
  for (const one of rows) {
    const name = one.detail?.tool ?? one.row.verb;
    const key = plain(name);
    const group = groups.get(key) ?? { key, name, group: one.row.group, rows: [] };
    group.rows.push(one);
    groups.set(key, group);
  }
  return [...groups.values()];
}
