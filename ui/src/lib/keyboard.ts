import { isTextField } from "./arming.svelte";
import { isSingle, keymap, keysOf, lookUp, spell, type ActionId } from "./keys";

/** What a screen does for a key. `false` means: not now, ask the next one. */
export type Handlers = Partial<Record<ActionId, (event: KeyboardEvent) => boolean | void>>;

interface Layer {
  handlers: Handlers;
  /** A sheet: nothing below it hears a key. */
  alone: boolean;
}

/** Hears the keys of the window and hands them to the topmost screen or sheet that knows them. */
export class Keyboard {
  system = "linux";
  singleKeys = true;
  #layers: Layer[] = [];
  #afterG = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** A key that was held down through a change of what it would mean. */
  #held: string | null = null;

  watch(): () => void {
    const press = (event: KeyboardEvent) => this.press(event);
    const hold = (event: KeyboardEvent) => this.#hold(event);
    addEventListener("keydown", press);
    addEventListener("keydown", hold, true);
    addEventListener("keyup", hold, true);
    return () => {
      removeEventListener("keydown", press);
      removeEventListener("keydown", hold, true);
      removeEventListener("keyup", hold, true);
    };
  }

  /** A key just did its work and what it was pressed in goes: as long as it is held down, nobody hears it. */
  untilReleased(key: string): void {
    this.#held = key;
  }

  #hold(event: KeyboardEvent): void {
    if (event.key !== this.#held) return;
    if (event.type === "keydown" && event.repeat) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else this.#held = null;
  }

  /** The actions that something in front listens to now. */
  heard(): Set<ActionId> {
    const front = this.#layers.slice(
      Math.max(
        0,
        this.#layers.findLastIndex((layer) => layer.alone),
      ),
    );
    return new Set(keymap.map((entry) => entry.id).filter((id) => front.some((layer) => layer.handlers[id])));
  }

  /** Does what an action's key would do, for the palette and the list of keys. What decides isn't done from there. */
  run(id: ActionId): boolean {
    const entry = keymap.find((one) => one.id === id);
    if (entry === undefined || entry.decides) return false;
    const key = keysOf(entry)[0]?.replace(/^.*[+ ](?=.)/, "") ?? "";
    return this.#hand(id, new KeyboardEvent("keydown", { key }));
  }

  #hand(id: ActionId, event: KeyboardEvent): boolean {
    for (const layer of this.#layers.toReversed()) {
      const handle = layer.handlers[id];
      if (handle !== undefined && handle(event) !== false) return true;
      if (layer.alone) return false;
    }
    return false;
  }

  /** Listens until the returned function is called. */
  use(handlers: Handlers, alone = false): () => void {
    const layer = { handlers, alone };
    this.#layers.push(layer);
    return () => {
      this.#layers = this.#layers.filter((other) => other !== layer);
    };
  }

  press(event: KeyboardEvent): void {
    // 229 is what a key says that an input method is still composing with.
    if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return;
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (target?.closest("[role=menu]")) return;
    const afterG = this.#afterG;
    this.#afterG = false;
    const spelled = spell(event, this.system, afterG);
    if (spelled === "") return;
    const single = isSingle(spelled);
    if (single && (isTextField(target) || !this.singleKeys || !hearsSingleKeys(target))) return;
    if (isTextField(target) && !/^(Mod\+|F\d+$|Escape$)/.test(spelled)) return;
    // Undo belongs to the text while somebody writes.
    if (isTextField(target) && spelled === "Mod+z") return;
    // Enter and Space belong to the control that has the focus; a row of a list isn't one that they would press.
    const control = target?.closest("button, a, summary, input");
    if ((spelled === "Enter" || spelled === " ") && control && !control.hasAttribute("data-row")) return;
    // The arrows belong to a choice that has the focus.
    if (event.key.startsWith("Arrow") && target instanceof HTMLInputElement && target.type === "radio") return;
    if (spelled === "g") {
      this.#afterG = true;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => (this.#afterG = false), 1500);
      return;
    }
    const entry = lookUp(spelled);
    if (entry === undefined) return;
    if (event.repeat && (entry.decides || entry.once)) {
      event.preventDefault();
      return;
    }
    if (this.#hand(entry.id, event)) event.preventDefault();
  }
}

/** Single keys act in the list and the detail, in a sheet, and where nothing has the focus. */
function hearsSingleKeys(target: HTMLElement | null): boolean {
  return target === null || target === document.body || target.closest("[data-pane], [role=dialog]") !== null;
}
