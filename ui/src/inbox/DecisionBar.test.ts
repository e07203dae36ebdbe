import { render, screen } from "@testing-library/svelte";
import { expect, test, vi } from "vitest";
import { App, appContext } from "../lib/app.svelte";
import type { Detail, DetailState, Draft, RequestRow, SetCard } from "../lib/ipc/bindings";
import { FakeIpc } from "../lib/ipc/fake";
import { details } from "../lib/ipc/fixture-details";
import { one, sets } from "../lib/ipc/fixtures";
import DecisionBar from "./DecisionBar.svelte";

const now = 1_000_000_000;
const all = new Map(details(now).map((detail) => [detail.id, detail]));

interface Scene {
  id?: string;
  detail?: Partial<Detail>;
  draft?: Draft["decision"];
  set?: Partial<SetCard>;
  /** Sent, and waiting for the run to end. */
  queued?: boolean;
  /** Draft for every other row as well. */
  complete?: boolean;
  remaining?: number;
  armed?: boolean;
  reasonOpen?: boolean;
  /** Set while a note is written. */
  note?: { text: string; tell: boolean };
  refusal?: string;
}

function draw({
  id = "r-close",
  detail,
  draft,
  set,
  queued = false,
  complete,
  remaining = 0,
  armed = true,
  reasonOpen = false,
  note,
  refusal,
}: Scene) {
  const found = sets(now).find((one) => one.rows.some((row) => row.id === id))!;
  const put = (row: RequestRow): RequestRow =>
    row.id === id || complete
      ? {
          ...row,
          queued: queued && row.id === id,
          draft: draft === undefined ? null : { decision: row.id === id ? draft : { say: "approve" }, digest: "d" },
        }
      : row;
  const whole: SetCard = { ...found, rows: found.rows.map(put), ...set };
  const on = {
    onapprove: vi.fn(),
    onmore: vi.fn(),
    onreject: vi.fn(),
    onreasonopen: vi.fn(),
    onreason: vi.fn(),
    onrejectwith: vi.fn(),
    onnoteopen: vi.fn(),
    onnote: vi.fn(),
    onapprovewith: vi.fn(),
    onundo: vi.fn(),
    ontakeback: vi.fn(),
    onchange: vi.fn(),
    onaskagain: vi.fn(),
    onopen: vi.fn(),
    oncorrect: vi.fn(),
  };
  const app = new App(new FakeIpc(), true);
  app.stop();
  render(DecisionBar, {
    props: {
      detail: { ...all.get(id)!, ...detail },
      row: whole.rows.find((row) => row.id === id) ?? null,
      set: whole,
      remaining,
      armed,
      system: "linux",
      refusal: refusal ?? null,
      writing: reasonOpen ? "reason" : note ? "note" : null,
      reason: "",
      note: note ?? { text: "", tell: false },
      ...on,
    },
    context: new Map([[appContext, app]]),
  });
  return on;
}

const button = (name: string) => screen.getByRole("button", { name });
function expectButtons(names: string[]) {
  const buttons = screen.getAllByRole("button");
  expect(buttons).toHaveLength(names.length);
  names.forEach((name, index) => expect(buttons[index]).toHaveAccessibleName(name));
}
const state = () => screen.getByTestId("detail-state").dataset.state;

test("waiting: Reject and Approve say what they are about (surface 69)", () => {
  const on = draw({});
  expectButtons([
    "Reject Call close_ticket helpdesk id 1234",
    "With reason… to reject Call close_ticket helpdesk id 1234",
    "More",
    "Later: put this set aside",
    "Approve Call close_ticket helpdesk id 1234",
    "More ways to approve",
  ]);
  expect(button("Approve Call close_ticket helpdesk id 1234")).toHaveClass("filled");
  button("Approve Call close_ticket helpdesk id 1234").click();
  button("Reject Call close_ticket helpdesk id 1234").click();
  expect(on.onapprove).toHaveBeenCalledOnce();
  expect(on.onreject).toHaveBeenCalledOnce();
});

test("a high-risk approval is outlined, so that the filled button never invites there", () => {
  draw({ id: "r-push" });
  expect(screen.getByTestId("approve")).not.toHaveClass("filled");
});

