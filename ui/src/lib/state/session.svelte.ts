import type { Agent, FeedEvent, Leaving, RehearsalState, Settings, Snapshot, Spoken } from "../ipc/bindings";
import { ofSystem } from "../i18n/choose";
import { Feed } from "../ipc/feed";
import { asApiError, type CommandName, type Ipc, type ReplyOf, type RequestOf } from "../ipc/ipc";
import { current, drawn } from "../keys";
import { t } from "../messages";
import { defaults } from "../settings";
import { plain } from "../text";
import type { Announcer } from "./announcer.svelte";
import type { Conversations } from "./conversations.svelte";
import type { Inbox } from "./inbox.svelte";

/** The window's connection to the process behind it, and what belongs to no single screen. */
export class Session {
  ready = $state(false);
  /** Whether the picture is current. While it isn't, nothing can be decided. */
  connected = $state(false);
  /** Since when it isn't. */
  lostAt = $state<number | null>(null);
  /** A state of the whole app, in words: a full disk, a database of a newer version. */
  trouble = $state<string | null>(null);
  /** Why there is no picture at all. */
  startProblem = $state<string | null>(null);
  agents = $state.raw<Agent[]>([]);
  settings = $state.raw<Settings>(defaults);
  rehearsal = $state.raw<RehearsalState | null>(null);
  rehearsalStored = $state(false);
  /** Why notifications don't work, if they don't. */
  notices = $state<string | null>(null);
  /** What is asked before the window or the app goes, if anything is. */
  leaving = $state.raw<Leaving | null>(null);
  version = $state("");
  dataFolder = $state("");
  system = $state("linux");
  /** What the system speaks, for the language "System". */
  systemSpeaks = $state<Spoken>(ofSystem(navigator.languages));
  /** Goes up when decisions were added to history. */
  historyChanges = $state(0);
  /** Goes up when tool servers changed; whoever shows them loads them anew. */
  serverChanges = $state(0);
  /** Goes up when rules changed; whoever shows them, or what they decide, loads it anew. */
  ruleChanges = $state(0);
  /** Called when a notification or the tray asks for a request to be shown. */
  onShow: (request: string | null) => void = () => undefined;
  /** Called when nothing was set up yet. */
  onFirstRun: () => void = () => undefined;
  /** Called when the text that is kept for a conversation became another. */
  onTyped: (conversation: string, text: string) => void = () => undefined;
  /** Called when a Quick task went on. */
  onQuick: (task: string) => void = () => undefined;
  /** Called when something about one request may have changed. */
  onRequestChange: (conversation: string | null, ids: string[]) => void = () => undefined;
  /** The process behind the window. */
  readonly ipc: Ipc;
  #feed: Feed;
  #inbox: Inbox;
  #conversations: Conversations;
  #announcer: Announcer;

  constructor(ipc: Ipc, inbox: Inbox, conversations: Conversations, announcer: Announcer) {
    this.ipc = ipc;
    this.#inbox = inbox;
    this.#conversations = conversations;
    this.#announcer = announcer;
    this.#feed = new Feed(ipc, {
      snapshot: (snapshot) => this.#take(snapshot),
      event: (event) => this.#apply(event),
      show: (request) => this.onShow(request),
      connected: (connected) => {
        this.connected = connected;
        this.lostAt = connected ? null : (this.lostAt ?? Date.now());
      },
    });
  }

  get space() {
    return this.#feed.space;
  }

  call<Name extends CommandName>(name: Name, request: RequestOf<Name>): Promise<ReplyOf<Name>> {
    return this.ipc.call(this.#feed.space, name, request);
  }

  async start(): Promise<void> {
    try {
      await this.#feed.start();
    } catch (problem) {
      // The feed tries again by itself; until then the window says why it is empty.
      this.startProblem = asApiError(problem).message;
    }
  }

  async saveSettings(change: Partial<Settings>): Promise<void> {
    await this.call("save_settings", { settings: { ...this.settings, ...change } });
  }

  async startRehearsal(): Promise<void> {
    await this.call("start_rehearsal", {});
    await this.#feed.take("rehearsal");
  }

  async leaveRehearsal(): Promise<void> {
    await this.call("leave_rehearsal", {});
    // The process may have said so first; what comes next goes by the picture of the person's own space all the same.
    await this.#feed.take("main");
  }

  async removeRehearsal(): Promise<void> {
    await this.ipc.call("main", "remove_rehearsal", {});
    this.rehearsalStored = false;
  }

  #take(snapshot: Snapshot): void {
    this.#inbox.take(snapshot);
    this.#conversations.take(snapshot);
    this.agents = snapshot.agents;
    this.settings = snapshot.settings;
    if (snapshot.first_run) this.onFirstRun();
    this.rehearsal = snapshot.rehearsal;
    this.rehearsalStored = snapshot.rehearsal_stored;
    this.notices = snapshot.notices;
    this.version = snapshot.version;
    this.dataFolder = snapshot.data_folder;
    this.system = snapshot.system;
    this.systemSpeaks = snapshot.system_speaks;
    this.startProblem = null;
    this.ready = true;
    this.historyChanges += 1;
    this.serverChanges += 1;
    this.ruleChanges += 1;
    this.onRequestChange(null, []);
  }

  #apply(event: FeedEvent): void {
    const { what } = event;
    switch (what.f) {
      case "set": {
        const asked = this.#inbox.apply(what.id, what.set);
        if (asked && what.set !== null) {
          const verb = what.set.rows[what.set.rows.length - 1]?.verb ?? [];
          const key = current("g i");
          this.#announcer.say(
            t.announceAsk(
              plain(what.set.title),
              plain(verb),
              this.#inbox.waiting,
              key === null ? null : drawn(key, this.system),
            ),
          );
        }
        this.onRequestChange(what.set?.conversation ?? what.id, []);
        return;
      }
      case "closed": {
        const selected = this.#inbox.close(what.rows);
        const row = what.rows.find((candidate) => candidate.id === this.#inbox.selected);
        if (selected && row !== undefined && row.expired) this.#announcer.interrupt(row.label);
        this.onRequestChange(
          null,
          what.rows.map((closed) => closed.id),
        );
        return;
      }
      case "conversation":
        this.#conversations.put(what.row);
        return;
      case "conversation_gone":
        this.#conversations.remove(what.conversation);
        return;
      case "entries":
        this.#conversations.apply(what.conversation, what.entries);
        return;
      case "delta":
        this.#conversations.stream(what.conversation, what.text);
        return;
      case "typed":
        this.onTyped(what.conversation, what.text);
        return;
      case "quick":
        this.onQuick(what.task);
        return;
      case "history":
        this.historyChanges += 1;
        return;
      case "agents":
        this.agents = what.agents;
        return;
      case "servers":
        this.serverChanges += 1;
        // Whether a call of a server's tool may still run depends on what the server says now.
        this.onRequestChange(null, []);
        return;
      case "rules":
        this.ruleChanges += 1;
        // Why a request asks, and what a plan would unlock, are said by them.
        this.onRequestChange(null, []);
        return;
      case "settings":
        this.settings = what.settings;
        return;
      case "rehearsal":
        this.rehearsal = what.state;
        return;
      case "trouble":
        this.trouble = what.text;
        return;
      case "leaving":
        this.leaving = what.ask;
        return;
      case "show":
        return;
      default: {
        const unknown: never = what;
        return unknown;
      }
    }
  }
}
