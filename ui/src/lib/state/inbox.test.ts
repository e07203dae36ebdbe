import { beforeEach, expect, test, vi } from "vitest";
import type { ClosedRow, RequestRow, SetCard } from "../ipc/bindings";
import { sets, snapshot } from "../ipc/fixtures";
import { Inbox } from "./inbox.svelte";

const now = 1_000_000_000;
let inbox: Inbox;

beforeEach(() => {
  inbox = new Inbox();
  inbox.take(snapshot(now));
});

const ids = () => inbox.rows.map((row) => row.id);
const [triage, release] = sets(now) as [SetCard, SetCard, SetCard];

function staged(set: SetCard, ...which: string[]): SetCard {
  return {
    ...set,
    rows: set.rows.map((row) =>
      which.includes(row.id) ? { ...row, draft: { decision: { say: "approve" }, digest: "d" } } : row,
    ),
  };
}

const closed = (row: RequestRow, label = "Approved"): ClosedRow => ({
  id: row.id,
  conversation: "triage",
  path: [],
  title: [],
  verb: row.verb,
  target: row.target,
  label,
  was: label.startsWith("Expired") ? "expired" : "approved",
  expired: label.startsWith("Expired"),
  unknown: false,
  at: now,
});

test("the oldest set comes first, and its first row is selected", () => {
  expect(inbox.places.map((place) => place.id)).toEqual(["triage", "release", "garden"]);
  expect(inbox.selected).toBe("r-close");
  expect(inbox.waiting).toBe(5);
});

test("a new set arrives below, however old its requests are, and takes no selection", () => {
  inbox.select("r-plan");
  const asked = inbox.apply("new", {
    ...release,
    conversation: "new",
    oldest_at: 0,
    rows: [{ ...release.rows[0]!, id: "r-new" }],
  });
  expect(asked).toBe(true);
  expect(ids().at(-1)).toBe("r-new");
  expect(inbox.selected).toBe("r-plan");
});

test("rows of a set keep their places when it changes, and new ones come below (surface 18)", () => {
  const [first, second, third] = triage.rows as [RequestRow, RequestRow, RequestRow];
  inbox.apply("triage", { ...triage, rows: [{ ...first, id: "r-new" }, third, second, first] });
  expect(ids().slice(0, 4)).toEqual(["r-close", "r-push", "r-edit", "r-new"]);
});

test("a new snapshot keeps the order that the person sees", () => {
  inbox.apply("new", {
    ...release,
    id: "new",
    conversation: "new",
    oldest_at: 0,
    rows: [{ ...release.rows[0]!, id: "r-new" }],
  });
  const again = snapshot(now);
  inbox.take({
    ...again,
    sets: [
      ...again.sets,
      { ...release, id: "new", conversation: "new", oldest_at: 0, rows: [{ ...release.rows[0]!, id: "r-new" }] },
    ],
  });
  expect(inbox.places.at(-1)?.id).toBe("new");
});

test("the first arrival in an empty inbox is selected", () => {
  inbox.take({ ...snapshot(now), sets: [], closed: [] });
  expect(inbox.selected).toBeNull();
  inbox.apply("triage", triage);
  expect(inbox.selected).toBe("r-close");
});

test("after staging the selection goes to the next undecided row of the set, then of the next set, and stays at the end (accept 27)", () => {
  inbox.select("r-push");
  inbox.apply("triage", staged(triage, "r-push"));
  inbox.staged("r-push");
  expect(inbox.selected).toBe("r-edit");
  inbox.apply("triage", staged(triage, "r-push", "r-edit"));
  inbox.staged("r-edit");
  expect(inbox.selected).toBe("r-close");
  inbox.apply("triage", staged(triage, "r-push", "r-edit", "r-close"));
  inbox.staged("r-close");
  expect(inbox.selected).toBe("r-plan");
  inbox.apply("release", staged(release, "r-plan"));
  inbox.staged("r-plan");
  expect(inbox.selected).toBe("r-late");
  inbox.apply("garden", staged(inbox.sets.get("garden")!, "r-late"));
  inbox.staged("r-late");
  expect(inbox.selected).toBe("r-late");
});

test("undo takes the newest decision back, wherever the selection is", () => {
  inbox.apply("triage", staged(triage, "r-close", "r-edit"));
  inbox.staged("r-edit");
  inbox.staged("r-close");
  inbox.select("r-plan");
  expect(inbox.newestStaged()).toBe("r-close");
  inbox.apply("triage", staged(triage, "r-edit"));
  expect(inbox.newestStaged()).toBe("r-edit");
});

