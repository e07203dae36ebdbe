/** What screen readers are told. News is gathered for a second, so that a burst is one sentence after another and not a stutter. */
export class Announcer {
  polite = $state("");
  assertive = $state("");
  #waiting: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  say(text: string): void {
    this.#waiting.push(text);
    this.#timer ??= setTimeout(() => {
      this.polite = this.#waiting.join(" ");
      this.#waiting = [];
      this.#timer = undefined;
    }, 1000);
  }

  /** For what can't wait: the request in front of the person closed. */
  interrupt(text: string): void {
    this.assertive = text;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