test("a name speaks chips and never what they stand for", () => {
  draw({ id: "r-push" });
  expect(screen.getByTestId("approve")).toHaveAccessibleName(
    "Approve Run a command git add ⟨+79⟩ rm -rf ⟨+44⟩ ../exports",
  );
});

test("unarmed: off for everybody, and still in the order of the focus", () => {
  draw({ armed: false });
  for (const id of ["approve", "reject"]) {
    expect(screen.getByTestId(id)).toHaveAttribute("aria-disabled", "true");
    expect(screen.getByTestId(id)).not.toHaveAttribute("disabled");
  }
});

test("gate: Approve says how much is unread (accept 14, field 134)", () => {
  draw({ remaining: 1240 });
  expect(state()).toBe("gate");
  expect(screen.getByTestId("approve")).toHaveAccessibleName("Read to the end, 1,240 more");
  expect(button("Reject Call close_ticket helpdesk id 1234")).toBeVisible();
});

test("staged: what will happen, and with whom it leaves", () => {
  const on = draw({ draft: { say: "approve" } });
  expect(state()).toBe("staged");
  expect(screen.getByText("Will be approved. Sends when 2 more are decided.")).toBeVisible();
  expectButtons(["Change", "Undo"]);
  screen.getByTestId("undo").click();
  expect(on.onundo).toHaveBeenCalledOnce();
});

test.each<[string, Scene]>([
  [
    "Will be rejected. Sends with 2 others.",
    { draft: { say: "reject", reason: null }, complete: true, set: { grace: { ends_at: 1, total_ms: 1 } } },
  ],
  ["Will be approved. Sends with 2 others when you press Ctrl ⏎.", { draft: { say: "approve" }, complete: true }],
  [
    "Will be approved into Auto. Press Ctrl ⏎ to send.",
    { id: "r-plan", draft: { say: "approve_plan", into: "auto", only_this_plan: true, ends_at: null } },
  ],
  [
    "Will be sent back. Sends by itself.",
    { id: "r-plan", draft: { say: "reject", reason: "no" }, set: { grace: { ends_at: 1, total_ms: 1 } } },
  ],
  [
    "Will be approved, with your note. Sends when 2 more are decided.",
    { draft: { say: "approve_with_note", note: "Only this once.", tell: true } },
  ],
  ["Will run. Press Ctrl ⏎ to send.", { id: "r-late", draft: { say: "approve" } }],
])("%s", (words, scene) => {
  draw(scene);
  expect(screen.getByText(words)).toBeVisible();
});

test("sending: nothing can be pressed", () => {
  draw({ draft: { say: "approve" }, complete: true, set: { sending: "sending" } });
  expect(state()).toBe("sending");
  expect(screen.queryAllByRole("button")).toEqual([]);
});

test("queued: it says when it leaves, and can be taken back", () => {
  const on = draw({ draft: { say: "approve" }, set: { sending: "queued" }, queued: true });
  expect(state()).toBe("queued");
  expect(screen.getByText("Queued: sends when the run ends.")).toBeVisible();
  expectButtons(["Take back"]);
  screen.getByTestId("take-back").click();
  expect(on.ontakeback).toHaveBeenCalledOnce();
});

test("beside a queue only what is queued itself can't be decided", () => {
  draw({ set: { sending: "queued" } });
  expect(state()).toBe("waiting");
});

test("a reason says to whom it goes (surface 71)", () => {
  draw({ reasonOpen: true, detail: { path: [{ name: one("researcher"), model: one("m"), task: one("t") }] } });
  expect(screen.getByRole("textbox", { name: "Reason for researcher" })).toBeVisible();
});

test("the reason takes the bar and the focus", () => {
  draw({ reasonOpen: true });
  expect(state()).toBe("reason");
  expect(screen.getByRole("textbox", { name: "Reason for the agent of Ticket triage" })).toHaveFocus();
  expect(screen.queryByTestId("approve")).toBeNull();
});

test("a file that changed since it asked can only be rejected", () => {
  draw({ id: "r-edit", detail: { state: { is: "open", digest: "d", draft: null, changed: true } } });
  expect(state()).toBe("changed");
  expect(screen.getByText(/changed since it asked/)).toBeVisible();
  expect(screen.queryByTestId("approve")).toBeNull();
  expect(screen.getByTestId("reject")).toBeVisible();
});

