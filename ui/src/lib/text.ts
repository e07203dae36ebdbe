import type { Piece } from "./ipc/bindings";

/** What a chip is called where there is no room to draw one: in a name for screen readers, in a tooltip. */
export function plain(pieces: Piece[]): string {
  return pieces.map((piece) => (piece.t === "text" ? piece.s : `⟨${piece.s}⟩`)).join("");
}

/** The app's own words as displayed text. */
export function words(text: string): Piece[] {
  return [{ t: "text", s: text }];
}

/** "1,240": digits in groups, the same on every system so that the window reads the same everywhere. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** "a", "a and b", "a, b and c". */
export function list(items: string[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}`;
}

/** An amount in billionths of a currency's unit. Below one unit its first two digits count. */
export function money(nano: number, currency: string): string {
  const value = nano / 1e9;
  const written = (digits: Intl.NumberFormatOptions, amount: number) =>
    new Intl.NumberFormat("en", { style: "currency", currency, ...digits }).format(amount);
  if (nano > 0 && nano < 1000) return `less than ${written({ maximumFractionDigits: 6 }, 0.000001)}`;
  if (nano === 0 || value >= 0.1) return written({ minimumFractionDigits: 2, maximumFractionDigits: 2 }, value);
  return written({ maximumSignificantDigits: 2 }, value);
}
