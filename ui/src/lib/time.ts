import { format, textLocale } from "./i18n/language.svelte";
import { t } from "./messages";

/** Times in the person's own words. Each takes "now", so that a test and a screenshot can say when it is. */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** "just now", "12 min", "3 h", "2 d". */
export function age(at: number, now: number): string {
  const passed = Math.max(0, now - at);
  if (passed < minute) return t.justNow;
  if (passed < hour) return t.minutes(Math.floor(passed / minute));
  if (passed < day) return t.hours(Math.floor(passed / hour));
  return t.days(Math.floor(passed / day));
}

/** "12 min ago", or "just now". */
export function ago(at: number, now: number): string {
  const words = age(at, now);
  return words === t.justNow ? words : t.ago(words);
}

/** A part of a date or a time, as the language writes it. */
function written(at: number, kind: string, options: Intl.DateTimeFormatOptions): string {
  return format(kind, textLocale(), (locale) => new Intl.DateTimeFormat(locale, options)).format(at);
}

/** "14:02". */
export function clock(at: number): string {
  return written(at, "clock", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

/** A minute of the day as a time field has it: "22:00". */
export function timeOf(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
}

/** The minute of the day that a time field says; none while it says nothing. */
export function minuteOf(time: string): number | null {
  const [hours, minutes] = time.split(":").map(Number);
  if (hours === undefined || minutes === undefined || Number.isNaN(hours * 60 + minutes)) return null;
  return hours * 60 + minutes;
}

/** "3 March", with the year where it isn't this one. */
export function date(at: number, now: number): string {
  const thisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return thisYear
    ? written(at, "day", { day: "numeric", month: "long" })
    : written(at, "day and year", { day: "numeric", month: "long", year: "numeric" });
}

/** A day's heading: "Today", "Yesterday", "Tue 3 March". */
export function dayHeading(at: number, now: number): string {
  const midnight = new Date(now);
  midnight.setHours(0, 0, 0, 0);
  if (at >= midnight.getTime()) return t.today;
  midnight.setDate(midnight.getDate() - 1);
  if (at >= midnight.getTime()) return t.yesterday;
  return t.weekday(written(at, "weekday", { weekday: "short" }), date(at, now));
}

/** How long something took: "6 s", "1 min", "2 h". */
export function duration(milliseconds: number): string {
  if (milliseconds < minute) return t.seconds(Math.max(1, Math.round(milliseconds / 1000)));
  if (milliseconds < hour) return t.minutes(Math.round(milliseconds / minute));
  return t.hours(Math.round(milliseconds / hour));
}

/** The time of today, the date of any other day. */
export function when(at: number, now: number): string {
  return dayHeading(at, now) === t.today ? clock(at) : date(at, now);
}

/** "March 2026". */
export function monthName(at: number): string {
  return written(at, "month-year", { month: "long", year: "numeric" });
}