test("approved and not run: drop it or run it now", () => {
  draw({ id: "r-late" });
  expect(state()).toBe("approved");
  expectButtons([
    "Drop Create a file beds/2027.md",
    "Later: put this set aside",
    "Run it now Create a file beds/2027.md",
  ]);
});

const closed = (change: Partial<Extract<DetailState, { is: "closed" }>>): DetailState => ({
  is: "closed",
  in_doubt: false,
  at: now,
  label: "Expired: the conversation moved on",
  text: "This call was never made.",
  expired: true,
  outcome: null,
  result: null,
  whole: null,
  ...change,
});

test("closed: one line, and one way on (surface 2)", () => {
  draw({ detail: { state: closed({}) } });
  expect(state()).toBe("closed");
  expect(screen.getByText("This call was never made.")).toBeVisible();
  expectButtons(["Ask again…"]);
});

test("closed by an answer: nothing to ask again (surface 3)", () => {
  draw({ detail: { state: closed({ expired: false, label: "Approved by you", text: "" }) } });
  expect(screen.getByText("Approved by you")).toBeVisible();
  expectButtons(["Open conversation"]);
});

test("a plan is approved step by step, and sent back rather than rejected", () => {
  draw({ id: "r-plan" });
  expectButtons([
    "Send back… Plan Prepare the 2.4 release",
    "Later: put this set aside",
    "Approve, ask per step Plan Prepare the 2.4 release",
    "More ways to approve",
  ]);
});

const menu = async () => {
  screen.getByTestId("approve-menu").click();
  return (await screen.findAllByRole("menuitem")).map((item) => item.textContent?.replace(/\s+/g, " ").trim());
};

test("the menu has every way to approve", async () => {
  const on = draw({});
  expect(await menu()).toEqual(["Approve once A", "Approve for this conversation… ⇧A", "Approve with a note…"]);
  screen.getByTestId("approve-note").click();
  expect(on.onnoteopen).toHaveBeenCalledWith(true);
});

test("where no reach is offered, once or with a note is left", async () => {
  draw({ detail: { reaches: [] } });
  expect(await menu()).toEqual(["Approve once A", "Approve with a note…"]);
});

test("what was approved already is run or dropped, and takes no note", () => {
  draw({ id: "r-late", detail: { reaches: ["exact"] } });
  expect(screen.queryByTestId("approve-menu")).toBeNull();
});

test("a note takes the bar and the focus, and approves nothing while it is empty", () => {
  const on = draw({ note: { text: " ", tell: false } });
  expect(state()).toBe("note");
  expect(screen.getByRole("textbox", { name: "Note, kept with your approval" })).toHaveFocus();
  expect(screen.getByRole("checkbox", { name: "Tell the agent after the call" })).not.toBeChecked();
  button("Approve with this note Call close_ticket helpdesk id 1234").click();
  expect(on.onapprovewith).not.toHaveBeenCalled();
});

test("the words and the tick of a note are told to whoever keeps them", () => {
  const on = draw({ note: { text: "Only this once.", tell: false } });
  screen.getByTestId("note-tell").click();
  expect(on.onnote).toHaveBeenCalledWith({ text: "Only this once.", tell: true });
  button("Approve with this note Call close_ticket helpdesk id 1234").click();
  expect(on.onapprovewith).toHaveBeenCalledWith(false);
});

test("a tool that isn't there any more can only be rejected, also with a note begun", () => {
  draw({ note: { text: "Yes.", tell: false }, detail: { gone: true } });
  expect(state()).toBe("gone");
  expect(screen.getByText("The tool isn't there any more. Approving would not run it.")).toBeVisible();
  expect(screen.queryByTestId("approve")).toBeNull();
  expect(screen.getByTestId("reject")).toBeVisible();
});

test("an approved call whose tool is gone can be dropped, and not run", () => {
  draw({ id: "r-late", detail: { gone: true } });
  expectButtons(["Drop Create a file beds/2027.md", "Later: put this set aside"]);
});

test("a refusal is said above what can still be done", () => {
  draw({ refusal: "Already answered." });
  expect(screen.getByRole("alert")).toHaveTextContent("Already answered.");
  expect(screen.getByTestId("approve")).toBeVisible();
});
