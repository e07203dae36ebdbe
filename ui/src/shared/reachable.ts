/** What the keyboard can stand on by itself. */
const STOPS = ["a[href]", "button", "input", "select", "textarea", "[tabindex]"]
  .map((one) => `${one}:not(:disabled, [tabindex="-1"])`)
  .join(", ");

/** Lets the keyboard reach a place that scrolls and holds nothing else to stand on, so that all of it can be read. */
export function reachable(place: HTMLElement): () => void {
  const measure = () => {
    const scrolls = place.scrollHeight > place.clientHeight + 1;
    if (scrolls && place.querySelector(STOPS) === null) place.tabIndex = 0;
    else place.removeAttribute("tabindex");
  };
  measure();
  if (typeof ResizeObserver === "undefined") return () => {};
  const watched = new ResizeObserver(measure);
  watched.observe(place);
  for (const child of place.children) watched.observe(child);
  return () => watched.disconnect();
}
