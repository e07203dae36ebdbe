import type { App } from "./app.svelte";
import type { Settings } from "./ipc/bindings";
import { asApiError } from "./ipc/ipc";

/** Every change holds at once; one that could not be stored is said, and the control shows what is in force. */
export async function changeSettings(app: App, change: Partial<Settings>): Promise<void> {
  try {
    await app.session.saveSettings(change);
  } catch (problem) {
    app.session.trouble = asApiError(problem).message;
  }
}
