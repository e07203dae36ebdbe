import type { Grace } from "../lib/ipc/bindings";

/** Whole seconds until a set leaves. It only ticks while there is something to count. */
export class Countdown {
  seconds = $state(0);

  constructor(grace: () => Grace | null) {
    $effect.pre(() => {
      const running = grace();
      if (running === null) return;
      const count = () => (this.seconds = Math.max(0, Math.ceil((running.ends_at - Date.now()) / 1000)));
      count();
      const timer = setInterval(count, 250);
      return () => clearInterval(timer);
    });
  }
}
