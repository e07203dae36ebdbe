import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

function styled(folder = "src"): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return styled(path);
    return /\.(svelte|css)$/.test(path) ? [path] : [];
  });
}

/** The styles of a file, with comments emptied and lines kept. */
function stylesOf(path: string): string {
  const text = readFileSync(path, "utf8");
  const style = path.endsWith(".css") ? text : (/<style>([^]*)<\/style>/.exec(text)?.[1] ?? "");
  return style.replace(/\/\*[^]*?\*\//g, "");
}

/** What says left or right, where a language may run the other way. */
const sided =
  /(?<![\w-])((margin|padding|border|scroll-margin|scroll-padding)-(left|right)(-\w+)?|left|right|border-(top|bottom)-(left|right)-radius)\s*:|(text-align|float|clear)\s*:\s*(left|right)|translateX\((?!calc\([^)]*var\(--forward\))|transform-origin:\s*(left|right)/;

test("nothing is placed by left or right, so that every language lays the window out (accept 20)", () => {
  const found = styled().flatMap((path) =>
    stylesOf(path)
      .split("\n")
      .filter((line) => sided.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

test("four paddings or margins in a row are the same on both sides", () => {
  const found = styled().flatMap((path) =>
    [...stylesOf(path).matchAll(/(?<![\w-])(margin|padding):\s*([^;]+);/g)].flatMap(([whole, , value = ""]) => {
      const parts = value.split(/\s+(?![^(]*\))/);
      return parts.length === 4 && parts[1] !== parts[3] ? [`${path}: ${whole}`] : [];
    }),
  );
  expect(found).toEqual([]);
});

test("what has room is asked of the window as it is zoomed, not of the screen (accept 20)", () => {
  const found = styled().flatMap((path) =>
    [...stylesOf(path).matchAll(/@media[^{]*width[^{]*|[\d.]+(vh|vw|dvh|svh|vmin|vmax)\b/g)].map(
      ([whole]) => `${path}: ${whole.trim()}`,
    ),
  );
  expect(found).toEqual([]);
});

test("what would run is laid out from left to right in every language", () => {
  const code = styled().flatMap((path) => {
    const text = readFileSync(path, "utf8").replace(/<(script|style)[^]*?<\/\1>/g, "");
    // Blocks of code; a word of it inside of a sentence is isolated where it stands.
    const tags = [...text.matchAll(/<(pre|ul|ol|div|textarea)\b[^>]*>/g)].map(([tag]) => tag.replace(/\s+/g, " "));
    return tags
      .filter((tag) => tag.startsWith("<pre") || /class="[^"]*\bcode\b/.test(tag))
      .map((tag) => `${path}: ${tag}`);
  });
  expect(code.length).toBeGreaterThan(4);
  expect(code.filter((tag) => !tag.includes('dir="ltr"'))).toEqual([]);
});
