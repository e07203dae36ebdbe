/** The name of the highlight in the page; `base.css` draws it. */
const NAME = "found";

/** Where words stand in an element, small and capital letters alike: one range for each time, across its text nodes. */
export function rangesOf(element: HTMLElement, words: string): Range[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: { node: Text; from: number }[] = [];
  let text = "";
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    nodes.push({ node: node as Text, from: text.length });
    text += (node as Text).data;
  }
  const lower = text.toLowerCase();
  const wanted = words.toLowerCase();
  // Letters that change their number with their case would shift everything behind them.
  if (wanted === "" || lower.length !== text.length) return [];
  const place = (at: number) => {
    const in_ = nodes.findLast((one) => one.from <= at)!;
    return [in_.node, at - in_.from] as const;
  };
  const ranges: Range[] = [];
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + wanted.length)) {
    const range = document.createRange();
    range.setStart(...place(at));
    const [node, last] = place(at + wanted.length - 1);
    range.setEnd(node, last + 1);
    ranges.push(range);
  }
  return ranges;
}

/** Marks a range in the page, and nothing else; none takes the mark away. */
export function mark(range: Range | null): void {
  if (typeof Highlight === "undefined" || !("highlights" in CSS)) return;
  if (range === null) CSS.highlights.delete(NAME);
  else CSS.highlights.set(NAME, new Highlight(range));
}
