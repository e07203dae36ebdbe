import { isTextField } from "./arming.svelte";
import { isSingle, lookUp, spell, type ActionId } from "./keys";

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

  watch(): () => void {
    const press = (event: KeyboardEvent) => this.press(event);
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
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
    if (isTextField(target) && !spelled.startsWith("Mod+") && spelled !== "F6" && spelled !== "Escape") return;
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
    if (event.repeat && entry.decides) {
      event.preventDefault();
      return;
    }
    for (const layer of this.#layers.toReversed()) {
      const handle = layer.handlers[entry.id];
      if (handle !== undefined && handle(event) !== false) {
        event.preventDefault();
        return;
      }
      if (layer.alone) return;
    }
  }
}

/** Single keys act in the list and the detail, in a sheet, and where nothing has the focus. */
function hearsSingleKeys(target: HTMLElement | null): boolean {
  return target === null || target === document.body || target.closest("[data-pane], [role=dialog]") !== null;
}
