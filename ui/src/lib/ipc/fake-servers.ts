import type { ApiError, FeedWhat, FoundToolServer, ServerLogLine, ServerRow, ServerTool, ToolWord } from "./bindings";
import type { CommandName, ReplyOf, RequestOf } from "./ipc";
import * as made from "./fixture-servers";

type Name = Extract<
  CommandName,
  | "servers"
  | "server"
  | "server_tool"
  | "server_log"
  | "save_server"
  | "delete_server"
  | "restart_server"
  | "say_of_server"
  | "say_of_tool"
  | "read_servers"
>;

/** The made-up tool servers: they keep the rules that a window can notice, such as a word on a tool that is another one now. */
export class FakeServers {
  rows: ServerRow[] = [];
  words = new Map<string, ToolWord>();
  tools = new Map<string, ServerTool[]>();
  logs = new Map<string, ServerLogLine[]>();
  found: FoundToolServer[] = made.found();
  #emit: (what: FeedWhat) => void;

  constructor(emit: (what: FeedWhat) => void) {
    this.#emit = emit;
  }

  /** Five servers, one in each state. */
  fill(now: number, more = 0): void {
    this.rows = made.rows();
    const others = Array.from({ length: more }, (_, index) => made.tool(`tool_${index}`));
    this.tools.set("server-1", [...made.tools(now), ...others]);
    this.logs.set("server-1", made.log(now));
  }

  /** Something about a server becomes otherwise, and the window is told. */
  change(id: string, part: Partial<ServerRow>): void {
    this.rows = this.rows.map((row) => (row.server.id === id ? { ...row, ...part } : row));
    this.changed();
  }

  changed(): void {
    this.#emit({ f: "servers" });
  }

  /** The server says something else of a tool from now on. */
  redefine(id: string, key: string): void {
    this.#row(id, key, (tool) => ({ fingerprint: `${tool.row.fingerprint}, changed` }));
    this.changed();
  }

  #find(id: string): ServerRow {
    const row = this.rows.find((one) => one.server.id === id);
    if (row === undefined)
      throw { code: "not_found", message: "This tool server isn't there any more." } satisfies ApiError;
    return row;
  }

  #tool(id: string, key: string): ServerTool {
    const found = this.tools.get(id)?.find((one) => one.row.key === key);
    if (found === undefined) throw { code: "not_found", message: "This tool isn't there any more." } satisfies ApiError;
    return found;
  }

  #fingerprint(id: string): string {
    return (this.tools.get(id) ?? []).map((one) => one.row.fingerprint).join(" ");
  }

  #row(id: string, key: string, part: (tool: ServerTool) => Partial<ServerTool["row"]>): void {
    const all = this.tools.get(id) ?? [];
    this.tools.set(
      id,
      all.map((one) => (one.row.key === key ? { ...one, row: { ...one.row, ...part(one) } } : one)),
    );
  }

  handlers: { [One in Name]: (request: RequestOf<One>) => ReplyOf<One> } = {
    servers: () => this.rows,
    server: ({ id }) => ({
      row: this.#find(id),
      word: this.words.get(id) ?? { asks: null, read_only: false, parallel_safe: false },
      fingerprint: this.#fingerprint(id),
      word_lost: false,
      tools: (this.tools.get(id) ?? []).map((one) => one.row),
    }),
    server_tool: ({ id, key }) => this.#tool(id, key),
    server_log: ({ id }) => this.logs.get(id) ?? [],
    save_server: ({ save: { server } }) => {
      if (server.name.trim() === "")
        throw { code: "invalid", field: "name", message: "Give it a name of 1 to 60 characters." } satisfies ApiError;
      const id = server.id ?? `server-${this.rows.length + 1}`;
      const saved = { ...server, id, revision: server.revision + 1 };
      const before = this.rows.find((row) => row.server.id === id) ?? {
        state: { is: "idle" as const },
        calls_itself: null,
        tools: 0,
        tightened: 0,
        cut: "",
        agents: [],
      };
      const row = { ...before, server: saved };
      const is = this.rows.some((one) => one.server.id === id);
      this.rows = is ? this.rows.map((one) => (one.server.id === id ? row : one)) : [...this.rows, row];
      this.changed();
      return saved;
    },
    delete_server: ({ id }) => {
      this.rows = this.rows.filter((row) => row.server.id !== id);
      this.changed();
      return null;
    },
    restart_server: ({ id }) => {
      this.change(id, { state: { is: "starting" } });
      return null;
    },
    say_of_server: ({ id, fingerprint, word }) => {
      if ((word.asks === "never" || word.read_only || word.parallel_safe) && fingerprint !== this.#fingerprint(id))
        throw {
          code: "refused",
          message: "The server or its tools changed since they were shown. Look at them again.",
        } satisfies ApiError;
      this.words.set(id, word);
      this.change(id, { tightened: 0 });
      return null;
    },
    say_of_tool: ({ id, key, fingerprint, word }) => {
      if (this.#tool(id, key).row.fingerprint !== fingerprint)
        throw {
          code: "refused",
          message: "The server changed this tool since it was shown. Look at it again.",
        } satisfies ApiError;
      this.#row(id, key, () => ({ word, tightened: false }));
      this.changed();
      return null;
    },
    read_servers: ({ text }) => {
      if (text.trim() === "")
        throw {
          code: "invalid",
          field: "text",
          message: "Paste a command line, an address or JSON.",
        } satisfies ApiError;
      return this.found;
    },
  };
}
