import type { Draft, RequestRow, SetCard } from "../lib/ipc/bindings";
import { t } from "../lib/messages";
import { isRejection } from "../lib/state/inbox.svelte";
import type { Fill, Shape } from "../shared/Glyph.svelte";

/** What a row is, drawn as a shape. */
export function shapeOf(row: RequestRow): Shape {
  if (row.kind === "plan") return "plan";
  if (row.kind === "question") return "question";
  if (row.kind === "approved") return "approved";
  return row.high_risk ? "risk" : "call";
}

/** How far it is, drawn as a fill. */
export function fillOf(row: RequestRow, set: SetCard): Fill {
  if (row.draft === null) return set.later === null ? "full" : "later";
  return set.sending === "sending" || row.queued ? "sending" : "half";
}

/** The same in words, for those who don't see the glyph. */
export function glyphWords(row: RequestRow, set: SetCard): string {
  const kinds: Record<Shape, string> = {
    call: t.kindCall,
    risk: t.kindRisk,
    plan: t.kindPlan,
    question: t.kindQuestion,
    approved: t.kindApproved,
  };
  const fills: Record<Fill, string> = {
    full: "",
    half: t.stateStaged,
    later: t.stateLater,
    sending: t.stateSending,
    closed: t.stateClosed,
    done: t.stateClosed,
    unknown: t.stateClosed,
  };
  const fill = row.queued && set.sending !== "sending" ? t.stateQueued : fills[fillOf(row, set)];
  return [kinds[shapeOf(row)], fill].filter(Boolean).join(", ");
}

/** What will happen to a row when its set is sent. */
export function willWords(row: RequestRow, draft: Draft): string {
  const approves = !isRejection(draft.decision);
  if (row.kind === "approved") return approves ? t.willRun : t.willDrop;
  if (row.kind === "question") return approves ? t.willAnswer : t.willDecline;
  if (approves) return t.willApprove;
  return row.kind === "plan" ? t.willSendBack : t.willReject;
}