test("a set that left stays as a line until the selection has left it (surface 9)", () => {
  inbox.select("r-push");
  inbox.apply("triage", null);
  inbox.close(triage.rows.map((row) => closed(row)));
  expect(inbox.places[0]).toMatchObject({ is: "sent", id: "triage" });
  expect(inbox.outcome(triage.rows.map((row) => row.id))).toHaveLength(3);
  inbox.move(1);
  expect(inbox.selected).toBe("r-plan");
  expect(inbox.places[0]).toMatchObject({ is: "set", id: "release" });
});

test("a set that left without the selection is gone at once", () => {
  inbox.select("r-plan");
  inbox.apply("triage", null);
  expect(inbox.places.map((place) => place.id)).toEqual(["release", "garden"]);
});

test("a conversation that asks again comes below, and its sent line stays where it was", () => {
  inbox.select("r-push");
  inbox.apply("triage", null);
  inbox.apply("triage", { ...triage, rows: [{ ...triage.rows[0]!, id: "r-again" }] });
  expect(inbox.places.map((place) => `${place.is} ${place.id}`)).toEqual([
    "sent triage",
    "set release",
    "set garden",
    "set triage",
  ]);
});

test("a filter leaves whole sets, so that nothing unseen is sent along (surface 77)", () => {
  inbox.filter = "commands";
  expect(ids()).toEqual(["r-close", "r-push", "r-edit"]);
  expect(inbox.rows.map((row) => inbox.isMatch(row))).toEqual([false, true, false]);
});

test("twenty closed rows are kept, the newest first, each once", () => {
  const row = triage.rows[0]!;
  for (let at = 0; at < 30; at += 1) inbox.close([{ ...closed(row), id: `c${at}`, at: now + at }]);
  inbox.close([{ ...closed(row), id: "c29", at: now + 29 }]);
  expect(inbox.closed).toHaveLength(20);
  expect(inbox.closed[0]?.id).toBe("c29");
  expect(new Set(inbox.closed.map((one) => one.id)).size).toBe(20);
});

test("what asks to be shown is found among the waiting and among the closed (surface 54, field 125)", () => {
  inbox.reveal("h-mail");
  expect(inbox.tab).toBe("closed");
  inbox.filter = "plans";
  inbox.reveal("r-push");
  expect([inbox.tab, inbox.filter, inbox.selected]).toEqual(["waiting", "all", "r-push"]);
});

test("a snapshot that brings nothing new sorts nothing and leaves the list alone", () => {
  const places = inbox.places;
  const sort = vi.spyOn(Array.prototype, "sort");
  inbox.take(snapshot(now));
  expect(sort).not.toHaveBeenCalled();
  sort.mockRestore();
  expect(inbox.places).toBe(places);
});

test("a snapshot keeps every place; what is new in it comes below, the oldest first", () => {
  const rows = ids();
  const more = (id: string, oldest_at: number): SetCard => ({
    ...release,
    id,
    conversation: id,
    oldest_at,
    rows: [{ ...release.rows[0]!, id: `r-${id}` }],
  });
  const next = snapshot(now);
  const [first, second, third] = triage.rows as [RequestRow, RequestRow, RequestRow];
  const late = { ...third, id: "r-late-one", opened_at: 0 };
  const changed = { ...triage, rows: [late, third, second, first] };
  next.sets = [
    more("b", 2),
    more("a", 1),
    ...next.sets.toReversed().map((set) => (set.id === "triage" ? changed : set)),
  ];
  inbox.take(next);
  expect(inbox.places.map((place) => place.id)).toEqual(["triage", "release", "garden", "a", "b"]);
  expect(ids()).toEqual([...rows.slice(0, 3), "r-late-one", ...rows.slice(3), "r-a", "r-b"]);
  next.sets = next.sets.filter((set) => set.id !== "release" && set.id !== "a");
  inbox.take(next);
  expect(inbox.places.map((place) => place.id)).toEqual(["triage", "garden", "b"]);
});

test("what may or may not have happened stays on top of what closed until it was opened (f.3)", () => {
  const [first, second, third] = triage.rows as [RequestRow, RequestRow, RequestRow];
  inbox.close([{ ...closed(first, "Outcome unknown"), unknown: true, at: now - 5000 }]);
  inbox.close([closed(second)]);
  const order = () => inbox.closed.map((row) => row.id).slice(0, 3);
  expect(order().slice(0, 2)).toEqual([first.id, second.id]);
  inbox.tab = "closed";
  inbox.select(first.id);
  expect(order().slice(0, 2), "it doesn't move under the hand").toEqual([first.id, second.id]);
  inbox.close([closed(third)]);
  expect(inbox.closed.findIndex((row) => row.id === first.id)).toBeGreaterThan(
    inbox.closed.findIndex((row) => row.id === second.id),
  );
});
