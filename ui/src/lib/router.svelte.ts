export const screens = ["inbox", "conversations", "history", "rules", "settings"] as const;
export type Screen = (typeof screens)[number];

/** Where the window is, kept behind the address's `#` so that going back works as everywhere. */
export class Router {
  screen = $state<Screen>("inbox");
  /** What of the screen: a conversation, a row of history, a section of the settings. */
  part = $state<string | null>(null);
  #read = () => {
    const [screen, part] = location.hash.replace(/^#\/?/, "").split("/");
    this.screen = screens.find((known) => known === screen) ?? "inbox";
    this.part = part ? decodeURIComponent(part) : null;
  };

  constructor() {
    this.#read();
    addEventListener("hashchange", this.#read);
  }

  go(screen: Screen, part: string | null = null): void {
    this.screen = screen;
    this.part = part;
    location.hash = part === null ? `/${screen}` : `/${screen}/${encodeURIComponent(part)}`;
  }

  stop(): void {
    removeEventListener("hashchange", this.#read);
  }
}
