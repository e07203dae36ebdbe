import { t } from "./messages";
import { duration } from "./time";

/** Seconds of what runs, ticking only while something does. The first two aren't shown: most things are over by then. */
export class Elapsed {
  #now = $state(Date.now());

  constructor(running: () => boolean) {
    $effect(() => {
      if (!running()) return;
      const timer = setInterval(() => (this.#now = Date.now()), 1000);
      return () => clearInterval(timer);
    });
  }

  words(since: number): string {
    const passed = this.#now - since;
    if (passed < 2000) return "";
    return passed < 120_000 ? t.seconds(Math.floor(passed / 1000)) : duration(passed);
  }
}
