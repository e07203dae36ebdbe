import type { App } from "./app.svelte";
import type { Piece, RowKind } from "./ipc/bindings";
import { acting, keymap, type ActionId } from "./keys";
import { t } from "./messages";
import type { Screen } from "./router.svelte";
import { sections } from "./sections";
import { decided } from "./state/inbox.svelte";
import { plain, words } from "./text";

export type PaletteGroup = keyof typeof t.paletteGroups;

/** What an entry does. None of it decides: what would decide opens its request. */
export type Does =
  | { does: "key"; id: ActionId }
  | { does: "open"; request: string | null }
  | { does: "go"; screen: Screen; part: string }
  | { does: "start"; agent: string }
  | { does: "rule" };

/** A line of the palette. Names from outside are displayed text. */
export interface PaletteEntry {
  id: string;
  group: PaletteGroup;
  label: Piece[];
  /** What it is about, beside the label. */
  about: Piece[];
  /** The key that does the same, as the table spells it. */
  keys: string | null;
  /** Other words to find it by. */
  also: string;
  /** Why it can't be done now. */
  off: string | null;
  act: Does;
}

/** So many of what there may be thousands of are listed before anything is typed. */
const fewest = 6;
/** And so many lines in all once something is. */
const most = 60;

type Given = Partial<Omit<PaletteEntry, "id" | "group" | "label" | "act">>;

function line(group: PaletteGroup, id: string, label: Piece[], act: Does, given: Given = {}): PaletteEntry {
  return { id, group, label, act, about: [], keys: null, also: "", off: null, ...given };
}

/** An entry of the key table, with its words and its key. */
function fromKeys(app: App, group: PaletteGroup, id: ActionId, off: string | null, given: Given = {}): PaletteEntry {
  return line(group, id, words(t.keyLabels[id]), { does: "key", id }, { keys: keyOf(app, id), off, ...given });
}

function keyOf(app: App, id: ActionId): string | null {
  const entry = keymap.find((one) => one.id === id);
  return (entry && acting(entry, app.session.settings.single_keys)[0]) ?? null;
}

type Decides = "approve" | "approve-more" | "reject" | "reject-reason";
const decides: Decides[] = ["approve", "approve-more", "reject", "reject-reason"];

/** Why a decision about the selected request isn't open, in the words of its own bar where that has some. */
function whyNot(app: App, id: Decides, kind: RowKind): string | null {
  const { detail } = app.request;
  const found = app.inbox.find(app.inbox.selected ?? "");
  if (found === null) return t.paletteClosed;
  if (found.row.queued || found.set.sending === "sending") return t.paletteSent;
  if (found.row.draft !== null) return t.paletteDecided;
  if (detail === null || detail.id !== found.row.id || id === "reject" || id === "reject-reason") return null;
  if (detail.gone) return t.toolGone;
  if (detail.server?.replaced) return t.toolReplaced;
  if (detail.state.is === "open" && detail.state.changed)
    return detail.payload.p === "command" ? t.placeChanged : t.fileChanged;
  if (kind === "question" && detail.payload.p !== "question") return t.paletteNoForm;
  if (id === "approve-more" && kind === "call" && detail.reaches.length === 0) return t.paletteNoReach;
  return null;
}

function aboutRequest(app: App, heard: ReadonlySet<ActionId>): { entries: PaletteEntry[]; selected: boolean } {
  const { inbox } = app;
  const request = inbox.selected;
  const row = inbox.find(request ?? "")?.row ?? inbox.closed.find((one) => one.id === request);
  const kind = row !== undefined && "kind" in row ? row.kind : "call";
  const about = row === undefined ? [] : [...row.verb, ...words(" "), ...row.target];
  const none = row === undefined ? t.paletteNoRequest : null;
  const labels: Partial<Record<Decides, string>> = t.paletteDecide[kind];
  const held = row !== undefined && "held_by" in row && row.held_by !== null;
  const deciding = decides.flatMap((id) => {
    const label = labels[id];
    // What a server holds open has no agent to give a reason to.
    if (label === undefined || (held && id === "reject-reason")) return [];
    const given = { about, keys: keyOf(app, id), also: t.paletteDecide.call[id], off: none ?? whyNot(app, id, kind) };
    return [line("request", id, words(label), { does: "open", request }, given)];
  });
  const set = inbox.barSet;
  const send = line(
    "request",
    "send",
    words(t.paletteSend),
    { does: "open", request: inbox.selectedSet === set ? request : (set?.rows[0]?.id ?? null) },
    {
      keys: keyOf(app, "send"),
      off: set === null || decided(set) === 0 ? t.paletteNothingStaged : null,
    },
  );
  const shown = (id: ActionId) => none ?? (heard.has(id) ? null : t.paletteNotShown);
  return {
    selected: row !== undefined,
    entries: [
      ...deciding,
      send,
      fromKeys(app, "request", "undo", inbox.newestStaged() === null ? t.nothingToUndo : null),
      fromKeys(app, "request", "make-rule", none ?? (kind === "call" && !held ? shown("make-rule") : t.paletteNoRule), {
        about,
      }),
      fromKeys(app, "request", "raw", shown("raw"), { about }),
      fromKeys(app, "request", "open-conversation", shown("open-conversation"), { about }),
    ],
  };
}

