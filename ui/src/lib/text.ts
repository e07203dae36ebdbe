import { format, speech, textLocale } from "./i18n/language.svelte";
import type { Piece } from "./ipc/bindings";
import { t } from "./messages";

/** What a chip is called where there is no room to draw one: in a name for screen readers, in a tooltip. */
export function plain(pieces: Piece[]): string {
  return pieces.map(named).join("");
}

/** What stands for a secret. */
export const cover = "••••••";

function named(piece: Piece): string {
  switch (piece.t) {
    case "text":
      return piece.s;
    case "chip":
      return `⟨${piece.s}⟩`;
    case "secret":
      return cover;
  }
}

/** How many characters a displayed text has, those on its chips included. */
export function lengthOf(pieces: Piece[]): number {
  return pieces.reduce((sum, piece) => sum + piece.s.length, 0);
}

/** The app's own words as displayed text. */
export function words(text: string): Piece[] {
  return [{ t: "text", s: text }];
}

/** "1,240", "1.240": digits in groups, as the language writes them. */
export function count(value: number): string {
  return format("count", speech.locale, (locale) => new Intl.NumberFormat(locale)).format(value);
}

/** "125 %", "125%": as the language writes it. */
export function percent(value: number): string {
  return format("percent", textLocale(), (locale) => new Intl.NumberFormat(locale, { style: "percent" })).format(
    value / 100,
  );
}

/** "a", "a and b", "a, b and c", with the language's own word. */
export function list(items: string[]): string {
  return format("list", textLocale(), (locale) => new Intl.ListFormat(locale, { type: "conjunction" })).format(items);
}

/** An amount in billionths of a currency's unit. Below one unit its first two digits count. */
export function money(nano: number, currency: string): string {
  const value = nano / 1e9;
  const written = (digits: Intl.NumberFormatOptions, amount: number) =>
    new Intl.NumberFormat(speech.locale, { style: "currency", currency, ...digits }).format(amount);
  if (nano > 0 && nano < 1000) return t.lessThan(written({ maximumFractionDigits: 6 }, 0.000001));
  if (nano === 0 || value >= 0.1) return written({ minimumFractionDigits: 2, maximumFractionDigits: 2 }, value);
  return written({ maximumSignificantDigits: 2 }, value);
}

/** Between things that are told in one line. Named, since blanks at the edge of a tag are left out. */
export const dot = " · ";
