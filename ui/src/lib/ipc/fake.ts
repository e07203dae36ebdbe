// A made-up backend; long because every test of the window talks to this one.
import type {
  ApiError,
  ClosedRow,
  Confining,
  Decision,
  Agent,
  Detail,
  Draft,
  Entry,
  FeedEvent,
  FeedWhat,
  KeyStores,
  Leaving,
  NoticeTest,
  QuickTask,
  Ruling,
  Send,
  SetCard,
  Snapshot,
  Space,
  Switches,
  ToolRow,
  Transcript,
} from "./bindings";
import { forked } from "./fake-forks";
import { FakeHistory } from "./fake-history";
import { FakeRules } from "./fake-rules";
import { FakeServers } from "./fake-servers";
import * as crew from "./fixture-agents";
import * as full from "./fixture-details";
import * as held from "./fixture-held";
import * as quick from "./fixture-quick";
import { hint } from "./fixture-rules";
import { tools } from "./fixture-tools";
import { longTalk, pageOf, placesIn, transcripts } from "./fixture-transcripts";
import * as made from "./fixtures";
import { isApproval } from "../state/inbox.svelte";
import type { CommandName, GlobalKey, Ipc, ReplyOf, RequestOf } from "./ipc";

/** How a row counts that was sent with this draft, or without one. */
function wasOf(draft: Draft | null): ClosedRow["was"] {
  if (draft === null) return "expired";
  if (isApproval(draft)) return "approved";
  return draft.decision.say === "answer" ? "answered" : "rejected";
}

type Handlers = { [Name in CommandName]: (request: RequestOf<Name>) => ReplyOf<Name> };

/**
 * The process behind the window, made up: for tests, and for looking at the window in a browser. It keeps the rules that a window
 * can notice (digests, whole sets, grace, one order of events) and none of the others.
 */
