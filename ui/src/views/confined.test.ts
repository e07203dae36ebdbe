import { screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Confined, Confining } from "../lib/ipc/bindings";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;
let user: ReturnType<typeof userEvent.setup>;

beforeEach(() => {
  vi.useFakeTimers();
  user = userEvent.setup({ advanceTimers: (milliseconds) => vi.advanceTimersByTime(milliseconds) });
});

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

const missing: Confining = { no_files: "Landlock isn't there", no_network: "Landlock isn't there" };
const half: Confining = { no_files: null, no_network: "a confined process could still listen" };

async function show(place: string, found?: Confining) {
  open = await openWindow((ipc) => {
    if (found) ipc.confining = found;
  }, place);
  await open.pass(20);
}

async function card(confined: Confined | null) {
  open = await openWindow((ipc) => {
    ipc.details.set("r-close", { ...ipc.details.get("r-close")!, confined });
  });
  await open.settle();
}

test("a command's card says what it runs under", async () => {
  await card({ held: true, text: "Confined: writes only in the workspace and temp, network off." });
  const line = screen.getByTestId("confined");
  expect(line).toHaveTextContent("Confined: writes only in the workspace and temp, network off.");
  expect(line).not.toHaveClass("free");
});

test("a command that nothing confines is shown as one that could answer its own question", async () => {
  await card({ held: false, text: "Not confined: it can do what you can do, and could operate Countersign itself." });
  expect(screen.getByTestId("confined")).toHaveTextContent("could operate Countersign itself");
  expect(screen.getByTestId("confined")).toHaveClass("free");
});

test("a command whose confinement changed since it asked can't be approved, and says why", async () => {
  open = await openWindow((ipc) => {
    const detail = ipc.details.get("r-push")!;
    if (detail.state.is !== "open") throw new Error("it waits");
    ipc.details.set("r-push", { ...detail, state: { ...detail.state, changed: true } });
  });
  open.app.inbox.select("r-push");
  await open.settle();
  expect(screen.getByTestId("detail")).toHaveTextContent(
    "The folder, environment or confinement of commands changed since it asked",
  );
  expect(screen.queryByTestId("approve")).toBeNull();
});

test("no other card has that line", async () => {
  await card(null);
  expect(screen.queryByTestId("confined")).toBeNull();
});

test("an agent can require confinement and have no network", async () => {
  await show("#/settings/agents");
  const hold = within(screen.getByTestId("agent-hold"));
  expect(hold.getByRole("radio", { name: "If possible" })).toBeChecked();
  await user.click(hold.getByRole("radio", { name: "Always" }));
  await user.click(within(screen.getByTestId("agent-network")).getByRole("radio", { name: "Off" }));
  expect(screen.getByTestId("agent-network")).toHaveTextContent("can't connect to anything");
  await user.click(screen.getByTestId("save-agent"));
  await open.pass(20);
  expect(open.requests("save_agent")[0]?.save.agent).toMatchObject({ hold: "required", network: "off" });
});

test("commands that are never confined have their network, and are said to be able to decide", async () => {
  await show("#/settings/agents");
  await user.click(within(screen.getByTestId("agent-network")).getByRole("radio", { name: "Off" }));
  await user.click(within(screen.getByTestId("agent-hold")).getByRole("radio", { name: "Never" }));
  expect(screen.queryByTestId("agent-network")).toBeNull();
  expect(screen.getByTestId("agent-hold")).toHaveTextContent("could operate Countersign itself");
  await user.click(screen.getByTestId("save-agent"));
  await open.pass(20);
  expect(open.requests("save_agent")[0]?.save.agent).toMatchObject({ hold: "never", network: "on" });
});

test("what this machine can't do is said where it is chosen", async () => {
  await show("#/settings/agents", missing);
  const hold = screen.getByTestId("agent-hold");
  expect(hold).toHaveTextContent("This machine can't confine commands: they can do what you can do");
  expect(hold).toHaveTextContent("Landlock isn't there.");
  await user.click(within(hold).getByRole("radio", { name: "Always" }));
  expect(hold).toHaveTextContent("so none of this agent's commands run");
  await user.click(within(screen.getByTestId("agent-network")).getByRole("radio", { name: "Off" }));
  expect(screen.getByTestId("agent-network")).toHaveTextContent("can't switch the network off");
});

test.each([
  [{ no_files: null, no_network: null }, "to the workspace and temp, and switch the network off", false],
  [half, "but not switch the network off for them. A confined process could still listen.", false],
  [missing, "can't confine commands: each can do what you can do, and could operate Countersign itself.", true],
] as [Confining, string, boolean][])("Settings says what the machine offers: %o", async (found, text, free) => {
  await show("#/settings/tools", found);
  expect(screen.getByTestId("confining")).toHaveTextContent(text);
  expect(screen.getByTestId("confining").classList.contains("free")).toBe(free);
});

test("a card says that its tool shows more than the model should be sent", async () => {
  open = await openWindow((ipc) => {
    const above = "Can show anything on this computer, which is more than a model elsewhere should be sent.";
    ipc.details.set("r-close", { ...ipc.details.get("r-close")!, above });
  });
  await open.settle();
  expect(screen.getByTestId("above")).toHaveTextContent("Can show anything on this computer");
});
