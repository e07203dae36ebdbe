import { count } from "../text";

const rules = new Intl.PluralRules("de");

/** "1 Anfrage", "3 Anfragen": which word a number takes is said by the rules of the language. */
export function plural(n: number, one: string, other: string): string {
  return `${count(n)} ${rules.select(n) === "one" ? one : other}`;
}

/** Picks by number what changes with it, where the number itself stands elsewhere or not at all. */
export function byNumber(n: number, one: string, other: string): string {
  return rules.select(n) === "one" ? one : other;
}

/** A reason from the system as a sentence of its own. It stays in the system's words. */
export function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${/[.!?]$/.test(reason) ? "" : "."}`;
}
