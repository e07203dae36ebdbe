import type { App } from "./app.svelte";
import { asApiError } from "./ipc/ipc";
import { t } from "./messages";

/** A test notification: what is said of it, and whether it is still under way. First run and Settings show the same. */
export class NoticeTest {
  said = $state("");
  waiting = $state(false);
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  async send(): Promise<void> {
    this.waiting = true;
    this.said = t.testWaiting;
    try {
      this.said = await this.#app.session.call("test_notice", {});
    } catch (problem) {
      this.said = asApiError(problem).message;
    } finally {
      this.waiting = false;
    }
  }
}
