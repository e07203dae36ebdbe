/** How many steps there are; what each takes away is said by the styles of what gives way. */
const steps = 5;

/** Whether the controls of a bar stand on one line inside of it. Lines of words that stand alone don't count. */
function fits(bar: HTMLElement): boolean {
  const middles = [...bar.children].flatMap((part) => {
    const box = part.getBoundingClientRect();
    return part.matches("p") || box.height === 0 ? [] : [(box.top + box.bottom) / 2];
  });
  return Math.max(...middles) - Math.min(...middles) < 4 && bar.scrollWidth <= bar.clientWidth;
}

/** Takes as many steps as a bar needs to keep its controls on one line, in whatever language and at whatever width: the classes `gives-1` and on say which. */
export function givesWay(bar: HTMLElement): () => void {
  const fit = () => {
    for (let step = 0; step <= steps; step += 1) {
      for (let one = 1; one <= steps; one += 1) bar.classList.toggle(`gives-${one}`, one <= step);
      if (fits(bar)) return;
    }
  };
  const sized = new ResizeObserver(fit);
  sized.observe(bar.parentElement ?? bar);
  const changed = new MutationObserver(fit);
  changed.observe(bar, { childList: true, characterData: true, subtree: true });
  fit();
  return () => {
    sized.disconnect();
    changed.disconnect();
  };
}
