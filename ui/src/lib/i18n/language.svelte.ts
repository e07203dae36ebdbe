/** Which way the words of a language run. */
export type Direction = "ltr" | "rtl";

/** What the window speaks now. Everything that shows a word or a number reads it, and so is drawn anew when it changes. */
class Speech {
  /** The dictionary in use; none: English, which is where the messages are written. */
  dictionary = $state.raw<object | null>(null);
  /** For numbers and amounts, as in `Intl`. */
  locale = $state("en");
  direction = $state<Direction>("ltr");
}

export const speech = new Speech();

/** Speaks from a dictionary from now on. The page says which language it is, for screen readers, hyphenation and the direction of everything. */
export function speak(dictionary: object | null, locale: string, direction: Direction = "ltr"): void {
  speech.dictionary = dictionary;
  speech.locale = locale;
  speech.direction = direction;
  document.documentElement.lang = locale;
  document.documentElement.dir = direction;
}

/** For dates, times and lists. English is written as outside of America: the day before the month, 24 hours, no comma before "and". */
export function textLocale(): string {
  return speech.locale === "en" ? "en-GB" : speech.locale;
}

const made = new Map<string, unknown>();

/** A formatter of `Intl`, made once for each language and kind: making one takes longer than using it a hundred times. */
export function format<Made>(kind: string, locale: string, make: (locale: string) => Made): Made {
  const key = `${locale} ${kind}`;
  const known = made.get(key);
  if (known !== undefined) return known as Made;
  const fresh = make(locale);
  made.set(key, fresh);
  return fresh;
}
