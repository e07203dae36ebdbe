import type { ServerRow } from "../ipc/bindings";
import { asApiError } from "../ipc/ipc";
import type { Session } from "./session.svelte";

/** The tool servers and how they stand, for every place that tells of them. */
export class Servers {
  rows = $state.raw<ServerRow[]>([]);
  /** When the rows were fetched: what they say in seconds counts from then. */
  at = $state(0);
  /** Whether they were ever fetched. */
  known = $state(false);
  /** Why they couldn't be fetched, if the last try failed. */
  problem = $state("");
  #session: Session;
  #loading = false;
  #again = false;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Those that some agent uses and that can't be used. */
  get failing(): ServerRow[] {
    return this.rows.filter((row) => row.state.is === "failed" && row.agents.length > 0);
  }

  find(id: string): ServerRow | undefined {
    return this.rows.find((row) => row.server.id === id);
  }

  /** How many tools of some servers are known. */
  toolsOf(ids: string[]): number {
    return ids.reduce((sum, id) => sum + (this.find(id)?.tools ?? 0), 0);
  }

  /** Fetches them. However often servers change meanwhile, one more fetch follows. */
  async load(): Promise<void> {
    if (this.#loading) {
      this.#again = true;
      return;
    }
    this.#loading = true;
    try {
      do {
        this.#again = false;
        this.rows = await this.#session.call("servers", {});
        this.at = Date.now();
      } while (this.#again);
      this.known = true;
      this.problem = "";
    } catch (error) {
      this.problem = asApiError(error).message;
    } finally {
      this.#loading = false;
    }
  }
}
