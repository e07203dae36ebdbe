import { MediaQuery } from "svelte/reactivity";
import type { Settings } from "./ipc/bindings";

/** How large everything may be drawn, in percent, and the steps between. */
export const zooms = [80, 90, 100, 110, 125, 150, 175, 200] as const;

const moreContrast = new MediaQuery("prefers-contrast: more");

/** The next step of zoom in a direction, or the end of the scale. */
export function zoomed(from: number, by: 1 | -1): number {
  const step = by === 1 ? zooms.find((one) => one > from) : zooms.findLast((one) => one < from);
  return step ?? from;
}

/** Whether the system wishes more contrast than most people need. */
export function systemWishesContrast(): boolean {
  return moreContrast.current;
}

/** Puts on the page what the settings say about its looks. Reads what it depends on, so an effect that calls it follows. */
export function dress(page: HTMLElement, settings: Settings): void {
  if (settings.theme === "system") delete page.dataset.theme;
  else page.dataset.theme = settings.theme;
  page.dataset.contrast = settings.high_contrast || moreContrast.current ? "more" : "usual";
  page.dataset.density = settings.density;
  page.style.setProperty("--zoom", settings.zoom === 100 ? "" : String(settings.zoom / 100));
  page.toggleAttribute("data-zoomed", settings.zoom !== 100);
}
