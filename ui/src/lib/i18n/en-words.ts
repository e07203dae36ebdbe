import { count } from "../text";

const rules = new Intl.PluralRules("en");

/** "1 ask", "3 asks": the number decides the word, in one place. */
export function plural(n: number, one: string, other: string): string {
  return `${count(n)} ${rules.select(n) === "one" ? one : other}`;
}
