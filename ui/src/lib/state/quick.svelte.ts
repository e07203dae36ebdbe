import type { Mode, QuickTask } from "../ipc/bindings";
import { asApiError } from "../ipc/ipc";
import { t } from "../messages";
import { plain } from "../text";
import type { Announcer } from "./announcer.svelte";
import type { Session } from "./session.svelte";

/** The part of the address under which History shows Quick tasks, and one of them. */
export const tasks = "tasks";
export const taskPart = (id: string) => `${tasks}:${id}`;
export const isTask = (part: string | null) => part === tasks || part?.startsWith(`${tasks}:`) === true;
export const taskOf = (part: string | null) =>
  part?.startsWith(`${tasks}:`) === true ? part.slice(tasks.length + 1) : null;

/** One Quick task, kept current while somebody looks at it. */
export class WatchedTask {
  task = $state.raw<QuickTask | null>(null);
  problem = $state("");
  #id: string | null = null;
  #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  show(task: QuickTask | null): void {
    this.#id = task?.id ?? null;
    this.task = task;
    this.problem = "";
  }

  async load(id: string | null): Promise<void> {
    if (id !== this.#id) this.task = null;
    this.#id = id;
    this.problem = "";
    if (id === null) return;
    try {
      const task = await this.#session.call("quick_task", { id });
      if (this.#id === id) this.task = task;
    } catch (error) {
      if (this.#id === id) this.problem = asApiError(error).message;
    }
  }

  async again(id: string): Promise<void> {
    if (id === this.#id) await this.load(id);
  }
}

/** Quick tasks: the sheet that starts one, and the one that it shows. */
export class Quick {
  open = $state(false);
  /** What is typed, kept when the sheet is closed. */
  text = $state("");
  problem = $state("");
  starting = $state(false);
  /** Chosen in this sheet; none: the last choice. */
  agent = $state<string | null>(null);
  mode = $state<Mode | null>(null);
  shown: WatchedTask;
  /** Goes up when a task went on; a list of them is read again. */
  changes = $state(0);
  #session: Session;
  #announcer: Announcer;
  #running = new Set<string>();

  constructor(session: Session, announcer: Announcer) {
    this.#session = session;
    this.#announcer = announcer;
    this.shown = new WatchedTask(session);
  }

  /** Opens the sheet; what it showed last is done with, unless it still runs. */
  ask(): void {
    if (this.shown.task?.state.is !== "running") this.shown.show(null);
    this.agent = null;
    // Auto is chosen anew each time.
    this.mode = null;
    this.problem = "";
    this.open = true;
  }

  async start(agent: string, mode: Mode): Promise<void> {
    const text = this.text.trim();
    if (text === "" || this.starting) return;
    this.starting = true;
    this.problem = "";
    try {
      const task = await this.#session.call("start_quick_task", { agent, text, mode });
      this.#running.add(task.id);
      this.shown.show(task);
      this.text = "";
      // It may have gone on before this window knew its name.
      await this.shown.again(task.id);
    } catch (error) {
      this.problem = asApiError(error).message;
    } finally {
      this.starting = false;
    }
  }

  async stop(id: string): Promise<void> {
    try {
      await this.#session.call("stop", { conversation: id });
    } catch (error) {
      // It may have ended in this very moment; then there is nothing to say.
      if (asApiError(error).code !== "not_running") this.problem = asApiError(error).message;
    }
  }

  changed(id: string): void {
    this.changes += 1;
    void this.shown.again(id).then(() => {
      const task = this.shown.task;
      if (task?.id !== id || task.state.is === "running" || !this.#running.delete(id)) return;
      this.#announcer.say(t.announceQuick(plain(task.text), t.quickState(task.state)));
    });
  }
}
