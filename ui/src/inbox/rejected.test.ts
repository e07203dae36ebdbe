import { render } from "@testing-library/svelte";
import { createRawSnippet } from "svelte";
import { expect, test } from "vitest";
import { details } from "../lib/ipc/fixture-details";
import { sets } from "../lib/ipc/fixtures";
import { App, appContext } from "../lib/app.svelte";
import { FakeIpc } from "../lib/ipc/fake";
import DetailBody from "./DetailBody.svelte";
import RequestRow from "./RequestRow.svelte";

const now = Date.UTC(2026, 10, 30, 12);
const nothing = createRawSnippet(() => ({ render: () => "<i></i>" }));

test.each([
  [null, false],
  [now - 120_000, true],
])("a call that was rejected before says so in its row and on its card (%s)", (rejected_at, said) => {
  const set = sets(now)[0]!;
  const row = { ...set.rows[0]!, draft: null, rejected_at };
  const list = render(RequestRow, { row, set, selected: false, muted: false, now, onclick: () => {} });
  expect(list.queryByText("rejected before") !== null).toBe(said);
  const detail = { ...details(now)[0]!, rejected_at };
  const app = new App(new FakeIpc(), true);
  app.stop();
  const props = { detail, raw: false, onraw: () => {}, plan: nothing, question: nothing };
  const card = render(DetailBody, { props, context: new Map([[appContext, app]]) });
  expect(card.queryByText(/You rejected this same call at/) !== null).toBe(said);
});
