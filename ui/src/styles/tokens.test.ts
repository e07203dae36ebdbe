import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const css = readFileSync("src/styles/tokens.css", "utf8").split("@media")[0]!;
const colours = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#\w+), (#\w+)\)/g)].map(([, name, light, dark]) => [
    name!,
    { light: light!, dark: dark! },
  ]),
);

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

for (const theme of ["light", "dark"] as const) {
  test.each(pairs)(`%s can be read on its grounds, ${theme}`, (name, on, least) => {
    for (const ground of on) {
      const ratio = contrast(colours.get(name)![theme], colours.get(ground)![theme]);
      expect(ratio, `${name} on ${ground}`).toBeGreaterThanOrEqual(least);
    }
  });
}
