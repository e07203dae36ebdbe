/** Keeps the Tab key inside of what lies over the rest: behind its last control comes its first one, and the other way round. */
export function keepInside(frame: HTMLElement, event: KeyboardEvent): void {
  if (event.key !== "Tab") return;
  const all = [...frame.querySelectorAll<HTMLElement>("button, input, select, textarea, a[href], [tabindex='0']")];
  const first = all[0];
  const last = all[all.length - 1];
  if (event.shiftKey && (document.activeElement === first || document.activeElement === frame)) last?.focus();
  else if (!event.shiftKey && document.activeElement === last) first?.focus();
  else return;
  event.preventDefault();
}