/** Everything that the palette can lead to, in the order in which it is shown. What can't be done now says why; `heard` are the actions that the screen listens to. */
export function entriesOf(app: App, heard: ReadonlySet<ActionId>): PaletteEntry[] {
  const request = aboutRequest(app, heard);
  const { session, conversations } = app;
  const open = app.router.screen === "conversations" && conversations.rows.has(app.router.part ?? "");
  const noAgents = session.agents.length === 0 ? t.noAgents : null;
  const screens = (["go-inbox", "go-conversations", "go-history", "go-rules", "go-settings"] as const).map((id) =>
    fromKeys(app, "screens", id, null, { also: t.paletteGroups.screens }),
  );
  const tabs = (["standing", "runs", "test"] as const).map((part) =>
    line("screens", `rules ${part}`, words(t.ruleTabs[part]), { does: "go", screen: "rules", part }, { also: t.rules }),
  );
  const rest = [
    ...screens,
    ...tabs,
    fromKeys(app, "conversations", "mode", open ? null : t.paletteNoConversation),
    ...conversations.order.flatMap((id) => {
      const row = conversations.rows.get(id);
      if (row === undefined) return [];
      const act: Does = { does: "go", screen: "conversations", part: id };
      return [line("conversations", `conversation ${id}`, row.title, act, { about: row.agent_name })];
    }),
    ...sections.map(({ id, label }) =>
      line("settings", `section ${id}`, words(label), { does: "go", screen: "settings", part: id }),
    ),
    fromKeys(app, "start", "new-conversation", noAgents),
    ...session.agents.flatMap((agent) =>
      agent.id === null
        ? []
        : [
            line(
              "start",
              `agent ${agent.id}`,
              words(t.paletteNewWith(agent.name)),
              { does: "start", agent: agent.id },
              { about: words(agent.model) },
            ),
          ],
    ),
    fromKeys(app, "start", "quick-task", noAgents),
    line("start", "new-rule", words(t.ruleNew), { does: "rule" }, { also: t.rules }),
    ...app.servers.rows.flatMap(({ server }) => {
      if (server.id === null) return [];
      const act: Does = { does: "go", screen: "settings", part: `tools:${server.id}` };
      return [line("servers", `server ${server.id}`, words(server.name), act)];
    }),
    fromKeys(app, "more", "help", null),
  ];
  // Without a selected request its actions have nothing to be first for.
  return request.selected ? [...request.entries, ...rest] : [...rest, ...request.entries];
}

const scattered = 4;

function normal(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** How well words fit what is typed, 0 best; none: not at all. */
export function fit(label: string, more: string, typed: string): number | null {
  const wanted = normal(typed).trim().replace(/\s+/g, " ");
  const name = normal(label);
  const terms = wanted.split(" ");
  if (name.startsWith(wanted)) return 0;
  const begins = (text: string) => {
    const starts = ` ${text.replace(/[^\p{L}\p{N}]+/gu, " ")}`;
    return (term: string) => starts.includes(` ${term}`);
  };
  if (terms.every(begins(name))) return 1;
  if (terms.every((term) => name.includes(term))) return 2;
  const begun = begins(normal(more));
  if (terms.every((term) => name.includes(term) || begun(term))) return 3;
  let at = 0;
  for (const letter of wanted.replaceAll(" ", "")) {
    at = name.indexOf(letter, at) + 1;
    if (at === 0) return null;
  }
  return scattered;
}

export interface Found {
  entries: PaletteEntry[];
  /** How many there are beyond those. */
  more: number;
}

/** What fits, the best first and otherwise in its own order; without anything typed all of it, with long groups cut. */
export function find(entries: PaletteEntry[], typed: string): Found {
  if (typed.trim() === "") {
    const counted = new Map<PaletteGroup, number>();
    const shown = entries.filter((entry) => {
      if (entry.act.does !== "go" && entry.act.does !== "start") return true;
      const n = (counted.get(entry.group) ?? 0) + 1;
      counted.set(entry.group, n);
      return entry.group === "settings" || n <= fewest;
    });
    return { entries: shown, more: entries.length - shown.length };
  }
  const all = entries
    .flatMap((entry) => {
      const rank = fit(plain(entry.label), `${plain(entry.about)} ${entry.also}`, typed);
      return rank === null ? [] : [{ entry, rank }];
    })
    .sort((a, b) => a.rank - b.rank);
  // Letters here and there count where nothing holds what was typed.
  const fitting = all[0]?.rank === scattered ? all : all.filter((one) => one.rank < scattered);
  return { entries: fitting.slice(0, most).map((one) => one.entry), more: Math.max(0, fitting.length - most) };
}
