import { getContext } from "svelte";
import { SvelteMap } from "svelte/reactivity";
import { Arming } from "./arming.svelte";
import { asApiError, type Ipc } from "./ipc/ipc";
import type { Decision, LaterUntil, SetCard } from "./ipc/bindings";
import { Keyboard } from "./keyboard";
import { current, drawn } from "./keys";
import { t } from "./messages";
import { placeOf } from "./place";
import { Router } from "./router.svelte";
import { Answers } from "./state/answers.svelte";
import { Announcer } from "./state/announcer.svelte";
import { Clock } from "./state/clock.svelte";
import { Comments } from "./state/comments.svelte";
import { Conversations } from "./state/conversations.svelte";
import { Inbox, isHeld, isRejection, unsent } from "./state/inbox.svelte";
import { Quick } from "./state/quick.svelte";
import { RequestDetail } from "./state/request.svelte";
import { Rules } from "./state/rules.svelte";
import { Servers } from "./state/servers.svelte";
import { Session } from "./state/session.svelte";
import { Typing } from "./state/typing.svelte";

/** What goes along with an approval: words for history, and whether the agent is told them. */
export interface Note {
  text: string;
  tell: boolean;
}

/** The window's state, made once in `main.ts` and handed down; a test makes its own. */
export class App {
  /** Which of the app's windows this is, and a name for it that no other one has. */
  place = placeOf(location.hash);
  window = `${this.place.is} ${Math.random().toString(36).slice(2)}`;
  inbox = new Inbox();
  conversations = new Conversations();
  announcer = new Announcer();
  clock = new Clock();
  router = new Router();
  arming: Arming;
  keyboard = new Keyboard();
  session: Session;
  request: RequestDetail;
  typing: Typing;
  /** What is said about steps of plans. */
  comments: Comments;
  quick: Quick;
  servers: Servers;
  /** The rule that is being made. */
  rules = new Rules();
  /** What history is to be searched for when it is opened from elsewhere. */
  pastQuery = $state<string | null>(null);
  /** Words for a rejection, kept while they aren't used. */
  reasons = new SvelteMap<string, string>();
  /** Notes being written to go along with an approval, by request. */
  notes = new SvelteMap<string, Note>();
  /** Arguments being edited for a correction, by request; `null` leaves one out. Kept while they aren't used. */
  corrections = new SvelteMap<string, Map<string, string | null>>();
  /** What questions were filled in with, kept while they are open. */
  answers = new Answers();
  /** The first message of a conversation that isn't started yet, kept when its sheet is closed. */
  newText = $state("");
  /** Whether the sheet of a new conversation is wanted from another screen. */
  askNew = $state(false);
  /** With which agent it is wanted; none: the first. */
  newAgent = $state<string | null>(null);
  /** Why the last decision wasn't taken, and about which row. */
  refusal = $state<{ id: string; text: string } | null>(null);
  /** Where the first run is, while it is in front. */
  firstRunStep = $state<"welcome" | "notify" | "connect" | null>(null);
  /** A test or the story page speaks a made-up language, whatever the settings say. */
  madeUpLanguage = false;
  #deciding = false;
  #stops: (() => void)[];

  constructor(ipc: Ipc, focused?: boolean) {
    this.session = new Session(ipc, this.inbox, this.conversations, this.announcer);
    this.request = new RequestDetail((id) => this.session.call("detail", { id }));
    this.typing = new Typing({
      keep: (conversation, text) => this.session.call("keep_draft", { conversation, text }),
      load: (conversation) => this.session.call("kept_draft", { conversation }),
    });
    this.comments = new Comments({
      keep: (id, text) => this.session.call("keep_draft", { conversation: id, text }),
      load: (id) => this.session.call("kept_draft", { conversation: id }),
    });
    this.quick = new Quick(this.session, this.announcer);
    this.servers = new Servers(this.session);
    this.session.onQuick = (task) => this.quick.changed(task);
    this.session.onTyped = (conversation, text) => this.typing.cameBack(conversation, text);
    this.arming = new Arming(focused);
    this.arming.onEarly = () => this.announcer.say(t.notYet);
    this.session.onShow = (id) => {
      // What a notification opens, it opens in the main window.
      if (this.place.is !== "main") return;
      this.router.go("inbox");
      if (id !== null) this.inbox.reveal(id);
      // Whatever was pressed to come here isn't meant for the request.
      this.arming.disturb();
    };
    this.session.onFirstRun = () => (this.firstRunStep ??= "welcome");
    this.session.onRequestChange = (conversation, ids) => {
      for (const id of ids) {
        this.answers.forget(id);
        this.comments.forget(id);
      }
      const shown = this.request.detail;
      const concerns =
        conversation === null
          ? ids.length === 0 || ids.includes(shown?.id ?? "")
          : shown?.conversation === conversation;
      if (concerns) void this.request.again();
    };
    this.#stops = [this.arming.watch(), this.keyboard.watch(), () => this.clock.stop(), () => this.router.stop()];
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.comments.stop();
    this.announcer.stop();
  }

  /** The rehearsal was left: somebody who has no model yet is led on to one. */
  afterRehearsal(): void {
    this.firstRunStep = this.session.agents.length === 0 ? "connect" : null;
    this.router.go("inbox");
  }

  /** Opens history with a query. */
  showPast(query: string): void {
    this.pastQuery = query;
    this.router.go("history");
  }

  /** Leaves the first run for good. */
  async greeted(): Promise<void> {
    if (!this.session.settings.greeted) await this.session.saveSettings({ greeted: true });
    this.firstRunStep = null;
  }

