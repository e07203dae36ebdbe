import { render } from "@testing-library/svelte";
import { tick } from "svelte";
import { vi } from "vitest";
import Root from "../App.svelte";
import { App } from "../lib/app.svelte";
import { stillness } from "../lib/arming.svelte";
import { FakeIpc } from "../lib/ipc/fake";
import type { CommandName, RequestOf } from "../lib/ipc/ipc";

export interface OpenWindow {
  app: App;
  ipc: FakeIpc;
  /** Lets time go by, and everything that waits for it. */
  pass(milliseconds?: number): Promise<void>;
  /** Lets enough time go by for a press to count. */
  settle(): Promise<void>;
  press(key: string, options?: KeyboardEventInit, target?: Element): Promise<void>;
  /** What a command was called with, in order. */
  requests<Name extends CommandName>(name: Name): RequestOf<Name>[];
}

/** The whole window over the made-up backend. Needs fake timers. */
export async function openWindow(
  prepare: (ipc: FakeIpc) => void = () => undefined,
  hash = "#/inbox",
): Promise<OpenWindow> {
  location.hash = hash;
  const ipc = new FakeIpc();
  prepare(ipc);
  const app = new App(ipc, true);
  render(Root, { app });
  const pass = async (milliseconds = 0) => {
    await vi.advanceTimersByTimeAsync(milliseconds);
    await tick();
    await vi.advanceTimersByTimeAsync(0);
  };
  void app.session.start();
  await pass(50);
  return {
    app,
    ipc,
    pass,
    settle: () => pass(stillness),
    async press(key, options = {}, target = document.body) {
      target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...options }));
      await pass(20);
    },
    requests: <Name extends CommandName>(name: Name) =>
      ipc.calls.filter((call) => call.name === name).map((call) => call.request as RequestOf<Name>),
  };
}
