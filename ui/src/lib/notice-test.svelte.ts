import type { App } from "./app.svelte";
import type { NoticeTest as Result } from "./ipc/bindings";
import { asApiError } from "./ipc/ipc";
import { t } from "./messages";
import { list } from "./text";

/** A test notification: what is said of it, and whether it is still under way. First run and Settings show the same. */
export class NoticeTest {
  waiting = $state(false);
  #result = $state.raw<Result | null>(null);
  #problem = $state("");
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  /** What came of it, in words; what is under way says so. */
  get said(): string {
    if (this.waiting) return t.testWaiting;
    if (this.#problem !== "") return this.#problem;
    return this.#result === null ? "" : words(this.#result);
  }

  /** What the server says of itself, in its own words. */
  get can(): string {
    const can = this.waiting ? [] : (this.#result?.can ?? []);
    return can.length === 0 ? "" : t.testCan(list(can));
  }

  async send(): Promise<void> {
    this.waiting = true;
    this.#problem = "";
    try {
      this.#result = await this.#app.session.call("test_notice", {});
    } catch (problem) {
      this.#problem = asApiError(problem).message;
    } finally {
      this.waiting = false;
    }
  }
}

function words({ came, server, buttons, why }: Result): string {
  switch (came) {
    case "button":
      return t.testButton(server ?? "");
    case "click":
      return t.testClick(server ?? "", buttons);
    case "shown":
      return t.testShown(server ?? "", buttons);
    case "nothing":
      return t.testNothing(why);
    default: {
      const unknown: never = came;
      return unknown;
    }
  }
}
