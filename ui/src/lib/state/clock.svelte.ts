/** The time that ages are counted from. It moves slowly: nothing on the screen changes more often than it has to. */
export class Clock {
  now = $state(Date.now());
  #timer: ReturnType<typeof setInterval>;

  constructor() {
    this.#timer = setInterval(() => (this.now = Date.now()), 15_000);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
