import type { Field } from "./ipc/bindings";

/**
 * What was filled in, as text. Each field has one string: what was typed, or the JSON text of what was chosen; empty means that
 * nothing was. Numbers are never read as numbers: their text goes to the core as it is.
 */

/** Why a field can't be sent as it is. */
export type Fault = "missing" | "whole" | "number" | "range" | "date" | "json";

/** The JSON text of a field's value; `null` leaves the key out. */
export function jsonOf(field: Field, value: string): string | null {
  switch (field.kind.f) {
    case "text":
    case "date":
      return value === "" ? null : JSON.stringify(value);
    case "number":
      // The core reads the text as the declared type.
      return value.trim() === "" ? null : JSON.stringify(value.trim());
    case "switch":
      // One that has to be answered says what it shows.
      return value === "" ? (field.required ? "false" : null) : value;
    case "choice":
    case "many":
      return value === "" ? null : value;
    case "json":
      return value.trim() === "" ? null : value.trim();
    default: {
      const unknown: never = field.kind;
      return unknown;
    }
  }
}

/** A field's value from the JSON text that was made of it. */
export function valueFrom(field: Field, json: string | undefined): string {
  if (json === undefined) return "";
  const typed = field.kind.f === "text" || field.kind.f === "date" || field.kind.f === "number";
  return typed ? (textOf(json) ?? json) : json;
}

/** The text of a JSON string; `null` for anything else. */
export function textOf(json: string): string | null {
  return json.startsWith('"') ? (JSON.parse(json) as string) : null;
}

/** The whole answer as JSON text, put together from the texts of its values. */
export function answerText(fields: Field[], valueOf: (field: Field) => string): string {
  const pairs = fields.flatMap((field) => {
    const json = jsonOf(field, valueOf(field));
    return json === null ? [] : [`${JSON.stringify(field.key)}:${json}`];
  });
  return `{${pairs.join(",")}}`;
}

/** What the window can tell by itself; the core checks everything again. */
export function faultOf(field: Field, value: string): Fault | null {
  if (jsonOf(field, value) === null) return field.required ? "missing" : null;
  const { kind } = field;
  if (kind.f === "number") {
    const text = value.trim();
    if (kind.whole && !/^[+-]?\d+$/.test(text)) return "whole";
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return "number";
    const below = kind.least !== null && compare(text, kind.least) < 0;
    const above = kind.most !== null && compare(text, kind.most) > 0;
    return below || above ? "range" : null;
  }
  // Where the system has no date field, this is a line of text.
  if (kind.f === "date" && !/^\d{4}-\d{2}-\d{2}$/.test(value)) return "date";
  if (kind.f === "json" && !isJson(value)) return "json";
  return null;
}

function compare(a: string, b: string): number {
  const whole = /^[+-]?\d+$/;
  if (whole.test(a) && whole.test(b)) {
    const [left, right] = [BigInt(a.replace(/^\+/, "")), BigInt(b.replace(/^\+/, ""))];
    return left < right ? -1 : left > right ? 1 : 0;
  }
  return Number(a) - Number(b);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The values of a JSON object by their keys, each as its own text. Reading them would round large numbers. */
export function pairsOf(json: string): Map<string, string> {
  return new Map(
    partsOf(json).flatMap((part) => {
      const [key = "", value] = splitAt(part, ":");
      return value === undefined ? [] : [[textOf(key) ?? key, value] as const];
    }),
  );
}

/** The items of a JSON list, each as its own text. */
export function itemsOf(json: string): string[] {
  return json.startsWith("[") ? partsOf(json) : [];
}

/** What stands between the outermost brackets, parted at its commas. */
function partsOf(json: string): string[] {
  const inner = json.trim().slice(1, -1).trim();
  return inner === "" ? [] : splitAt(inner, ",");
}

/** Parts a text where a character stands outside of strings and brackets. */
function splitAt(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quoted = false;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const c = text[at];
    if (quoted) {
      if (c === "\\") at += 1;
      else if (c === '"') quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === "{" || c === "[") depth += 1;
    else if (c === "}" || c === "]") depth -= 1;
    else if (c === separator && depth === 0) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return [...parts, text.slice(start).trim()];
}
