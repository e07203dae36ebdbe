import type { Agent } from "./ipc/bindings";

/** An agent as the editor starts it. */
export function newAgent(): Agent {
  return {
    id: null,
    revision: 0,
    name: "",
    instructions: "",
    base_url: "",
    model: "",
    key: { from: "none" },
    folder: "",
    start_mode: "default",
    rounds: 25,
    tools: null,
    caps: { model_calls: 200, agents: 50, beside: 8 },
    sub_agents: [],
    groups: null,
    zone: "unstated",
    ceiling: "enforce",
  };
}
