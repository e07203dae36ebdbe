import { getContext, setContext } from "svelte";

/** What is looked for among the settings; every row asks whether it is meant. */
export interface Finding {
  readonly text: string;
}

const key = Symbol("finding");

export function provideFinding(finding: Finding): void {
  setContext(key, finding);
}

function normal(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Whether words hold everything that is looked for. Nothing looked for: they do. */
export function holds(text: string, ...words: string[]): boolean {
  const all = normal(words.join(" "));
  return normal(text)
    .split(/\s+/)
    .every((term) => all.includes(term));
}

/** What is looked for where a row stands; nothing outside of the settings. */
export function useFinding(): Finding {
  return getContext<Finding | undefined>(key) ?? { text: "" };
}
