import { cleanup, screen } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { FakeIpc } from "../lib/ipc/fake";
import { t } from "../lib/messages";
import { when } from "../lib/time";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

const first = (ipc: FakeIpc) => {
  ipc.snapshot = {
    ...ipc.snapshot,
    first_run: true,
    agents: [],
    settings: { ...ipc.snapshot.settings, greeted: false },
  };
};

async function press(testid: string) {
  screen.getByTestId(testid).click();
  await open.pass(50);
}

const wait = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

async function write(testid: string, text: string) {
  const field = screen.getByTestId<HTMLInputElement>(testid);
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await open.pass();
}

test("the first start leads through the test of a notification into the rehearsal, and from there to a model (surface 87)", async () => {
  open = await openWindow(first);
  await press("start-rehearsal");
  await press("first-run-test");
  expect(screen.getByRole("heading", { name: "May Countersign notify you?" })).toBeVisible();
  expect(screen.getByText(/a click opens the request/)).toBeVisible();
  await press("go-on");
  expect(screen.getByTestId("rehearsal-text")).toHaveTextContent("Read what it wants to do, then press A.");
  expect(open.app.session.space).toBe("rehearsal");
  await open.settle();
  await open.press("a");
  expect(open.ipc.calls.at(-1)?.space).toBe("rehearsal");
  await press("rehearsal-leave");
  expect(open.app.session.space).toBe("main");
  expect(screen.getByRole("heading", { name: "Connect a model" })).toBeVisible();
});

test("leaving the rehearsal leads to a model also when the process has said first that it is over", async () => {
  open = await openWindow((ipc) => {
    ipc.snapshot = { ...ipc.snapshot, rehearsal: { conversation: "triage", step: 7, steps: 6, text: "" } };
    const call = ipc.call.bind(ipc);
    ipc.call = async (space, name, request) => {
      // The word that it is over overtakes the reply, and the picture of the person's own space takes its time.
      if (ipc.snapshot.rehearsal === null && name === "snapshot") await wait(200);
      const reply = await call(space, name, request);
      if (name === "leave_rehearsal") {
        await wait(20);
        ipc.snapshot = { ...ipc.snapshot, agents: [] };
      }
      return reply;
    };
  });
  await press("rehearsal-remove");
  await open.pass(500);
  expect(screen.getByRole("heading", { name: "Connect a model" })).toBeVisible();
});

test("at its end the rehearsal can be removed", async () => {
  open = await openWindow((ipc) => {
    ipc.snapshot = { ...ipc.snapshot, rehearsal: { conversation: "triage", step: 7, steps: 6, text: "" } };
  });
  expect(screen.getByTestId("rehearsal-text")).toHaveTextContent("That was the rehearsal.");
  await press("rehearsal-remove");
  expect(open.requests("leave_rehearsal")).toHaveLength(1);
  expect(open.requests("remove_rehearsal")).toHaveLength(1);
  expect(screen.queryByTestId("rehearsal-strip")).toBeNull();
});

test("at its end the rehearsal offers a first rule, made from what was approved and tried on it (c.10)", async () => {
  open = await openWindow((ipc) => {
    ipc.snapshot = { ...ipc.snapshot, rehearsal: { conversation: "triage", step: 7, steps: 6, text: "" } };
  });
  await press("rehearsal-rule");
  await open.pass(1000);
  expect(screen.getByRole("dialog", { name: "Make a rule" })).toBeVisible();
  const from = open.requests("rule_draft")[0]!.from;
  expect(from.from).toBe("call");
  expect(open.requests("rule_look").length, "it is tried on history before anything is stored").toBeGreaterThan(0);
  expect(open.requests("save_rule")).toEqual([]);
});

test("Skip is remembered", async () => {
  open = await openWindow(first);
  await press("skip-first-run");
  expect(open.requests("save_settings")[0]?.settings.greeted).toBe(true);
  expect(screen.getByTestId("nav-inbox")).toBeVisible();
});

test("a found server fills the form, a missing folder is said at its field, and nothing typed is lost", async () => {
  open = await openWindow(first);
  await press("connect-model");
  await press("use-server");
  expect(screen.getByTestId("agent-address")).toHaveValue("http://127.0.0.1:11434/v1");
  await press("connect-save");
  expect(screen.getByText("A workspace folder is needed.")).toBeVisible();
  await write("agent-folder", "/home/mira/work");
  await press("connect-save");
  expect(open.requests("save_agent")[1]?.save).toMatchObject({
    agent: {
      format: "open_ai_chat",
      base_url: "http://127.0.0.1:11434/v1",
      model: "gpt-oss",
      folder: "/home/mira/work",
      key: { from: "none" },
    },
    new_key: null,
  });
  expect(screen.getByTestId("nav-conversations")).toHaveAttribute("aria-current", "page");
});

async function choose(testid: string, value: string) {
  const select = screen.getByTestId<HTMLSelectElement>(testid);
  select.value = value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
  await open.pass();
}

