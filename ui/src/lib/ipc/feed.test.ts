import { expect, test, vi } from "vitest";
import type { FeedEvent, FeedWhat, Snapshot, Space } from "./bindings";
import { Feed } from "./feed";
import { snapshot } from "./fixtures";
import type { CommandName, Ipc, ReplyOf } from "./ipc";

/** Answers a snapshot when the test says so, and delivers what the test sends. */
class Wire implements Pick<Ipc, "call" | "subscribe"> {
  send: (event: FeedEvent) => void = () => undefined;
  asked: Space[] = [];
  #answers: ((snapshot: Snapshot) => void)[] = [];

  call<Name extends CommandName>(space: Space, name: Name): Promise<ReplyOf<Name>> {
    if (name !== "snapshot") throw new Error(`not expected here: ${name}`);
    this.asked.push(space);
    return new Promise((resolve) => this.#answers.push((answer) => resolve(answer as ReplyOf<Name>)));
  }

  async subscribe(receive: (event: FeedEvent) => void) {
    this.send = receive;
  }

  async answer(seq: number, change: Partial<Snapshot> = {}) {
    await vi.waitUntil(() => this.#answers.length > 0);
    this.#answers.shift()?.({ ...snapshot(0), seq, ...change });
    await new Promise((resolve) => setTimeout(resolve));
  }
}

function started() {
  const wire = new Wire();
  const log: string[] = [];
  const feed = new Feed(wire, {
    snapshot: (taken) => log.push(`snapshot ${taken.space} ${taken.seq}`),
    event: (event) => log.push(`event ${event.seq}`),
    show: (request) => log.push(`show ${request}`),
    connected: () => undefined,
  });
  void feed.start();
  return { wire, log, feed };
}

const event = (seq: number, space: Space = "main", what: FeedWhat = { f: "history" }): FeedEvent => ({
  seq,
  space,
  what,
});
const rehearsal = { conversation: "c", step: 1, steps: 6, text: "" };

test("what the snapshot already holds is dropped, the rest is applied in order", async () => {
  const { wire, log } = started();
  await vi.waitUntil(() => wire.asked.length === 1);
  for (const seq of [4, 5, 6, 7]) wire.send(event(seq));
  expect(log).toEqual([]);
  await wire.answer(5);
  wire.send(event(8));
  expect(log).toEqual(["snapshot main 5", "event 6", "event 7", "event 8"]);
});

test("after a gap the picture is taken again, and nothing is applied to the old one", async () => {
  const { wire, log } = started();
  await wire.answer(5);
  wire.send(event(7));
  wire.send(event(8));
  expect(log).toEqual(["snapshot main 5"]);
  await wire.answer(7);
  expect(log).toEqual(["snapshot main 5", "snapshot main 7", "event 8"]);
});

test("events of the other space count for the order and are not applied", async () => {
  const { wire, log } = started();
  await wire.answer(5);
  wire.send(event(6, "rehearsal"));
  wire.send(event(7));
  expect(wire.asked).toEqual(["main"]);
  expect(log).toEqual(["snapshot main 5", "event 7"]);
});

test("streamed text has no place in the order", async () => {
  const { wire, log } = started();
  await wire.answer(5);
  wire.send(event(0, "main", { f: "delta", conversation: "c", text: "a" }));
  wire.send(event(6));
  expect(log).toEqual(["snapshot main 5", "event 0", "event 6"]);
});

test("while a rehearsal goes on the window is in its space, and comes back when it ends", async () => {
  const { wire, log, feed } = started();
  await wire.answer(1, { rehearsal });
  await wire.answer(1, { rehearsal, space: "rehearsal" });
  expect(feed.space).toBe("rehearsal");
  wire.send(event(2, "rehearsal", { f: "rehearsal", state: null }));
  await wire.answer(2);
  expect(feed.space).toBe("main");
  expect(log).toEqual(["snapshot rehearsal 1", "snapshot main 2"]);
});

test("show switches to the space that it comes from, and shows after the picture is there", async () => {
  const { wire, log } = started();
  await wire.answer(1, { rehearsal });
  await wire.answer(1, { rehearsal, space: "rehearsal" });
  wire.send(event(2, "main", { f: "show", request: "r" }));
  await wire.answer(2);
  expect(log).toEqual(["snapshot rehearsal 1", "snapshot main 2", "show r"]);
});
