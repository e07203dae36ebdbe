/** How long things must have been still before a press decides something. */
export const stillness = 600;
/** However often somebody presses too early, it isn't put off beyond this. */
export const longest = 1200;

/**
 * Keeps a press that was meant for something else from deciding: the click that raised the window, the key meant for a text field,
 * the request that was swapped under the pointer. Every control and every key that decides asks `press()` first.
 */
export class Arming {
  armed = $state(false);
  /** Called for the second early press, to say why nothing happened. */
  onEarly: () => void = () => undefined;
  #shown: string | null = null;
  #focused: boolean;
  #start = 0;
  #until = 0;
  /** When something other than typing last moved or was swapped. */
  #moved = 0;
  #putOff = false;
  #early = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(focused: boolean = document.hasFocus()) {
    this.#focused = focused;
  }

  /** Listens to the window; the returned function stops it. */
  watch(): () => void {
    const focus = () => this.focus(true);
    const blur = () => this.focus(false);
    const typed = (event: Event) => {
      if (isTextField(event.target)) this.disturb(true);
    };
    // Some desktops take a window away without taking the focus from it.
    const seen = () => this.focus(!document.hidden && document.hasFocus());
    addEventListener("focus", focus);
    addEventListener("blur", blur);
    addEventListener("input", typed, true);
    document.addEventListener("visibilitychange", seen);
    return () => {
      document.removeEventListener("visibilitychange", seen);
      removeEventListener("focus", focus);
      removeEventListener("blur", blur);
      removeEventListener("input", typed, true);
      clearTimeout(this.#timer);
    };
  }

  focus(focused: boolean): void {
    this.#focused = focused;
    this.disturb();
  }

  /** What the next press would be about: a request with its digest, a sheet. Another one is a swap. Nothing is never armed. */
  show(what: string | null): void {
    if (what === this.#shown) return;
    this.#shown = what;
    this.disturb();
  }

  /** Something moved, was swapped or typed. */
  disturb(typing = false): void {
    this.#start = Date.now();
    if (!typing) this.#moved = this.#start;
    this.#until = this.#start + stillness;
    this.#putOff = false;
    this.#early = 0;
    this.#settle();
  }

  /** Whether a press counts. One that comes too early is dropped, never kept for later, and puts it off once. */
  press(): boolean {
    if (this.armed) return true;
    if (!this.#putOff) {
      this.#putOff = true;
      this.#until = Math.min(Date.now() + stillness, this.#start + longest);
      this.#settle();
    }
    this.#early += 1;
    if (this.#early === 2) this.onEarly();
    return false;
  }

  /** Whether a press counts that comes out of what is being typed for this very request, so that the typing isn't waited for. */
  pressFromText(): boolean {
    const still = this.#focused && this.#shown !== null && Date.now() - this.#moved >= stillness;
    return still || this.press();
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.armed = false;
    if (!this.#focused || this.#shown === null) return;
    this.#timer = setTimeout(() => (this.armed = true), Math.max(0, this.#until - Date.now()));
  }
}

/** Whether keys pressed there are typing. */
export function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}
