/** Times in the person's own words. Each takes "now", so that a test and a screenshot can say when it is. */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** "just now", "12 min", "3 h", "2 d". */
export function age(at: number, now: number): string {
  const passed = Math.max(0, now - at);
  if (passed < minute) return "just now";
  if (passed < hour) return `${Math.floor(passed / minute)} min`;
  if (passed < day) return `${Math.floor(passed / hour)} h`;
  return `${Math.floor(passed / day)} d`;
}

/** "12 min ago", or "just now". */
export function ago(at: number, now: number): string {
  const words = age(at, now);
  return words === "just now" ? words : `${words} ago`;
}

/** "14:02". */
export function clock(at: number): string {
  const date = new Date(at);
  return `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** "3 March", with the year where it isn't this one. */
export function date(at: number, now: number): string {
  const then = new Date(at);
  const words = `${then.getDate()} ${months[then.getMonth()]}`;
  return then.getFullYear() === new Date(now).getFullYear() ? words : `${words} ${then.getFullYear()}`;
}

/** A day's heading: "Today", "Yesterday", "Tue 3 March". */
export function dayHeading(at: number, now: number): string {
  const midnight = new Date(now);
  midnight.setHours(0, 0, 0, 0);
  if (at >= midnight.getTime()) return "Today";
  midnight.setDate(midnight.getDate() - 1);
  if (at >= midnight.getTime()) return "Yesterday";
  return `${weekdays[new Date(at).getDay()]} ${date(at, now)}`;
}

/** How long something took: "6 s", "1 min", "2 h". */
export function duration(milliseconds: number): string {
  if (milliseconds < minute) return `${Math.max(1, Math.round(milliseconds / 1000))} s`;
  if (milliseconds < hour) return `${Math.round(milliseconds / minute)} min`;
  return `${Math.round(milliseconds / hour)} h`;
}

/** The time of today, the date of any other day. */
export function when(at: number, now: number): string {
  return dayHeading(at, now) === "Today" ? clock(at) : date(at, now);
}
