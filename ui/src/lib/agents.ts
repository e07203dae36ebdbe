import type { Agent, HeaderSecret } from "./ipc/bindings";

/** An agent as the editor starts it. */
export function newAgent(): Agent {
  return {
    id: null,
    revision: 0,
    name: "",
    instructions: "",
    format: "open_ai_chat",
    base_url: "",
    model: "",
    key: { from: "none" },
    folder: "",
    start_mode: "default",
    rounds: 25,
    tools: null,
    caps: { model_calls: 200, agents: 50, beside: 8 },
    servers: [],
    sub_agents: [],
    groups: null,
    zone: "unstated",
    ceiling: "enforce",
    hold: "strongest",
    network: "on",
    private_addresses: false,
    asking: { temperature: null, most_tokens: null, thinking: { is: "unstated" }, headers: [], prices: null },
  };
}

/** The secrets of an agent's headers that were typed, in the order of its headers; empty ones weren't. */
export function typedSecrets(agent: Agent, secrets: string[]): HeaderSecret[] {
  return agent.asking.headers.flatMap(({ name, value }, at) => {
    const typed = secrets[at] ?? "";
    return value.from === "secret" && typed !== "" ? [{ name, value: typed }] : [];
  });
}

/** What a model could call an agent: the letters, digits, `_` and `-` of its name, and not what is taken already. */
export function toolName(name: string, taken: string[]): string {
  const letters = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 60);
  const made = letters === "" ? "agent" : letters;
  let free = made;
  for (let n = 2; taken.includes(free); n += 1) free = `${made}_${n}`;
  return free;
}