export class FakeIpc implements Ipc {
  now: number;
  snapshot: Snapshot;
  details: Map<string, Detail>;
  transcripts: Record<string, Entry[]>;
  past = new FakeHistory(Date.now(), (what) => this.emit(what));
  quick: QuickTask[];
  keyStores: KeyStores = { keyring: false, why: "no secret service is running" };
  confining: Confining = { no_files: null, no_network: null };
  noticeTest: NoticeTest = {
    came: "click",
    server: "Plasma",
    buttons: false,
    can: ["body", "body-markup", "persistence"],
    why: null,
  };
  switches: Switches = { off_tools: [], off_groups: [], ask_first: [], unreadable: false };
  drafts = new Map<string, string>();
  rules = new FakeRules(Date.now(), (what) => this.emit(what));
  servers = new FakeServers((what) => this.emit(what));
  /** What *Similar* shows, arguments that can be edited, and reasons that were given before. */
  beside = { similar: made.similar(), arguments: made.editable(), reasons: ["use --dry-run first", "wrong branch"] };
  /** Requests that were opened in a window of their own, and how often the panel was put away. */
  detached: string[] = [];
  hidden = 0;
  global: GlobalKey = { is: "key", keys: "Ctrl+Alt+Space" };
  /** Every command that was called, for tests. */
  calls: { space: Space; name: CommandName; request: unknown }[] = [];
  /** Commands that are to fail, and how. */
  failures = new Map<CommandName, ApiError>();
  /** Calls that gave more than their result, and how many bytes. */
  whole = new Map<string, number>();
  #seq = 0;
  #listeners: ((event: FeedEvent) => void)[] = [];
  #graces = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(now: number = Date.now()) {
    this.now = now;
    this.snapshot = made.snapshot(now);
    this.details = new Map(full.details(now).map((detail) => [detail.id, detail]));
    this.transcripts = transcripts(now);
    this.past.reset(now);
    this.rules.reset(now);
    this.quick = quick.quickTasks(now);
  }

  /**
   * Variants by the address, for looking at them: `?empty`, `?first`, `?rehearsal`, `?long`, `?question`, `?held`, `?agents`, `?limit`, `?talk=5000`,
   * `?servers`, `?hint`, `?norules`, `?unreadable`, `?leaving=tray|no_tray|quit`, `?history=2000`, `?broken`, `?theme=dark`.
   */
  static fromAddress(search: string): FakeIpc {
    const fake = new FakeIpc();
    const asked = new URLSearchParams(search);
    const theme = asked.get("theme");
    const settings = { ...fake.snapshot.settings };
    if (theme === "light" || theme === "dark") settings.theme = theme;
    settings.language = asked.get("language") === "de" ? "de" : "en";
    settings.high_contrast = asked.has("contrast");
    if (asked.has("compact")) settings.density = "compact";
    if (asked.has("zoom")) settings.zoom = Number(asked.get("zoom"));
    fake.snapshot = { ...fake.snapshot, settings };
    if (asked.has("long")) fake.details.set("r-close", full.longCommand(fake.now));
    if (asked.has("question")) fake.ask(asked.get("question") === "all" ? full.everyField(fake.now) : undefined);
    if (asked.has("held")) fake.askAsServer();
    if (asked.has("agents")) fake.startAgents();
    if (asked.has("limit")) fake.endAtLimit();
    if (asked.has("talk")) fake.transcripts["docs"] = longTalk(fake.now, Number(asked.get("talk")));
    if (asked.has("servers")) fake.addServers(Number(asked.get("servers")));
    const leaving = asked.get("leaving");
    const ask: Leaving | null =
      leaving === "quit"
        ? { is: "quit", open: 2, leaving: 1 }
        : leaving === "tray" || leaving === "no_tray"
          ? { is: leaving }
          : null;
    if (ask !== null) setTimeout(() => fake.emit({ f: "leaving", ask }), 500);
    if (asked.has("history")) fake.past.fill(Number(asked.get("history")));
    if (asked.has("broken"))
      fake.past.chain = {
        is: "broken",
        entry: 20_114,
        at: new Date(2026, 2, 2, 14, 2).getTime(),
        before: 5,
        shorter: false,
      };
    if (asked.has("hint")) fake.rules.hint = hint;
    if (asked.has("norules")) fake.rules.rows = [];
    if (asked.has("unreadable")) fake.rules.unreadable = 2;
    if (asked.has("empty")) fake.snapshot = { ...fake.snapshot, sets: [], closed: [] };
    if (asked.has("first"))
      fake.snapshot = { ...fake.snapshot, first_run: true, agents: [], sets: [], conversations: [] };
    if (asked.has("rehearsal")) {
      const text = "Read the command to its end, then press R to reject it.";
      fake.snapshot = { ...fake.snapshot, rehearsal: { conversation: "triage", step: 3, steps: 7, text } };
    }
    return fake;
  }

  /** What lies between the ends of a long payload, and where words stand in it. */
  part: (request: RequestOf<"payload_part">) => ReplyOf<"payload_part"> = () => ({ of: "text", items: [] });
  places: (request: RequestOf<"find_in_payload">) => ReplyOf<"find_in_payload"> = () => ({ places: [], more: false });

  async call<Name extends CommandName>(space: Space, name: Name, request: RequestOf<Name>): Promise<ReplyOf<Name>> {
    this.calls.push({ space, name, request });
    const failure = this.failures.get(name);
    if (failure !== undefined) throw failure;
    return structuredClone(this.#handlers[name](request));
  }

  hidePanel(): Promise<void> {
    this.hidden += 1;
    return Promise.resolve();
  }

  detach(request: string): Promise<void> {
    this.detached.push(request);
    return Promise.resolve();
  }

  globalKey(): Promise<GlobalKey> {
    return Promise.resolve(this.global);
  }

  async subscribe(receive: (event: FeedEvent) => void): Promise<void> {
    this.#listeners.push(receive);
  }

  emit(what: FeedWhat, space: Space = this.snapshot.rehearsal === null ? "main" : "rehearsal"): void {
    const seq = what.f === "delta" ? 0 : ++this.#seq;
    for (const listener of this.#listeners) listener(structuredClone({ seq, space, what }));
  }

  /** Nightly check asks for input. */
  ask(detail: Detail = full.question(this.now)): void {
    this.details.set(detail.id, detail);
    this.snapshot.sets = [made.questionSet(this.now), ...this.snapshot.sets];
    this.snapshot.conversations = this.snapshot.conversations.map((one) =>
      one.id === "nightly" ? { ...one, state: { is: "waiting" }, waiting: 1, steering: [] } : one,
    );
  }

  /** A server asks in the middle of a call of Nightly check, which goes on running. */
  askAsServer(): void {
    this.details.set("q-ticket", held.heldDetail(this.now));
    this.snapshot.sets = [held.heldSet(this.now), ...this.snapshot.sets];
    this.snapshot.conversations = this.snapshot.conversations.map((one) =>
      one.id === "nightly" ? { ...one, waiting: 1 } : one,
    );
    const last = this.transcripts["nightly"]?.at(-1);
    if (last?.body.e === "assistant")
      last.body.calls = last.body.calls.map((call) => ({ ...call, asked: held.askedLines }));
  }

  /** Two conversations more, whose agents have started others. */
  startAgents(): void {
    for (const detail of crew.details(this.now)) this.details.set(detail.id, detail);
    this.transcripts = { ...this.transcripts, ...crew.transcripts(this.now) };
    this.snapshot.sets = [...crew.sets(this.now), ...this.snapshot.sets];
    this.snapshot.conversations = [...crew.conversations(this.now), ...this.snapshot.conversations];
  }

  /** A page of a conversation that ends before a place. */
  transcriptOf(conversation: string, before: number): Transcript {
    return pageOf(conversation, this.transcripts[conversation] ?? [], before, null);
  }

  /** A conversation more, whose run came to its limit of rounds. */
  endAtLimit(): void {
    const row = made.conversation({ id: "manual", at: this.now - 3 * 60 * made.minute }, "Manual");
    this.snapshot.conversations = [...this.snapshot.conversations, row];
  }

  /** Tool servers, agents that use them, and a request for a tool of one; the first may have any number of tools more. */
  addServers(more = 0): void {
    this.servers.fill(this.now, more);
    this.snapshot.agents = this.snapshot.agents.map((agent) => ({
      ...agent,
      servers: agent.id === "agent-1" ? ["server-1"] : ["server-2"],
    }));
    const detail = this.details.get("r-close");
    if (detail !== undefined) this.details.set("r-close", full.ofServer(detail));
  }

  /** A set comes, changes or goes. */
  putSet(id: string, set: SetCard | null): void {
    const others = this.snapshot.sets.filter((one) => one.id !== id);
    this.snapshot.sets = set === null ? others : [...others, set];
    this.emit({ f: "set", id, set });
  }

  /** A Quick task goes on. */
  putQuick(task: QuickTask): void {
    this.quick = this.quick.map((one) => (one.id === task.id ? task : one));
    this.emit({ f: "quick", task: task.id });
  }

  tools(agent: Agent): ToolRow[] {
    const ruling = (tool: ToolRow): Ruling => {
      if (this.switches.off_tools.includes(tool.name)) return { is: "denied", text: "Switched off for all agents." };
      if (this.switches.off_groups.includes(tool.group))
        return { is: "denied", text: "Its group is switched off for all agents." };
      if (agent.tools?.includes(tool.name) === false) return { is: "denied", text: "Not chosen." };
      if (agent.groups?.includes(tool.group) === false)
        return { is: "denied", text: "Its group is off for this agent." };
      if (agent.zone !== "external" || tool.group !== "command") return { is: "offered" };
      return agent.ceiling === "observe"
        ? {
            is: "noted",
            text: "Can show anything on this computer, which is more than a model elsewhere should be sent.",
          }
        : {
            is: "denied",
            text: "Held back: it can show anything on this computer, which is more than a model elsewhere may be sent.",
          };
    };
    return tools.map((tool) => ({
      ...tool,
      ruling: ruling(tool),
      asks: tool.asks === "never" && this.switches.ask_first.includes(tool.name) ? "chosen" : tool.asks,
    }));
  }

  /** A run ends; what was said to it and not taken is in the composer again. */
  endRun(conversation: string): void {
    const row = this.snapshot.conversations.find((one) => one.id === conversation);
    const back = row?.steering.map((pieces) => pieces.map((piece) => piece.s).join("")) ?? [];
    this.#putConversation(conversation, { state: { is: "idle", unfinished: true }, steering: [], queued: false });
    const set = this.snapshot.sets.find((one) => one.id === conversation);
    if (set?.sending === "queued") this.#leave(set);
    if (back.length === 0) return;
    const text = [this.drafts.get(conversation) ?? "", ...back].filter(Boolean).join("\n");
    this.drafts.set(conversation, text);
    this.emit({ f: "typed", conversation, text });
  }

  #set(id: string): SetCard {
    const set = this.snapshot.sets.find((one) => one.rows.some((row) => row.id === id));
    if (set === undefined) throw notFound;
    return set;
  }

  #draft(id: string, decision: Decision | null, digest: string): void {
    const set = this.#set(id);
    clearTimeout(this.#graces.get(set.id));
    const rows = set.rows.map((row) =>
      row.id === id ? { ...row, draft: decision === null ? null : { decision, digest } } : row,
    );
    const complete = set.sending === "idle" && rows.every((row) => row.draft !== null);
    const waits = rows.some((row) => row.high_risk && isApproval(row.draft));
    const total = this.snapshot.settings.grace_ms;
    const runs = complete && !waits && total !== null;
    const grace = runs ? { ends_at: Date.now() + total, total_ms: total } : null;
    const detail = this.details.get(id);
    if (detail !== undefined && detail.state.is !== "closed") {
      detail.state = { ...detail.state, draft: decision === null ? null : { decision, digest } };
    }
    const next = { ...set, rows, grace, waits_for_send: complete && waits };
    if (runs)
      this.#graces.set(
        set.id,
        setTimeout(() => this.#leaveOrQueue(next), total),
      );
    this.snapshot.sets = this.snapshot.sets.map((one) => (one.id === set.id ? next : one));
    this.emit({ f: "set", id: set.id, set: next });
  }

  #isRunning(conversation: string): boolean {
    return this.snapshot.conversations.some((one) => one.id === conversation && one.state.is === "running");
  }

  #leaveOrQueue(set: SetCard): void {
    // What a server holds open is answered while the run goes on.
    if (this.#isRunning(set.conversation) && set.id === set.conversation) this.#queue(set);
    else this.#leave(set);
  }

  /** Answers that are given while a run goes on wait for its end. */
  #queue(set: SetCard, answered: string[] = set.rows.map((row) => row.id)): void {
    const rows = set.rows.map((row) => (answered.includes(row.id) ? { ...row, queued: true } : row));
    this.putSet(set.id, { ...set, rows, grace: null, waits_for_send: false, sending: "queued" });
    this.#putConversation(set.conversation, { queued: true });
  }

  #leave(set: SetCard): void {
    const at = Date.now();
    const rows: ClosedRow[] = set.rows.map((row) => {
      const label =
        row.draft === null
          ? "Expired: conversation moved on"
          : row.draft.decision.say === "reject"
            ? row.kind === "question"
              ? "Declined"
              : "Rejected"
            : row.draft.decision.say === "answer"
              ? "Answered"
              : "Approved";
      const detail = this.details.get(row.id);
      if (detail !== undefined) {
        const text =
          row.draft === null ? "The conversation moved on, so this call was never made." : `${label} by you.`;
        detail.state = {
          is: "closed",
          in_doubt: false,
          at,
          label,
          text,
          expired: row.draft === null,
          outcome: null,
          result: null,
          whole: null,
        };
      }
      return {
        id: row.id,
        conversation: set.conversation,
        title: set.title,
        path: row.path,
        verb: row.verb,
        target: row.target,
        label,
        was: wasOf(row.draft),
        expired: row.draft === null,
        unknown: false,
        at,
      };
    });
    this.putSet(set.id, null);
    this.snapshot.closed = [...rows, ...this.snapshot.closed].slice(0, 20);
    this.emit({ f: "closed", rows });
    this.emit({ f: "history" });
  }

  #send(send: Send): null {
    const held = this.snapshot.sets.find((one) => one.id === send.answers[0]?.request);
    if (held !== undefined) {
      clearTimeout(this.#graces.get(held.id));
      this.#leave(held);
      return null;
    }
    const set = this.snapshot.sets.find((one) => one.id === send.conversation);
    if (this.#isRunning(send.conversation)) {
      const again = set?.rows.some((one) => one.queued && send.answers.some((answer) => answer.request === one.id));
      if (again)
        throw { code: "approval_closed", message: "It waits to be sent already.", closed: [] } satisfies ApiError;
      if (set === undefined || send.answers.length === 0)
        throw { code: "busy", message: "The run is going on." } satisfies ApiError;
      clearTimeout(this.#graces.get(set.id));
      this.#queue(set, [
        ...set.rows.filter((one) => one.queued).map((one) => one.id),
        ...send.answers.map((answer) => answer.request),
      ]);
      return null;
    }
    if (set !== undefined) {
      const answered = send.answers.map((answer) => answer.request);
      const missed = set.rows
        .filter((one) => !answered.includes(one.id) && !send.passes_by.includes(one.id))
        .map((one) => one.id);
      if (missed.length > 0)
        throw { code: "would_pass_by", message: "Requests would expire.", ids: missed } satisfies ApiError;
      clearTimeout(this.#graces.get(set.id));
      this.#leave(set);
    }
    if (send.text !== null) {
      const entries = (this.transcripts[send.conversation] ??= []);
      const entry: Entry = {
        seq: entries.length + 1,
        at: Date.now(),
        body: { e: "user", text: [made.p(send.text)] },
        end: null,
        marks: [],
      };
      entries.push(entry);
      this.emit({ f: "entries", conversation: send.conversation, entries: [entry] });
    }
    if (send.mode !== null)
      this.#putConversation(send.conversation, {
        mode: send.mode,
        auto_ends: false,
        auto_until: send.auto_until ?? null,
      });
    return null;
  }

  #putConversation(id: string, change: Partial<Snapshot["conversations"][number]>): void {
    const found = this.snapshot.conversations.find((one) => one.id === id);
    if (found === undefined) throw notFound;
    const row = { ...found, ...change };
    this.snapshot.conversations = this.snapshot.conversations.map((one) => (one.id === id ? row : one));
    this.emit({ f: "conversation", row });
  }

  #handlers: Handlers = {
    snapshot: () => ({
      ...this.snapshot,
      seq: this.#seq,
      space: this.snapshot.rehearsal === null ? "main" : "rehearsal",
    }),
    detail: ({ id }) => {
      const found = this.details.get(id);
      if (found !== undefined) return found;
      const row = this.past.rows.find((one) => one.id === id);
      const like = this.details.get("r-close");
      if (row === undefined || like === undefined) throw notFound;
      return {
        ...like,
        id,
        title: row.title,
        verb: row.verb,
        state: {
          is: "closed",
          in_doubt: false,
          at: row.at,
          label: `${row.decision} by ${row.by.map((piece) => piece.s).join("")}`,
          text: "",
          expired: false,
          outcome: row.outcome,
          result: row.tone === "ok" ? [made.p("closed 1 ticket\n")] : null,
          whole: this.whole.get(id) ?? null,
        },
      };
    },
    stage: ({ id, decision, digest }) => {
      const state = this.details.get(id)?.state;
      if (state === undefined || state.is === "closed")
        throw { code: "approval_closed", message: "Already answered.", closed: [] } satisfies ApiError;
      if (state.digest !== digest)
        throw { code: "digest_mismatch", message: "What is shown changed.", ids: [id] } satisfies ApiError;
      this.#draft(id, decision, digest);
      return null;
    },
    unstage: ({ id }) => {
      this.#draft(id, null, "");
      return null;
    },
    later: ({ set, until }) => {
      const found = this.snapshot.sets.find((one) => one.id === set);
      if (found === undefined) throw notFound;
      clearTimeout(this.#graces.get(set));
      this.putSet(set, { ...found, grace: null, later: { until: until.is === "at" ? until.at : null } });
      return null;
    },
    not_later: ({ set }) => {
      const found = this.snapshot.sets.find((one) => one.id === set);
      if (found === undefined) throw notFound;
      this.putSet(set, { ...found, later: null });
      return null;
    },
    similar: () => this.beside.similar,
    reasons: () => this.beside.reasons,
    arguments: () => this.beside.arguments,
    send: ({ send }) => this.#send(send),
    start_conversation: ({ agent, text, mode, auto_until }) => {
      const like = this.snapshot.conversations[0];
      const profile = this.snapshot.agents.find((one) => one.id === agent);
      if (like === undefined || profile === undefined) throw notFound;
      const id = `new-${this.snapshot.conversations.length}`;
      const row = {
        ...like,
        id,
        agent,
        title: [made.p(text ?? "New conversation")],
        mode: mode ?? profile.start_mode,
        auto_until: auto_until ?? null,
        state: { is: "idle" as const, unfinished: false },
        at: Date.now(),
        waiting: 0,
        standing: 0,
        steering: [],
        beside: [],
        queued: false,
      };
      this.snapshot.conversations = [row, ...this.snapshot.conversations];
      this.emit({ f: "conversation", row });
      return row;
    },
    fork: ({ conversation, title, upto }) => {
      const source = this.snapshot.conversations.find((one) => one.id === conversation);
      const said = this.transcripts[conversation] ?? [];
      if (source === undefined || said.length === 0) throw notFound;
      const id = `fork-${this.snapshot.conversations.length}`;
      const { row, entries } = forked(source, said, { id, title, upto, now: Date.now() });
      this.transcripts[id] = entries;
      this.snapshot.conversations = [row, ...this.snapshot.conversations];
      this.emit({ f: "conversation", row });
      return row;
    },
    decisions_of: ({ conversation }) => (conversation === "triage" ? 41 : 0),
    transcript: ({ conversation, before, after }) =>
      pageOf(conversation, this.transcripts[conversation] ?? [], before, after),
    find_conversations: ({ text }) => {
      const found = this.snapshot.conversations.flatMap(({ id }) => {
        const [place] = placesIn(this.transcripts[id] ?? [], text).filter((one) => one.call === null);
        return place === undefined ? [] : [{ conversation: id, place }];
      });
      return { found, more: false };
    },
    find_words: ({ conversation, text }) => ({
      places: placesIn(this.transcripts[conversation] ?? [], text),
      more: false,
    }),
    steer: ({ conversation, text }) => {
      const row = this.snapshot.conversations.find((one) => one.id === conversation);
      if (row?.state.is !== "running" || row.state.stopping)
        throw { code: "not_running", message: "Nothing is running here any more." } satisfies ApiError;
      this.drafts.delete(conversation);
      this.#putConversation(conversation, { steering: [...row.steering, [made.p(text)]] });
      return null;
    },
    take_back: ({ conversation }) => {
      const set = this.snapshot.sets.find((one) => one.id === conversation);
      if (set !== undefined)
        this.putSet(conversation, {
          ...set,
          rows: set.rows.map((row) => ({ ...row, queued: false })),
          sending: "idle",
        });
      this.#putConversation(conversation, { queued: false });
      return null;
    },
    stop: ({ conversation }) => {
      this.endRun(conversation);
      return null;
    },
    retry: ({ conversation }) => {
      this.#putConversation(conversation, {
        state: { is: "running", since: Date.now(), round: 1, limit: 25, doing: [], stopping: false },
      });
      return null;
    },
    tighten: ({ conversation, mode }) => {
      this.#putConversation(conversation, { mode, auto_ends: false, auto_until: null });
      return null;
    },
    rename: ({ conversation, title }) => {
      this.#putConversation(conversation, { title: [made.p(title)] });
      return null;
    },
    delete_conversation: ({ conversation }) => {
      this.snapshot.conversations = this.snapshot.conversations.filter((one) => one.id !== conversation);
      this.emit({ f: "conversation_gone", conversation });
      return null;
    },
    ...this.past.handlers,
    ...this.rules.handlers,
    payload_part: (request) => this.part(request),
    find_in_payload: (request) => this.places(request),
    exact_arguments: () => ({ text: "{}", secret: false }),
    result_part: ({ id, part }) => ({ text: [made.p(`part ${part} of ${id}\n`)], part, parts: 3 }),
    save_agent: ({ save }) => {
      if (save.agent.folder === "")
        throw { code: "invalid", message: "A workspace folder is needed.", field: "folder" } satisfies ApiError;
      const agent = {
        ...save.agent,
        id: save.agent.id ?? `agent-${this.snapshot.agents.length + 1}`,
        revision: save.agent.revision + 1,
      };
      const agents = [...this.snapshot.agents.filter((one) => one.id !== agent.id), agent];
      this.snapshot.agents = agents;
      this.emit({ f: "agents", agents });
      return agent;
    },
    delete_agent: ({ id }) => {
      this.snapshot.agents = this.snapshot.agents.filter((one) => one.id !== id);
      this.emit({ f: "agents", agents: this.snapshot.agents });
      return null;
    },
    test_agent: () => [
      { name: "reached", ok: true, text: "The server answers." },
      { name: "key accepted", ok: true, text: "It needs none." },
      { name: "model known", ok: false, text: "The server doesn't know gpt-oss. It offers qwen3." },
    ],
    find_servers: () => [
      {
        name: "Ollama on this machine",
        base_url: "http://127.0.0.1:11434/v1",
        models: ["gpt-oss", "qwen3", "gemma3", "phi4"],
      },
    ],
    list_models: () => ["gpt-oss", "qwen3"],
    tools: ({ agent }) => this.tools(agent),
    switches: () => this.switches,
    switch_tools: ({ switches }) => {
      this.switches = { ...switches, unreadable: false };
      return null;
    },
    ...this.servers.handlers,
    start_quick_task: ({ agent, text, mode }) => {
      const profile = this.snapshot.agents.find((one) => one.id === agent);
      if (profile === undefined) throw notFound;
      const task = quick.quickTask(this.now, {
        id: `quick-${this.quick.length + 1}`,
        agent,
        agent_name: made.one(profile.name),
        folder: made.one(profile.folder),
        mode: mode ?? "default",
        text: made.one(text),
        at: Date.now(),
        state: { is: "running", since: Date.now(), round: 0, limit: 25, stopping: false },
        result: [],
        rounds: [],
      });
      this.quick = [task, ...this.quick];
      return task;
    },
    quick_tools: ({ mode }) =>
      mode === "auto"
        ? tools.filter((tool) => tool.asks !== "question").map((tool) => tool.name)
        : tools.filter((tool) => tool.asks === "never").map((tool) => tool.name),
    quick_task: ({ id }) => {
      const found = this.quick.find((task) => task.id === id);
      if (found === undefined) throw notFound;
      return found;
    },
    quick_tasks: () => ({
      rows: this.quick.map((task, index) => quick.quickRow(task, this.quick.length - index)),
      older: null,
    }),
    remove_quick_task: ({ id }) => {
      this.quick = this.quick.filter((task) => task.id !== id);
      this.emit({ f: "quick", task: id });
      return null;
    },
    confining: () => this.confining,
    key_stores: () => this.keyStores,
    save_settings: ({ settings }) => {
      this.snapshot.settings = settings;
      this.emit({ f: "settings", settings });
      return null;
    },
    start_rehearsal: () => {
      this.snapshot = {
        ...this.snapshot,
        rehearsal: { conversation: "triage", step: 1, steps: 7, text: "Read what it wants to do, then press A." },
        sets: made.sets(this.now),
        conversations: made.conversations(this.now),
      };
      return null;
    },
    skip_step: () => null,
    leave_rehearsal: () => {
      this.snapshot = { ...this.snapshot, rehearsal: null };
      this.emit({ f: "rehearsal", state: null }, "rehearsal");
      return null;
    },
    remove_rehearsal: () => {
      this.snapshot.rehearsal_stored = false;
      return null;
    },
    test_notice: () => this.noticeTest,
    pause_notices: ({ pause }) => {
      const minutes = { half_hour: 30, hour: 60, tomorrow: 720, over: null }[pause];
      const settings = {
        ...this.snapshot.settings,
        paused_until: minutes === null ? null : this.now + minutes * 60_000,
      };
      this.snapshot.settings = settings;
      this.emit({ f: "settings", settings });
      return null;
    },
    leave: () => {
      this.emit({ f: "leaving", ask: null });
      return null;
    },
    looking: () => null,
    markdown: ({ text }) => [{ b: "plain", text: [made.p(text)] }],
    keep_draft: ({ conversation, text }) => {
      this.drafts.set(conversation, text);
      return null;
    },
    kept_draft: ({ conversation }) => this.drafts.get(conversation) ?? "",
    log_ui: () => null,
  };
}

const notFound: ApiError = { code: "not_found", message: "It isn't there any more." };