test("how an endpoint is spoken to is chosen in words, and goes along when its models are listed and when it is saved", async () => {
  open = await openWindow(first);
  await press("connect-model");
  const format = screen.getByRole<HTMLSelectElement>("combobox", { name: "Speaks" });
  expect(format).toHaveValue("open_ai_chat");
  expect([...format.options].map((option) => option.textContent)).toEqual([
    "OpenAI-compatible chat",
    "OpenAI Responses",
    "Anthropic Messages",
  ]);
  expect(screen.getByText("Most servers on your machine and most hosted services")).toBeVisible();
  await choose("agent-format", "anthropic_messages");
  expect(screen.getByText("Such as https://api.anthropic.com/v1")).toBeVisible();
  await write("agent-address", "https://api.anthropic.com/v1");
  screen.getByRole("button", { name: "List models" }).click();
  await open.pass(50);
  expect(open.requests("list_models")[0]?.save.agent.format).toBe("anthropic_messages");
  expect(document.querySelectorAll("datalist option")).toHaveLength(2);
  await write("agent-folder", "/home/mira/work");
  await press("connect-save");
  expect(open.requests("save_agent")[0]?.save.agent).toMatchObject({
    format: "anthropic_messages",
    base_url: "https://api.anthropic.com/v1",
  });
});

test("a server found on this machine is spoken to as it speaks, whatever was chosen before", async () => {
  open = await openWindow(first);
  await press("connect-model");
  await choose("agent-format", "open_ai_responses");
  await press("use-server");
  expect(screen.getByTestId("agent-format")).toHaveValue("open_ai_chat");
});

test("an agent's format is shown and changed in its settings, and its test asks in it", async () => {
  open = await openWindow(undefined, "#/settings/agents");
  await open.pass(50);
  screen.getByRole("button", { name: /Release/ }).click();
  await open.pass(50);
  expect(screen.getByTestId("agent-format")).toHaveValue("anthropic_messages");
  await choose("agent-format", "open_ai_responses");
  await press("test-agent");
  expect(open.requests("test_agent")[0]?.save.agent.format).toBe("open_ai_responses");
  await press("save-agent");
  expect(open.requests("save_agent")[0]?.save.agent.format).toBe("open_ai_responses");
});

test("a key goes into a file only after an explicit tick", async () => {
  open = await openWindow(first);
  await press("connect-model");
  const key = screen.getByTestId<HTMLSelectElement>("agent-key");
  key.value = "file";
  key.dispatchEvent(new Event("change", { bubbles: true }));
  await open.pass();
  await write("agent-new-key", "secret");
  await write("agent-folder", "/home/mira/work");
  await press("connect-save");
  expect(open.requests("save_agent")).toEqual([]);
  await press("file-consent");
  await press("connect-save");
  expect(open.requests("save_agent")[0]?.save.new_key).toBe("secret");
});

test("history opens a row read only, and Esc closes it", async () => {
  open = await openWindow(undefined, "#/history");
  expect(screen.getByText(/^41 decisions since 3 March · record checked 2 min ago, intact$/)).toBeVisible();
  const rows = screen.getAllByTestId("history-row");
  rows[0]!.click();
  await open.pass(50);
  expect(screen.getByTestId("detail-state")).toHaveTextContent("Approved by you");
  expect(screen.queryByTestId("approve")).toBeNull();
  await open.press("Escape");
  expect(screen.queryByTestId("detail")).toBeNull();
});

test("an empty inbox says so, who is running and for how long, and else when something was decided last", async () => {
  open = await openWindow((ipc) => {
    const conversations = ipc.snapshot.conversations.map((row) =>
      row.state.is === "running" ? { ...row, state: { ...row.state, since: Date.now() - 14_000 } } : row,
    );
    ipc.snapshot = { ...ipc.snapshot, sets: [], conversations };
  });
  expect(screen.getByText("Nothing is waiting.")).toBeVisible();
  expect(screen.getByText(/^Nightly check, running 1[45] s$/)).toBeVisible();
  expect(screen.getByRole("button", { name: "Open" })).toBeVisible();
  open.app.stop();
  cleanup();
  open = await openWindow((ipc) => {
    const conversations = ipc.snapshot.conversations.filter((row) => row.state.is !== "running");
    ipc.snapshot = { ...ipc.snapshot, sets: [], conversations };
  });
  const last = open.app.inbox.closed.find((row) => !row.expired)!;
  expect(screen.getByText(t.lastDecision(when(last.at, open.app.clock.now)))).toBeVisible();
});

test("a failed start says why and offers a way on", async () => {
  open = await openWindow((ipc) =>
    ipc.failures.set("snapshot", { code: "broken", message: "The database is from a newer version." }),
  );
  expect(screen.getByText("The database is from a newer version.")).toBeVisible();
  expect(screen.getByRole("button", { name: "Try again" })).toBeVisible();
});
