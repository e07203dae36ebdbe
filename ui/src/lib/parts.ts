/** What a message leaves room for, where it isn't only text: a chip, a name in another hand. Numbers, so that no dictionary can take them for words. */
export const slot = { tool: 0, conditions: 1, key: 2, value: 3, flags: 4, place: 5 } as const;
export type Slot = (typeof slot)[keyof typeof slot];

/** A message in its own order, which a language chooses: words, and between them what is put in. */
export type Part = string | Slot;
