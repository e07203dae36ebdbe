import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const css = readFileSync("src/styles/tokens.css", "utf8");

/** The colours of a block of the tokens, by name. */
function coloursOf(selector: string): Map<string, { light: string; dark: string }> {
  const start = css.indexOf(`${selector} {`);
  expect(start, selector).toBeGreaterThanOrEqual(0);
  const block = css.slice(start, css.indexOf("\n}", start));
  return new Map(
    [...block.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\)/g)].map(([, name, light, dark]) => [
      name!,
      { light: light!, dark: dark! },
    ]),
  );
}

const usual = coloursOf(":root");
const strong = new Map([...usual, ...coloursOf(':root[data-contrast="more"]')]);

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const grounds = ["canvas", "surface", "raised", "hover", "selected", "sunken"];
const pairs: [string, string[], number][] = [
  ["text", [...grounds, "accent-soft", "danger-soft", "warn-soft", "ok-soft"], 7],
  ["text-muted", [...grounds, "accent-soft", "ok-soft", "danger-soft"], 4.5],
  ["text-subtle", [...grounds, "danger-soft", "ok-soft"], 4.5],
  ["accent", grounds, 4.5],
  ["on-accent", ["accent"], 4.5],
  ["danger", [...grounds, "danger-soft"], 4.5],
  ["warn", [...grounds, "warn-soft"], 4.5],
  ["ok", [...grounds, "ok-soft"], 4.5],
  ["plan", [...grounds, "plan-soft"], 4.5],
  ["focus", grounds, 3],
  ["border-strong", ["surface", "canvas", "raised"], 3],
];

const ways = [
  ["usual", usual, 1],
  ["high contrast", strong, 1.5],
] as const;

for (const [way, colours, more] of ways) {
  for (const theme of ["light", "dark"] as const) {
    test.each(pairs)(`%s can be read on its grounds, ${theme}, ${way}`, (name, on, least) => {
      for (const ground of on) {
        const ratio = contrast(colours.get(name)![theme], colours.get(ground)![theme]);
        expect(ratio, `${name} on ${ground}`).toBeGreaterThanOrEqual(least * more);
      }
    });
  }
}

test("high contrast has text on the pure canvas, strong edges and no soft grounds", () => {
  for (const ground of [...grounds, "accent-soft", "danger-soft", "warn-soft", "ok-soft", "plan-soft"])
    expect(strong.get(ground), ground).toEqual({ light: "#ffffff", dark: "#000000" });
  expect(strong.get("text")).toEqual({ light: "#000000", dark: "#ffffff" });
  for (const theme of ["light", "dark"] as const)
    expect(contrast(strong.get("border")![theme], strong.get("canvas")![theme])).toBeGreaterThanOrEqual(4.5);
  // Every colour of the usual theme is made anew, so that none is kept by forgetting it.
  expect([...usual.keys()].filter((name) => !coloursOf(':root[data-contrast="more"]').has(name))).toEqual([]);
});
