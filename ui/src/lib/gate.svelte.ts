import { SvelteSet } from "svelte/reactivity";

/** Keeps Approve off until the end of what would run has been in view. */
export class ReadingGate {
  /** Characters below what has been in view; none once the end was. */
  remaining = $state(0);
  #read = new SvelteSet<string>();

  /** `what` is a request with its digest: other bytes have to be read again. */
  measure(what: string, payload: HTMLElement, scroller: HTMLElement): void {
    if (this.#read.has(what)) {
      this.remaining = 0;
      return;
    }
    this.remaining = charactersBelow(payload, scroller.getBoundingClientRect().bottom);
    if (this.remaining === 0 && !document.hidden) this.#read.add(what);
  }
}

/** How many characters below a line aren't drawn yet; what is drawn of a long payload is what is near. */
function notDrawn(element: HTMLElement, bottom: number): number {
  let below = 0;
  for (const stretch of element.querySelectorAll<HTMLElement>("[data-characters]")) {
    if (stretch.getBoundingClientRect().bottom > bottom + 1) below += Number(stretch.dataset.characters);
  }
  return below;
}

/** How many characters of an element begin below a line of the window. */
export function charactersBelow(element: HTMLElement, bottom: number): number {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const bottomOf = (node: Node, offset: number) => {
    range.setStart(node, offset);
    range.setEnd(node, offset + 1);
    return range.getBoundingClientRect().bottom;
  };
  let below = 0;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const length = node.textContent?.length ?? 0;
    // Most nodes are wholly above or wholly below; only the one on the line is looked into.
    if (length === 0 || bottomOf(node, length - 1) <= bottom + 1) continue;
    // What stands there twice is read once.
    if (node.parentElement?.closest("[data-again]")) continue;
    let first = 0;
    let last = length;
    while (first < last) {
      const middle = (first + last) >> 1;
      if (bottomOf(node, middle) > bottom + 1) last = middle;
      else first = middle + 1;
    }
    below += length - first;
  }
  return below + notDrawn(element, bottom);
}