  /** Puts a decision aside. The digest is the one of the detail that is on the screen. */
  async stage(id: string, digest: string, decision: Decision): Promise<boolean> {
    if (this.#deciding) return false;
    this.#deciding = true;
    this.refusal = null;
    try {
      await this.session.call("stage", { id, decision, digest });
      this.announcer.say(this.#announcement(id, decision));
      this.inbox.staged(id);
      return true;
    } catch (problem) {
      const error = asApiError(problem);
      this.refusal = { id, text: error.code === "digest_mismatch" ? t.digestMismatch : error.message };
      if (error.code === "invalid_answer") {
        this.answers.of(id).tell(error.faults);
        return false;
      }
      // What is on the screen is stale, or the decision came too late: the truth is fetched, and armed afresh.
      this.arming.disturb();
      await this.request.again();
      return false;
    } finally {
      this.#deciding = false;
    }
  }

  #announcement(id: string, decision: Decision): string {
    const undo = drawn(current("u") ?? "Mod+z", this.session.system);
    if (decision.say === "answer") return t.announceAnswered(undo);
    if (!isRejection(decision)) return t.announceApproved(undo);
    return this.inbox.find(id)?.row.kind === "question" ? t.announceDeclined(undo) : t.announceRejected(undo);
  }

  /** Takes a decision back; without an id the newest one, wherever it is. */
  async undo(id: string | null = this.inbox.newestStaged()): Promise<void> {
    if (id === null) {
      this.announcer.say(t.nothingToUndo);
      return;
    }
    this.refusal = null;
    const found = this.inbox.find(id);
    if (found?.row.queued) {
      await this.takeBack(found.set.conversation);
      if (this.inbox.find(id) !== null) this.#bringBack(id);
      return;
    }
    const before = found?.row.draft?.decision;
    try {
      await this.session.call("unstage", { id });
      if (before?.say === "answer") this.answers.takeBack(id, before.value);
      this.announcer.say(t.announceUndone);
    } catch (problem) {
      this.refusal = { id, text: asApiError(problem).message };
    }
    if (this.inbox.find(id) !== null) this.#bringBack(id);
  }

  #bringBack(id: string): void {
    this.inbox.tab = this.inbox.find(id)?.set.later ? "later" : "waiting";
    this.inbox.select(id);
  }

  /** Puts the selected row's set aside; its drafts stay. */
  async later(set: SetCard, until: LaterUntil): Promise<void> {
    try {
      await this.session.call("later", { set: set.id, until });
      this.announcer.say(t.announceLater);
    } catch (problem) {
      this.refusal = { id: this.inbox.selected ?? "", text: asApiError(problem).message };
    }
    this.arming.disturb();
  }

  /** Brings a set back that was put aside. */
  async notLater(set: SetCard): Promise<void> {
    try {
      await this.session.call("not_later", { set: set.id });
      this.announcer.say(t.announceNotLater);
    } catch (problem) {
      this.refusal = { id: this.inbox.selected ?? "", text: asApiError(problem).message };
    }
    this.arming.disturb();
  }

  /** Takes back what waits for a conversation's run to end: all of it, since it would leave as one. Returns why it couldn't. */
  async takeBack(conversation: string): Promise<string | null> {
    try {
      await this.session.call("take_back", { conversation });
      this.announcer.say(t.announceTakenBack);
      return null;
    } catch (problem) {
      const { message } = asApiError(problem);
      this.refusal = { id: this.inbox.selected ?? "", text: message };
      return message;
    }
  }

  /** Every conversation that is in Auto, or would be from its next run on, asks again from now on. */
  async allToDefault(): Promise<void> {
    const { rows, loosening } = this.conversations;
    for (const [id, { mode }] of [...loosening]) if (mode === "auto") loosening.delete(id);
    const free = [...rows.values()].filter((row) => row.mode === "auto");
    const tried = await Promise.allSettled(
      free.map((row) => this.session.call("tighten", { conversation: row.id, mode: "default" })),
    );
    const failed = tried.find((one) => one.status === "rejected");
    if (failed !== undefined) this.session.trouble = asApiError(failed.reason).message;
    this.announcer.say(t.announceAllDefault(tried.filter((one) => one.status === "fulfilled").length));
  }

  /** Puts words below what is being typed in a conversation, and opens it there. Nothing is sent by it. */
  async putInComposer(conversation: string, text: string): Promise<void> {
    await this.typing.open(conversation).catch(() => undefined);
    const before = this.typing.text(conversation).trimEnd();
    this.typing.write(conversation, before === "" ? text : `${before}\n${text}`);
    this.router.go("conversations", conversation);
  }

  /** Sends what is staged of a set, and a mode that waited for it. What isn't staged expires, and is named. */
  async sendSet(set: SetCard): Promise<void> {
    const staged = unsent(set).filter((row) => row.draft !== null);
    if (staged.length === 0) return;
    // A mode waits for the next run; an answer to a server starts none.
    const loosening = isHeld(set) ? undefined : this.conversations.loosening.get(set.conversation);
    try {
      await this.session.call("send", {
        send: {
          conversation: set.conversation,
          answers: staged.flatMap((row) =>
            row.draft === null ? [] : [{ request: row.id, digest: row.draft.digest, decision: row.draft.decision }],
          ),
          text: null,
          mode: loosening?.mode ?? null,
          auto_until: loosening?.until ?? null,
          passes_by: set.rows.filter((row) => row.draft === null).map((row) => row.id),
        },
      });
      if (!isHeld(set)) this.conversations.loosening.delete(set.conversation);
    } catch (problem) {
      this.refusal = { id: this.inbox.selected ?? "", text: asApiError(problem).message };
    }
  }
}

export const appContext = Symbol("app");

export function useApp(): App {
  return getContext<App>(appContext);
}
