import { screen, within } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Agent } from "../lib/ipc/bindings";
import { plainly } from "../lib/ipc/fixtures";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

const show = async (change: Partial<Agent> = {}) => {
  open = await openWindow((ipc) => {
    const agents = ipc.snapshot.agents.map((agent, at) => (at === 0 ? { ...agent, ...change } : agent));
    ipc.snapshot = { ...ipc.snapshot, agents };
  }, "#/settings/agents");
  await open.settle();
};

async function press(testid: string) {
  screen.getByTestId(testid).click();
  await open.pass(50);
}

async function write(field: HTMLElement, text: string, kind = "input") {
  (field as HTMLInputElement).value = text;
  field.dispatchEvent(new Event(kind, { bubbles: true }));
  await open.pass();
}

const by = (testid: string) => screen.getByTestId<HTMLInputElement>(testid);
const asked = () => open.requests("save_agent").at(-1)?.save.agent.asking;

test("what a model is asked for goes along with the agent, and an empty field says nothing", async () => {
  await show();
  await write(by("agent-temperature"), "0.7");
  await write(by("agent-most-tokens"), "4096");
  await write(by("agent-thinking"), "low", "change");
  await press("save-agent");
  expect(asked()).toEqual({
    ...plainly,
    temperature: 70,
    most_tokens: 4096,
    thinking: { is: "effort", effort: "low" },
  });
  await write(by("agent-temperature"), "");
  await write(by("agent-thinking"), "unstated", "change");
  await press("save-agent");
  expect(asked()).toEqual({ ...plainly, most_tokens: 4096 });
});

test("Messages are told a number of tokens for thinking", async () => {
  await show({ format: "anthropic_messages" });
  const options = within(by("agent-thinking")).getAllByRole("option");
  expect(options.map((one) => one.textContent)).toEqual([
    "As the model does by itself",
    "Off",
    "Up to a number of tokens",
  ]);
  await write(by("agent-thinking"), "budget", "change");
  await write(by("agent-thinking-tokens"), "2048");
  await press("save-agent");
  expect(asked()?.thinking).toEqual({ is: "budget", tokens: 2048 });
});

test("what another format was told stays to be seen until something is chosen", async () => {
  await show({ format: "anthropic_messages", asking: { ...plainly, thinking: { is: "effort", effort: "high" } } });
  expect(by("agent-thinking").value).toBe("high");
});

test("a header's secret goes along once and is never shown again", async () => {
  await show();
  await press("add-header");
  let row = within(screen.getByTestId("header-0"));
  await write(row.getByLabelText("Name of the header"), "x-gate");
  await write(row.getByLabelText("What stands in it"), "secret", "change");
  await write(row.getByLabelText("Value"), "gate-secret");
  expect(row.getByLabelText("Value")).toHaveAttribute("type", "password");
  await press("save-agent");
  const save = open.requests("save_agent").at(-1)?.save;
  expect(save?.new_headers).toEqual([{ name: "x-gate", value: "gate-secret" }]);
  expect(save?.agent.asking.headers).toEqual([{ name: "x-gate", value: { from: "secret" } }]);
  row = within(screen.getByTestId("header-0"));
  expect(row.getByLabelText<HTMLInputElement>("Value").value).toBe("");
  expect(row.getByText("What is stored is never shown. Leave this empty to keep it.")).toBeVisible();
  await write(by("agent-name"), "Other");
  await press("save-agent");
  expect(open.requests("save_agent").at(-1)?.save.new_headers).toEqual([]);
});

test("taking a header away keeps the others' secrets with them", async () => {
  await show();
  for (const name of ["x-one", "x-two"]) {
    await press("add-header");
    const all = screen.getAllByTestId(/^header-/);
    const row = within(all[all.length - 1]!);
    await write(row.getByLabelText("Name of the header"), name);
    await write(row.getByLabelText("What stands in it"), "secret", "change");
    await write(row.getByLabelText("Value"), `secret of ${name}`);
  }
  await press("remove-header-0");
  await press("save-agent");
  expect(open.requests("save_agent").at(-1)?.save.new_headers).toEqual([{ name: "x-two", value: "secret of x-two" }]);
});

test("prices are there only when they are given", async () => {
  await show();
  expect(screen.queryByTestId("price-input")).toBeNull();
  await press("add-prices");
  await write(by("price-currency"), "EUR");
  await write(by("price-input"), "0.15");
  await write(by("price-output"), "0.6");
  await press("save-agent");
  expect(asked()?.prices).toEqual({ currency: "EUR", input: 150_000, output: 600_000, cached: null, written: null });
  await write(by("price-cached"), "0.075");
  await press("save-agent");
  expect(asked()?.prices?.cached).toBe(75_000);
  await press("remove-prices");
  await press("save-agent");
  expect(asked()?.prices).toBeNull();
});

test.each([
  ["temperature", "The temperature is a number from 0 to 1."],
  ["most_tokens", "A reply can be limited to 16 to 1000000 tokens."],
  ["thinking", "Messages are told a number of tokens for thinking."],
  ["headers", "The header `Authorization` can't be set here."],
  ["prices", "A price is a number from 0."],
])("what is wrong with %s is said beside it, once", async (field, message) => {
  await show();
  open.ipc.failures.set("save_agent", { code: "invalid", message, field });
  await write(by("agent-most-tokens"), "20");
  await press("save-agent");
  expect(screen.getAllByText(message)).toHaveLength(1);
});

test("fetches from private networks are allowed by the person alone, with a warning", async () => {
  await show();
  const group = within(screen.getByTestId("agent-fetch"));
  expect(group.getByText("Addresses of this computer and of private networks are refused.")).toBeVisible();
  group.getByText("Private ones too").click();
  await open.pass();
  expect(group.getByText(/can reach this computer and your networks/)).toBeVisible();
  await press("save-agent");
  expect(open.requests("save_agent").at(-1)?.save.agent.private_addresses).toBe(true);
});

test("Connect stays short", async () => {
  open = await openWindow((ipc) => {
    ipc.snapshot = { ...ipc.snapshot, first_run: true, agents: [] };
  });
  open.app.firstRunStep = "connect";
  await open.pass(50);
  expect(screen.getByTestId("agent-model")).toBeVisible();
  for (const testid of ["agent-temperature", "agent-thinking", "agent-headers", "agent-prices"])
    expect(screen.queryByTestId(testid)).toBeNull();
});
