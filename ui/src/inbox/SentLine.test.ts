import { render } from "@testing-library/svelte";
import { afterEach, expect, test } from "vitest";
import { speakAs } from "../lib/i18n/choose";
import type { ClosedRow } from "../lib/ipc/bindings";
import { closed } from "../lib/ipc/fixtures";
import SentLine from "./SentLine.svelte";

afterEach(() => speakAs("en"));

const row = (was: ClosedRow["was"], label: string): ClosedRow => ({ ...closed(0)[1]!, was, label });

test("what was sent is counted by what it was, whatever language its words are in", () => {
  const rows = [row("approved", "Genehmigt"), row("rejected", "Abgelehnt"), row("rejected", "Zurückgegeben")];
  const place = { title: [{ t: "text" as const, s: "Ticket triage" }] };
  const { container } = render(SentLine, { place, rows });
  expect(container).toHaveTextContent("Ticket triage · Sent: 1 approved, 2 rejected");
  speakAs("de");
  const german = render(SentLine, { place, rows });
  expect(german.container).toHaveTextContent(/1 genehmigt, 2 abgelehnt/);
});
