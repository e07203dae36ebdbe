import { MediaQuery } from "svelte/reactivity";
import type { Settings } from "./ipc/bindings";
import { insideTauri } from "./ipc/ipc";

/** How large everything may be drawn, in percent, and the steps between. */
export const zooms = [80, 90, 100, 110, 125, 150, 175, 200] as const;

const moreContrast = new MediaQuery("prefers-contrast: more");

/** The next step of zoom in a direction, or the end of the scale. */
export function zoomed(from: number, by: 1 | -1): number {
  const step = by === 1 ? zooms.find((one) => one > from) : zooms.findLast((one) => one < from);
  return step ?? from;
}

/** How much the page itself has to enlarge what it draws, in percent. The app's own windows are zoomed from outside, all of it sharp. */
export function drawnZoom(settings: Settings): number {
  return insideTauri() ? 100 : settings.zoom;
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
  const zoom = drawnZoom(settings);
  page.style.setProperty("--zoom", zoom === 100 ? "" : String(zoom / 100));
  page.toggleAttribute("data-zoomed", zoom !== 100);
}
