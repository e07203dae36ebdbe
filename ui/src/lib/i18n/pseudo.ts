import { speak } from "./language.svelte";
import { en, type Messages } from "../messages";

const accented: Record<string, string> = Object.fromEntries(
  [..."aàbƀcçdđeéfƒgğhĥiîjĵkķlĺmḿnñoôpþrŕsštţuûvṽwŵxẋyýzž"].reduce<[string, string][]>((pairs, letter, at, all) => {
    if (at % 2 === 0) pairs.push([letter, all[at + 1] ?? letter]);
    return pairs;
  }, []),
);

/** A text with accents on its letters, 40 % longer and in brackets: what isn't in brackets isn't from the dictionary, what has no end was cut. */
export function stretched(text: string): string {
  if (text === "") return "";
  const letters = [...text].map((letter) => {
    const small = letter.toLowerCase();
    const strange = accented[small];
    return strange === undefined ? letter : letter === small ? strange : strange.toUpperCase();
  });
  return `[${letters.join("")} ${"·".repeat(Math.max(1, Math.ceil(text.length * 0.4) - 3))}]`;
}

/** A message, or a group of them, made strange: a text at once, a function in what it says. */
function strange(message: unknown): unknown {
  if (typeof message === "string") return stretched(message);
  if (typeof message === "function")
    return (...values: unknown[]) => strange((message as (...values: unknown[]) => unknown)(...values));
  if (Array.isArray(message)) return message.map(strange);
  if (typeof message === "object" && message !== null)
    return Object.fromEntries(Object.entries(message).map(([name, one]) => [name, strange(one)]));
  return message;
}

/** The whole dictionary made strange, from English. */
export const pseudo = strange(en) as Messages;

/** Speaks the made-up language, for tests and the story page; nobody can choose it. */
export function speakPseudo(rtl: boolean): void {
  speak(pseudo, "en", rtl ? "rtl" : "ltr");
}
