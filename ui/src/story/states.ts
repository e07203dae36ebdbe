const states: [RegExp, string][] = [
  [/:hover/g, ".story-hover"],
  [/:focus-visible|:focus(?!-)/g, ".story-focus"],
  [/:active/g, ".story-pressed"],
];

/** Lets a class stand for what only a pointer or the keyboard brings about: each rule for such a state is said again for its class. */
export function withStates(page: Document): void {
  for (const sheet of page.styleSheets) {
    for (const rule of [...sheet.cssRules]) {
      if (!(rule instanceof CSSStyleRule)) continue;
      for (const [state, name] of states) {
        if (rule.selectorText.search(state) < 0) continue;
        const selector = rule.selectorText.replace(state, name);
        sheet.insertRule(`${selector} { ${rule.style.cssText} }`, sheet.cssRules.length);
      }
    }
  }
}
