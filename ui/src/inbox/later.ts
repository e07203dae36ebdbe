import type { App } from "../lib/app.svelte";
import type { LaterUntil, SetCard } from "../lib/ipc/bindings";
import { t } from "../lib/messages";
import { when } from "../lib/time";
import type { MenuItem } from "../shared/Menu.svelte";

const minute = 60_000;

/** Nine in the morning of the next day, by the clock of this computer. */
export function tomorrow(now: number): number {
  const at = new Date(now);
  at.setDate(at.getDate() + 1);
  at.setHours(9, 0, 0, 0);
  return at.getTime();
}

/** What a set can be put aside until, and the way back for one that is. */
export function laterItems(app: App, set: SetCard, choose: () => void): MenuItem[] {
  const put = (until: LaterUntil) => () => void app.later(set, until);
  const at = (time: (now: number) => number) => () => void app.later(set, { is: "at", at: time(Date.now()) });
  const back: MenuItem[] =
    set.later === null ? [] : [{ label: t.notLater, testid: "not-later", act: () => void app.notLater(set) }];
  return [
    ...back,
    { label: t.laterMinutes, testid: "later-15", act: at((now) => now + 15 * minute) },
    { label: t.laterHour, testid: "later-60", act: at((now) => now + 60 * minute) },
    { label: t.laterBack, testid: "later-back", act: put({ is: "back" }) },
    { label: t.laterTomorrow, testid: "later-tomorrow", act: at(tomorrow) },
    { label: t.laterUntil, testid: "later-until", act: choose },
  ];
}

/** Until when a set is quiet, in words. */
export function laterWords(set: SetCard, now: number): string {
  if (set.later === null) return "";
  return set.later.until === null ? t.untilBack : t.untilTime(when(set.later.until, now));
}
