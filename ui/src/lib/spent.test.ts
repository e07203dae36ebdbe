import { expect, test } from "vitest";
import type { Spent } from "./ipc/bindings";
import { t } from "./messages";

const spent = (change: Partial<Spent> = {}): Spent => ({
  calls: 2,
  counted: 2,
  priced: 0,
  tokens_in: 1204,
  tokens_out: 310,
  cached: 0,
  written: 0,
  costs: [],
  ...change,
});
const cost = (nano: number, currency = "USD") => ({ currency, nano });

test.each<[string, Spent]>([
  ["1,204 + 310 tokens", spent()],
  ["1,204 + 310 tokens · $0.0036", spent({ priced: 2, costs: [cost(3_612_000)] })],
  ["1,204 + 310 tokens · $0.00", spent({ priced: 2, costs: [cost(0)] })],
  ["1,204 + 310 tokens · less than $0.000001", spent({ priced: 2, costs: [cost(999)] })],
  ["1,204 + 310 tokens · €12.35", spent({ priced: 2, costs: [cost(12_345_678_901, "EUR")] })],
  ["1,204 + 310 tokens · €1.00 + $0.50", spent({ priced: 2, costs: [cost(1e9, "EUR"), cost(5e8)] })],
  ["1,204 + 310 tokens · at least $0.50", spent({ priced: 1, costs: [cost(5e8)] })],
  ["at least 1,204 + 310 tokens · at least $0.50", spent({ counted: 1, priced: 1, costs: [cost(5e8)] })],
  ["tokens unknown", spent({ counted: 0, tokens_in: 0, tokens_out: 0 })],
  ["", spent({ calls: 0, counted: 0, tokens_in: 0, tokens_out: 0 })],
])("%s", (words, sum) => {
  expect(t.spent(sum)).toBe(words);
});
