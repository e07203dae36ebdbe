import { expect, test } from "vitest";
import { answerText, faultOf, itemsOf, pairsOf, valueFrom } from "./answer";
import type { Field, FieldKind } from "./ipc/bindings";

const field = (key: string, kind: FieldKind, required = false): Field => ({
  key,
  kind,
  required,
  label: [],
  help: null,
  default: null,
  secret: false,
});
const big = "12345678901234567890.10";
const option = (value: string) => ({ value, label: [] });
const fields = [
  field("name", { f: "text", long: false }),
  field("days", { f: "number", whole: true, least: "1", most: "90" }),
  field("drafts", { f: "switch" }),
  field("id", { f: "choice", options: [option(big), option('"12"'), option("null")] }),
  field("tags", { f: "many", options: [option('"a,]"'), option("9007199254740993")] }),
  field("since", { f: "date" }),
  field("shape", { f: "json", schema: [] }),
  field('odd "key"', { f: "text", long: true }),
];
const text = (values: Record<string, string>) => answerText(fields, (one) => values[one.key] ?? "");

test("what wasn't filled in is left out", () => {
  expect(text({})).toBe("{}");
  expect(text({ days: "  ", shape: " \n" })).toBe("{}");
});

test("text and dates are strings, numbers are the typed text as a string", () => {
  expect(text({ name: 'a "b"\n\u2028', days: " 14 ", since: "2026-03-31", 'odd "key"': "x" })).toBe(
    `{"name":"a \\"b\\"\\n\u2028","days":"14","since":"2026-03-31","odd \\"key\\"":"x"}`,
  );
});

test("a choice and a JSON field go as they are, however large their numbers", () => {
  expect(text({ id: big, tags: "[9007199254740993]", shape: ' {"n": 1e400} ' })).toBe(
    `{"id":${big},"tags":[9007199254740993],"shape":{"n": 1e400}}`,
  );
});

test("a switch that nobody touched is left out, unless it has to be answered", () => {
  expect(text({ drafts: "false" })).toBe('{"drafts":false}');
  expect(answerText([field("drafts", { f: "switch" }, true)], () => "")).toBe('{"drafts":false}');
});

test("the values of an answer are found again, each as its own text", () => {
  const values = { name: "a, {b}: \\", days: "14", drafts: "true", id: big, tags: '["a,]",9007199254740993]' };
  const pairs = pairsOf(text(values));
  expect(Object.fromEntries(fields.map((one) => [one.key, valueFrom(one, pairs.get(one.key))]))).toEqual({
    ...values,
    since: "",
    shape: "",
    'odd "key"': "",
  });
  expect(itemsOf(values.tags)).toEqual(['"a,]"', "9007199254740993"]);
  expect(itemsOf("[]")).toEqual([]);
  expect([...pairsOf('{ "a" : { "b" : [1, 2] } , "c" : 3 }')]).toEqual([
    ["a", '{ "b" : [1, 2] }'],
    ["c", "3"],
  ]);
});

test.each<[string, Field, string, string | null]>([
  ["nothing where something is needed", field("a", { f: "text", long: false }, true), "", "missing"],
  ["nothing where nothing is needed", field("a", { f: "text", long: false }), "", null],
  ["nothing ticked where it is needed", field("a", { f: "many", options: [] }, true), "", "missing"],
  ["the least", fields[1]!, "1", null],
  ["below the least", fields[1]!, "0", "range"],
  ["above the most", fields[1]!, "91", "range"],
  ["a part of a whole", fields[1]!, "1.5", "whole"],
  ["words", field("a", { f: "number", whole: false, least: null, most: null }), "1,5", "number"],
  ["a power", field("a", { f: "number", whole: false, least: null, most: "2e5" }), "1e5", null],
  [
    "one too many beyond what a double can tell apart",
    field("a", { f: "number", whole: true, least: null, most: "9007199254740992" }),
    "9007199254740993",
    "range",
  ],
  ["a date in words", fields[5]!, "tomorrow", "date"],
  ["a broken value", fields[6]!, "{", "json"],
  ["a large value", fields[6]!, "[1e400]", null],
])("%s", (_name, one, value, fault) => {
  expect(faultOf(one, value)).toBe(fault);
});
