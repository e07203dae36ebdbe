import { screen, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { FakeIpc } from "../lib/ipc/fake";
import { tool } from "../lib/ipc/fixture-servers";
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

async function show(part: string, prepare: (ipc: FakeIpc) => void = () => undefined) {
  open = await openWindow((ipc) => {
    ipc.addServers();
    prepare(ipc);
  }, `#/settings/${part}`);
  await open.pass(20);
}

const press = async (name: string | RegExp) => {
  await user.click(screen.getByRole("button", { name }));
  await open.pass(20);
};
/** What is said as wrong; the announcer of the window has the same role, and is empty here. */
const alert = () => screen.getAllByRole("alert").find((one) => one.textContent.trim() !== "")!;
const rows = () => screen.getAllByTestId("server-tool");
const row = (words: string) => rows().find((one) => one.textContent.includes(words))!;
const word = () => within(screen.getByTestId("server-word"));

test("each server says how it stands, who uses it and that tools of it ask again", async () => {
  await show("tools");
  const of = (id: string) => screen.getByTestId(`server-${id}`).textContent.replace(/\s+/g, " ");
  expect(of("server-1")).toContain("Running · 12 tools");
  expect(of("server-1")).toContain("Used by Helpdesk");
  expect(of("server-1")).toContain("2 tools ask again: the server changed them");
  expect(of("server-2")).toMatch(
    /Can't be used: The server said “no such tenant\s?U\+200B\s?” and ended\. ?Tried again in 4 s\./,
  );
  expect(of("server-3")).toContain("Starting…");
  expect(of("server-4")).toContain("Off");
  expect(of("server-5")).toContain("Not started");
  await open.pass(3000);
  expect(of("server-2"), "the seconds go down").toContain("Tried again in 1 s.");
  open.ipc.servers.change("server-2", { state: { is: "running" }, tools: 1 });
  await open.pass(20);
  expect(of("server-2"), "an event of the feed is enough").toContain("Running · 1 tool");
});

test("without a server there is one sentence and the way to one", async () => {
  open = await openWindow(undefined, "#/settings/tools");
  await open.pass(20);
  expect(screen.getByTestId("servers")).toHaveTextContent("No tool server is set up.");
  expect(screen.getByRole("button", { name: "Add a server…" })).toBeVisible();
});

async function look(prepare: (ipc: FakeIpc) => void = () => undefined) {
  await show("tools", prepare);
  await press("Add a server…");
  const field = screen.getByLabelText("Command line, address, or the JSON that other programs use");
  await user.click(field);
  await user.paste('{"mcpServers":{"filesystem":{"env":{"API_TOKEN":"hunter2-very-secret"}}}}');
  await press("Look at it");
}

test("what would be started is shown in full before anything is, with its faults and warnings", async () => {
  await look();
  const [filesystem, remote, old] = screen.getAllByTestId("found-server");
  expect(within(filesystem!).getByTestId("would-start")).toHaveTextContent("npx -y @example/filesystem '/home/mira/a");
  expect(within(filesystem!).getByText("U+00A0")).toHaveClass("chip");
  expect(filesystem).toHaveTextContent("It runs with your rights, outside the confinement of commands.");
  expect(remote).toHaveTextContent("This address isn't encrypted.");
  expect(remote).not.toHaveTextContent("It runs with your rights");
  expect(within(old!).getByTestId("found-fault")).toHaveTextContent("the older way over HTTP (SSE)");
  expect(within(old!).getByRole("checkbox", { name: "Add old" })).not.toBeChecked();
  expect(within(filesystem!).getByLabelText("Which variable of yours HOME_TOKEN gets")).toHaveValue("MY_TOKEN");
  expect(screen.getByRole("button", { name: "Add 2 servers" })).toBeInTheDocument();
  expect(open.requests("save_server")).toEqual([]);
  expect(open.requests("server")).toEqual([]);
});

test("a secret out of the text is in no field and no word, and reaches the key store only by the press", async () => {
  await look((ipc) => (ipc.keyStores = { keyring: true, why: null }));
  const all = () =>
    [
      document.body.outerHTML,
      ...[...document.querySelectorAll("input, textarea")].map((one) => (one as HTMLInputElement).value),
    ].join();
  expect(all()).not.toContain("hunter2");
  expect(screen.getByLabelText("Value of API_TOKEN")).toHaveAttribute("placeholder", "Known, not shown");
  await press("Add 2 servers");
  expect(open.requests("save_server")[0]!.save.secrets).toEqual([{ name: "API_TOKEN", value: "hunter2-very-secret" }]);
  expect(screen.queryByRole("dialog"), "all of them were added").toBeNull();
  expect(all()).not.toContain("hunter2");
  expect(open.app.servers.rows.map((one) => one.server.name)).toContain("filesystem");
});

test("without a key store a secret goes to a file, and only after consent", async () => {
  await look();
  expect(screen.getByLabelText("Where the value of API_TOKEN is kept")).toHaveValue("file");
  await press("Add 2 servers");
  expect(open.requests("save_server")).toEqual([]);
  await user.click(screen.getByTestId("server-file-consent"));
  await press("Add 2 servers");
  const { launch } = open.requests("save_server")[0]!.save.server;
  expect(launch.by === "command" && launch.env[0]).toEqual({ name: "API_TOKEN", text: null, from: { from: "file" } });
});

test("only what is ticked is added, under the name that it was given, and a fault stays with its server", async () => {
  await look((ipc) => (ipc.keyStores = { keyring: true, why: null }));
  await user.click(screen.getByRole("checkbox", { name: "Add remote" }));
  const name = within(screen.getAllByTestId("found-server")[0]!).getByRole("textbox", { name: "Name" });
  await user.clear(name);
  await press("Add 1 server");
  expect(alert()).toHaveTextContent("Give it a name of 1 to 60 characters.");
  await user.type(name, "Files");
  await press("Add 1 server");
  expect(open.requests("save_server").map((one) => one.save.server.name)).toEqual(["", "Files"]);
});

test("a text without a server says so at the field", async () => {
  await show("tools");
  await press("Add a server…");
  await press("Look at it");
  expect(alert()).toHaveTextContent("Paste a command line, an address or JSON.");
});

test("a server's tools show what the server claims, what the person said, and what happens in each mode", async () => {
  await show("tools:server-1");
  expect(screen.getByTestId("server-state")).toHaveTextContent("Running · 12 tools");
  const list = row("list_tickets").textContent.replace(/\s+/g, " ");
  for (const words of [
    "says: read-only, stays inside",
    "runs without asking · Plan · beside others",
    "Default runs",
    "Plan runs",
    "Auto runs",
    "used 12 min ago",
    "helpdesk__list_tickets",
  ])
    expect(list).toContain(words);
  expect(row("merge_tickets").textContent).toContain("as the server");
  expect(row("merge_tickets").textContent).toContain("Plan hidden");
  expect(screen.getAllByText("Asks again: the server changed it")).toHaveLength(2);
  expect(screen.getAllByText("U+200B")[0]).toHaveClass("chip");
});

test("two thousand tools come two hundred at a time, can be filtered, and what was left out is said", async () => {
  await show("tools:server-1", (ipc) => {
    ipc.servers.tools.set(
      "server-1",
      Array.from({ length: 2000 }, (_, index) => tool(`tool_${index}`)),
    );
    ipc.servers.change("server-1", { cut: "8,000 more tools were left out" });
  });
  expect(rows()).toHaveLength(200);
  expect(screen.getByTestId("server-cut")).toHaveTextContent("8,000 more tools were left out.");
  expect(screen.getByTestId("more-tools")).toHaveTextContent("Show 200 more");
  screen.getByTestId("more-tools").click();
  await open.pass(20);
  expect(rows()).toHaveLength(400);
  screen.getByLabelText("Filter tools").focus();
  await user.paste("tool_1999");
  await open.pass(20);
  expect(rows()).toHaveLength(1);
}, 20_000);

test("letting all tools run is confirmed, with their number and what it covers", async () => {
  await show("tools:server-1");
  await user.click(word().getByRole("radio", { name: "Run without asking" }));
  await open.pass(20);
  const sheet = screen.getByRole("dialog");
  expect(sheet).toHaveTextContent("Calls of its 12 tools run without asking.");
  expect(sheet).toHaveTextContent(
    "This covers exactly the tools as they are now. Tools that come later or change ask.",
  );
  expect(sheet).toHaveTextContent("2 of them ask again because the server changed them.");
  await press("Cancel");
  expect(open.requests("say_of_server")).toEqual([]);
  expect(word().getByRole("radio", { name: "Calls ask first" }), "nothing was said").toBeChecked();
  await user.click(word().getByRole("radio", { name: "Run without asking" }));
  await open.pass(20);
  await press("Run 12 tools without asking");
  expect(open.requests("say_of_server").map((one) => one.word)).toEqual([
    { asks: "never", read_only: false, parallel_safe: false },
  ]);
});

test("a word isn't said of tools that became others while it was confirmed", async () => {
  await show("tools:server-1");
  await user.click(word().getByRole("checkbox", { name: /Offered in Plan/ }));
  await open.pass(20);
  open.ipc.servers.redefine("server-1", "send_mail");
  await press("Say this of 12 tools");
  expect(open.ipc.servers.words.get("server-1"), "nothing was said").toBeUndefined();
  expect(alert()).toHaveTextContent("The server or its tools changed since they were shown.");
});

test("tightening is said at once, unless it would take in what the server changed", async () => {
  await show("tools:server-1", (ipc) => {
    ipc.servers.words.set("server-1", { asks: "never", read_only: true, parallel_safe: false });
  });
  await user.click(word().getByRole("radio", { name: "Calls ask first" }));
  await open.pass(20);
  expect(screen.getByRole("dialog"), "the Plan mark would hold for two changed tools").toHaveTextContent("2 of them");
  await press("Cancel");
  await user.click(word().getByRole("checkbox", { name: /Offered in Plan/ }));
  await open.pass(20);
  await press("Cancel");
  open.ipc.servers.tools.set("server-1", [tool("one")]);
  open.ipc.servers.changed();
  await open.pass(20);
  await user.click(word().getByRole("radio", { name: "Calls ask first" }));
  await open.pass(20);
  expect(open.requests("say_of_server").map((one) => one.word.asks)).toEqual(["first"]);
});

async function openTool(words: string) {
  await user.click(row(words));
  await open.pass(20);
  return within(screen.getByRole("dialog"));
}

test("a tool in full has its schema and hidden characters on chips, and takes a word for its fingerprint", async () => {
  await show("tools:server-1");
  const sheet = await openTool("helpdesk__read_file");
  expect(sheet.getAllByText("U+202E")[0]).toHaveClass("chip");
  expect(sheet.getByTestId("tool-schema")).toHaveTextContent('"type": "object"');
  expect(sheet.getByText("The server's own words. They decide nothing.")).toBeVisible();
  expect(sheet.getByTestId("sheet-confirm")).toHaveAttribute("aria-disabled", "true");
  await user.click(sheet.getByRole("radio", { name: "Runs without asking" }));
  expect(open.requests("say_of_tool"), "looking through the choices says nothing").toEqual([]);
  await press("Say this of the tool");
  expect(open.requests("say_of_tool")).toEqual([
    {
      id: "server-1",
      key: "read\u200bfile",
      fingerprint: "fingerprint of read\u200bfile",
      word: { asks: "never", read_only: false, parallel_safe: false },
    },
  ]);
});

test("a word on a tool that changed meanwhile is refused, said, and has to be chosen anew", async () => {
  await show("tools:server-1");
  const sheet = await openTool("send_mail");
  await user.click(sheet.getByRole("radio", { name: "Runs without asking" }));
  // The event of the change hasn't come yet.
  const { emit } = open.ipc;
  open.ipc.emit = () => undefined;
  open.ipc.servers.redefine("server-1", "send_mail");
  open.ipc.emit = emit;
  await press("Say this of the tool");
  expect(alert()).toHaveTextContent("The server changed this tool since it was shown. Look at it again.");
  expect(sheet.getByRole("radio", { name: "Asks first" })).toBeChecked();
  expect(sheet.getByTestId("sheet-confirm")).toHaveAttribute("aria-disabled", "true");
  await user.click(sheet.getByRole("radio", { name: "Runs without asking" }));
  await press("Say this of the tool");
  expect(open.requests("say_of_tool").at(-1)?.fingerprint).toBe("fingerprint of send_mail, changed");
});

test("a choice falls back when the tool changes before it is said", async () => {
  await show("tools:server-1");
  const sheet = await openTool("close_ticket");
  await user.click(sheet.getByTestId("tool-looked"));
  expect(sheet.getByTestId("sheet-confirm")).not.toHaveAttribute("aria-disabled");
  open.ipc.servers.redefine("server-1", "close_ticket");
  await open.pass(20);
  expect(alert()).toHaveTextContent("Look at it again.");
  expect(sheet.getByTestId("sheet-confirm")).toHaveAttribute("aria-disabled", "true");
});

test("a tool that asks again is given what was said of all, of what it is now and of nothing else", async () => {
  await show("tools:server-1", (ipc) => {
    ipc.servers.words.set("server-1", { asks: "never", read_only: true, parallel_safe: false });
  });
  const sheet = await openTool("close_ticket");
  expect(sheet.getByText("fingerprint of close_ticket")).toBeVisible();
  await user.click(sheet.getByTestId("tool-looked"));
  expect(sheet.getByRole("radio", { name: "Runs without asking" })).toBeChecked();
  await press("Say this of the tool");
  expect(open.requests("say_of_tool").map((one) => [one.fingerprint, one.word])).toEqual([
    ["fingerprint of close_ticket", { asks: "never", read_only: true, parallel_safe: false }],
  ]);
  expect(open.requests("say_of_server")).toEqual([]);
});

test("the log has hidden characters on chips, the newest last, and is copied as it is displayed", async () => {
  await show("tools:server-1");
  await user.click(screen.getByRole("radio", { name: "Log" }));
  await open.pass(20);
  const lines = screen.getAllByTestId("log-line");
  expect(lines.at(-1)).toHaveTextContent("It changed its list of tools");
  expect(lines.at(-1)).toHaveClass("ours");
  expect(within(lines[2]!).getByText("U+001B")).toHaveClass("chip");
  for (const hidden of ["\u001b", "\u200b"]) expect(lines[2]!.textContent).not.toContain(hidden);
  const copied: string[] = [];
  vi.spyOn(navigator.clipboard, "writeText").mockImplementation(async (text) => void copied.push(text));
  await press("Copy the log");
  expect(copied[0]).toContain("the server: warning: ⟨U+001B⟩[31mred⟨U+200B⟩");
});

async function setUp(prepare: (ipc: FakeIpc) => void = () => undefined) {
  await show("tools:server-1", prepare);
  await user.click(screen.getByRole("radio", { name: "Set-up" }));
  await open.pass(20);
}

test("a changed launch warns, is kept while another part is looked at, and is saved by its key", async () => {
  await setUp();
  expect(screen.queryByTestId("relaunched")).toBeNull();
  const args = screen.getByLabelText("Arguments, one a line");
  expect(args).toHaveValue("-y\n@example/helpdesk\n--queue\ninbound");
  await user.type(args, "{Enter}--verbose");
  expect(screen.getByTestId("relaunched")).toHaveTextContent("its tools ask again");
  await user.click(screen.getByRole("radio", { name: "Log" }));
  await user.click(screen.getByRole("radio", { name: "Set-up, not saved" }));
  expect(screen.getByTestId("server-unsaved")).toBeVisible();
  await open.press("s", { ctrlKey: true });
  const { server, secrets } = open.requests("save_server")[0]!.save;
  expect(server.launch.by === "command" && server.launch.args).toEqual([
    "-y",
    "@example/helpdesk",
    "--queue",
    "inbound",
    "--verbose",
  ]);
  expect(secrets).toEqual([]);
  expect(screen.queryByTestId("server-unsaved")).toBeNull();
});

test("an argument with a line break is never taken for two", async () => {
  await setUp((ipc) => {
    const launch = { by: "command" as const, program: "sh", args: ["-c", "a\nb", ""], env: [], folder: null };
    ipc.servers.rows = ipc.servers.rows.map((one) => ({ ...one, server: { ...one.server, launch } }));
  });
  const args = screen.getByLabelText("Arguments, as a JSON list");
  await user.clear(args);
  await user.click(args);
  await user.paste('["-c", "a');
  await press(/^Save/);
  expect(alert()).toHaveTextContent("A JSON list of texts is expected");
  await user.clear(args);
  await user.click(args);
  await user.paste('["-c", "a\\nc"]');
  await press(/^Save/);
  const { launch } = open.requests("save_server")[0]!.save.server;
  expect(launch.by === "command" && launch.args).toEqual(["-c", "a\nc"]);
});

test("a refused field says why where it stands", async () => {
  await setUp();
  const message = "Each folder must be absolute, such as /home/you/project.";
  open.ipc.failures.set("save_server", { code: "invalid", field: "roots", message });
  await user.type(screen.getByLabelText("Folders that it is told about, one a line"), "here");
  await press(/^Save/);
  expect(alert()).toHaveTextContent(message);
  expect(alert().closest(".field")).toHaveTextContent("Folders that it is told about");
});

test("a kept secret isn't shown, is replaced by what is typed, and not shown after it", async () => {
  await setUp((ipc) => (ipc.keyStores = { keyring: true, why: null }));
  const field = () => screen.getByLabelText("Value of HELPDESK_TOKEN");
  expect(field()).toHaveValue("");
  expect(field()).toHaveAttribute("placeholder", "Kept; type to replace");
  await user.type(field(), "s3cret");
  await press(/^Save/);
  expect(open.requests("save_server")[0]!.save.secrets).toEqual([{ name: "HELPDESK_TOKEN", value: "s3cret" }]);
  expect(field()).toHaveValue("");
  expect(document.body.outerHTML).not.toContain("s3cret");
});

test("a secret that is to be kept elsewhere has to be typed again", async () => {
  await setUp((ipc) => (ipc.keyStores = { keyring: true, why: null }));
  const place = screen.getByLabelText("Where the value of HELPDESK_TOKEN is kept");
  await user.selectOptions(place, "file");
  expect(screen.getByLabelText("Value of HELPDESK_TOKEN")).toHaveAttribute("placeholder", "Type its value");
  await user.type(screen.getByLabelText("Value of HELPDESK_TOKEN"), "s3cret");
  await press(/^Save/);
  expect(open.requests("save_server"), "not without consent").toEqual([]);
  await user.click(screen.getByTestId("server-file-consent"));
  await press(/^Save/);
  expect(open.requests("save_server")[0]!.save.secrets).toEqual([{ name: "HELPDESK_TOKEN", value: "s3cret" }]);
});

test("a server is switched off, started afresh, and deleted after its agents were named", async () => {
  await show("tools:server-1");
  await press(/^Restart/);
  expect(open.requests("restart_server")).toEqual([{ id: "server-1" }]);
  expect(screen.getByTestId("server-state")).toHaveTextContent("Starting…");
  await user.click(screen.getByRole("switch", { name: "Helpdesk is used" }));
  await open.pass(20);
  expect(open.requests("save_server")[0]!.save.server.on).toBe(false);
  await press("Delete…");
  expect(screen.getByRole("dialog")).toHaveTextContent("Helpdesk goes on without its tools.");
  await press("Delete server");
  expect(open.requests("delete_server")).toEqual([{ id: "server-1" }]);
  expect(screen.queryByTestId("server-page")).toBeNull();
});

test("an agent is given servers, and told when its chosen tools leave theirs out", async () => {
  await show("agents");
  expect(screen.getByTestId("tools-of-servers")).toHaveTextContent("And 12 tools of 1 server");
  await user.click(screen.getByTestId("agent-server-server-5"));
  await user.click(screen.getByTestId("tool-write_file"));
  await open.pass(20);
  await press("Choose them too");
  await user.click(screen.getByTestId("tool-run_command"));
  await press(/^Save/);
  const { servers, tools } = open.requests("save_agent")[0]!.save.agent;
  expect(servers).toEqual(["server-1", "server-5"]);
  expect(tools).toContain("helpdesk__merge_tickets");
  expect(tools, "choosing among the built-in ones leaves the others alone").not.toContain("run_command");
});

test("a server that an agent needs and that can't be used is said on every screen", async () => {
  open = await openWindow((ipc) => ipc.addServers());
  await open.pass(20);
  const strip = screen.getByTestId("server-failed");
  expect(strip).toHaveTextContent("Tool server “Calendar” can't be used: The server said “no such tenant");
  expect(within(strip).getByText("U+200B")).toHaveClass("chip");
  await user.click(screen.getByTestId("server-show"));
  await open.pass(20);
  expect(screen.getByTestId("server-page")).toHaveTextContent("Calendar");
  expect(screen.queryByTestId("server-failed"), "the page says it").toBeNull();
  open.app.router.go("inbox");
  open.ipc.servers.change("server-2", { agents: [] });
  await open.pass(20);
  expect(screen.queryByTestId("server-failed"), "nobody needs it").toBeNull();
});

async function card(change: Partial<NonNullable<import("../lib/ipc/bindings").Detail["server"]>> = {}) {
  open = await openWindow((ipc) => {
    ipc.addServers();
    const detail = ipc.details.get("r-close")!;
    ipc.details.set("r-close", { ...detail, server: { ...detail.server!, ...change } });
  });
  open.app.inbox.select("r-close");
  await open.pass(20);
  await open.settle();
}

test("a card names the server, and shows its words as claims", async () => {
  await card();
  const part = screen.getByTestId("of-server");
  expect(part).toHaveTextContent("tool server “Helpdesk”");
  expect(part).toHaveTextContent("says: read-only, not destructive · the server claims this; it decides nothing");
  expect(part).toHaveTextContent("Asks again: the server changed this tool since you let it run");
  expect(within(part).getByText("The server says")).toBeVisible();
  expect(within(part).getByText("U+202E")).toHaveClass("chip");
  expect(screen.getByTestId("approve")).toBeVisible();
});

test("the server of a call may be gone", async () => {
  await card({ name: null, says: [], claims: [], tightened: false });
  expect(screen.getByTestId("of-server")).toHaveTextContent("tool server: a server that was removed");
});

test("d_87: what the server replaced since it was asked can't be approved in any way, only rejected", async () => {
  await card({ replaced: true });
  const words = "The server changed this tool since it asked. Approving would not run it.";
  expect(screen.getByTestId("replaced")).toHaveTextContent(words);
  expect(screen.getByTestId("detail-state")).toHaveAttribute("data-state", "replaced");
  expect(screen.queryByTestId("approve")).toBeNull();
  await open.press("a");
  await open.press("A", { shiftKey: true });
  expect(open.requests("stage")).toEqual([]);
  expect(screen.queryByRole("dialog")).toBeNull();
  await open.press("r");
  expect(open.requests("stage").map((one) => one.decision)).toEqual([{ say: "reject", reason: null }]);
});

test("a card learns that its tool was replaced while it is looked at", async () => {
  await card();
  const detail = open.ipc.details.get("r-close")!;
  open.ipc.details.set("r-close", { ...detail, server: { ...detail.server!, replaced: true } });
  open.ipc.servers.changed();
  await open.pass(20);
  expect(screen.queryByTestId("approve")).toBeNull();
});

test("a plan names the servers that nobody can tell of", async () => {
  open = await openWindow((ipc) => {
    const plan = ipc.details.get("r-plan")!;
    if (plan.payload.p !== "plan") throw new Error("it is a plan");
    const payload = { ...plan.payload, unlocks: { ...plan.payload.unlocks, unknown: ["Desk", "Mail"] } };
    ipc.details.set("r-plan", { ...plan, payload });
  });
  open.app.inbox.select("r-plan");
  await open.settle();
  expect(screen.getByTestId("unlocks-unknown")).toHaveTextContent("what Desk, Mail offers when it starts");
});
