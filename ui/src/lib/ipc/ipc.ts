import { Channel, invoke } from "@tauri-apps/api/core";
import type { ApiError, Commands, FeedEvent, Space } from "./bindings";

export type CommandName = keyof Commands;
export type RequestOf<Name extends CommandName> = Commands[Name][0];
export type ReplyOf<Name extends CommandName> = Commands[Name][1];

/** The process behind the window, as the window sees it. */
export interface Ipc {
  /** Rejects with an `ApiError`. */
  call<Name extends CommandName>(space: Space, name: Name, request: RequestOf<Name>): Promise<ReplyOf<Name>>;
  /** Events of both spaces from now on, in order. */
  subscribe(receive: (event: FeedEvent) => void): Promise<void>;
  /** Puts the quick panel away; the focus goes back to where it was. */
  hidePanel(): Promise<void>;
  /** Opens a request in a window of its own. */
  detach(request: string): Promise<void>;
  /** Whether the desktop has global keys, or what to bind where it has none. */
  globalKey(): Promise<GlobalKey>;
}

/** How the quick panel can be opened from anywhere. */
export type GlobalKey =
  | { is: "key"; keys: string }
  /** The desktop hears no keys for us; the person binds this command to one. */
  | { is: "command"; command: string };

export function insideTauri(): boolean {
  return "__TAURI_INTERNALS__" in window;
}

export const tauri: Ipc = {
  call: (space, name, request) => invoke(name, { space, request }),
  async subscribe(receive) {
    const channel = new Channel<FeedEvent>();
    channel.onmessage = receive;
    await invoke("subscribe", { channel });
  },
  hidePanel: () => invoke("hide_panel"),
  detach: (request) => invoke("detach", { request }),
  globalKey: () => invoke("global_key"),
};

/** What a command rejected with, also when it came from a place that knows no codes. */
export function asApiError(problem: unknown): ApiError {
  if (typeof problem === "object" && problem !== null && "code" in problem && "message" in problem) {
    return problem as ApiError;
  }
  return { code: "broken", message: problem instanceof Error ? problem.message : String(problem) };
}
