/** When an Auto that ends by itself ends. The time that somebody chooses is the next one of that name, so it is never over. */

/** The nearest end that is taken, in milliseconds from now. */
export const nearest = 60_000;

/** The next moment at which clocks show a minute of the day, in milliseconds since 1970. */
export function nextAt(minute: number, now: number): number {
  const at = new Date(now);
  at.setHours(Math.floor(minute / 60), minute % 60, 0, 0);
  if (at.getTime() <= now) at.setDate(at.getDate() + 1);
  return at.getTime();
}

/** The minute of the day that is proposed: the full hour that is half an hour away or a little more. */
export function proposed(now: number): number {
  const at = new Date(now + 30 * 60_000);
  return ((at.getHours() + (at.getMinutes() > 0 ? 1 : 0)) % 24) * 60;
}

/** Whether an end is too near to be taken. */
export function isTooNear(end: number, now: number): boolean {
  return end - now < nearest;
}

/** The last moment at which one of these is in Auto; none if one of them has no end. */
export function lastEnd(ends: (number | null)[]): number | null {
  const known = ends.filter((end) => end !== null);
  return known.length === 0 || known.length < ends.length ? null : Math.max(...known);
}
