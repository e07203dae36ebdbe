import { screen, within } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(async () => {
  vi.useFakeTimers();
  open = await openWindow(undefined, "#/settings/agents");
});

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

const group = () => screen.getByTestId("sub-agents");
const entry = (at = 0) => within(screen.getByTestId(`sub-agent-${at}`));

async function press(name: string | RegExp) {
  within(group()).getByRole("button", { name }).click();
  await open.pass();
}

async function write(label: string, text: string, at = 0) {
  const field = entry(at).getByLabelText<HTMLInputElement>(label);
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await open.pass();
}

async function save() {
  screen.getByTestId("save-agent").click();
  await open.pass();
  return open.requests("save_agent").at(-1)?.save.agent.sub_agents;
}

test("an agent is given others to start, each with its name, its words and its way of going", async () => {
  expect(group()).toHaveTextContent("It works alone.");
  await press("Add an agent");
  expect(entry().getByRole("combobox", { name: "Agent" })).toHaveFocus();
  expect(entry().getByRole("option", { name: "Release" })).toBeInTheDocument();
  expect(entry().queryByRole("option", { name: "Helpdesk" }), "it can't start itself").toBeNull();
  expect(entry().getByLabelText("Its name for the model")).toHaveValue("release");
  await write("Its name for the model", "notes_writer");
  await write("What the model is told about it", "Writes release notes.");
  entry().getByRole("radio", { name: "Goes on beside it" }).click();
  await open.pass();
  entry().getByRole("checkbox", { name: "Starting it asks you first" }).click();
  await open.pass();
  expect(await save()).toEqual([
    { agent: "agent-2", tool: "notes_writer", description: "Writes release notes.", beside: true, asks_first: true },
  ]);
});

test("two of one profile have different names, and removing one leaves the other", async () => {
  await press("Add an agent");
  await press("Add an agent");
  await write("What the model is told about it", "The second.", 1);
  expect(entry(1).getByLabelText("Its name for the model")).toHaveValue("release_2");
  within(screen.getByTestId("sub-agent-0")).getByRole("button", { name: "Remove Release" }).click();
  await open.pass();
  expect(screen.getByTestId("add-sub-agent")).toHaveFocus();
  expect(await save()).toEqual([
    { agent: "agent-2", tool: "release_2", description: "The second.", beside: false, asks_first: false },
  ]);
});

test("why they can't be saved is said at them, and nothing is lost", async () => {
  await press("Add an agent");
  await write("Its name for the model", "not a name");
  const message = "A sub-agent's name for the model is 1 to 64 letters, digits, `_` or `-`, and not taken.";
  open.ipc.failures.set("save_agent", { code: "invalid", field: "sub_agents", message });
  await save();
  expect(within(group()).getByRole("alert")).toHaveTextContent(message);
  expect(screen.getAllByText(message)).toHaveLength(1);
  expect(entry().getByLabelText("Its name for the model")).toHaveValue("not a name");
});

test("another profile takes its own name along, unless one was typed", async () => {
  open.ipc.emit({
    f: "agents",
    agents: [...open.ipc.snapshot.agents, { ...open.ipc.snapshot.agents[1]!, id: "agent-3", name: "Proof reader" }],
  });
  await open.pass();
  await press("Add an agent");
  const choose = async (id: string) => {
    const select = entry().getByRole<HTMLSelectElement>("combobox");
    select.value = id;
    select.dispatchEvent(new Event("change", { bubbles: true }));
    await open.pass();
  };
  await choose("agent-3");
  expect(entry().getByLabelText("Its name for the model")).toHaveValue("proof_reader");
  await write("Its name for the model", "mine");
  await choose("agent-2");
  expect(entry().getByLabelText("Its name for the model")).toHaveValue("mine");
});

test("a run and the agents below it have limits that can be made smaller", async () => {
  expect(screen.queryByTestId("caps"), "without agents below it there is nothing to share").toBeNull();
  await press("Add an agent");
  const caps = within(screen.getByTestId("caps"));
  const field = caps.getByLabelText<HTMLInputElement>("Agents started, up to 50");
  expect(field).toHaveValue(50);
  field.value = "3";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await open.pass();
  screen.getByTestId("save-agent").click();
  await open.pass();
  expect(open.requests("save_agent").at(-1)?.save.agent.caps).toEqual({ model_calls: 200, agents: 3, beside: 8 });
});
