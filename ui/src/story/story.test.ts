import { readFileSync, readdirSync } from "node:fs";
import axe from "axe-core";
import { render } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { speakAs } from "../lib/i18n/choose";
import { speakPseudo } from "../lib/i18n/pseudo";
import { bars } from "./scenes";
import Stories, { groups, type Group } from "./Stories.svelte";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  speakAs("en");
});

async function show(group: Group) {
  const page = render(Stories, { props: { only: group } });
  await vi.advanceTimersByTimeAsync(200);
  await tick();
  return [...page.container.querySelectorAll<HTMLElement>("[data-story]")];
}

/** A page of stories holds many windows, so what only a whole page can have once isn't asked. */
const once = [
  "region",
  "landmark-unique",
  "landmark-no-duplicate-main",
  "landmark-main-is-top-level",
  "page-has-heading-one",
  "heading-order",
  "landmark-banner-is-top-level",
  "landmark-no-duplicate-banner",
];

const languages = [
  ["English", () => speakAs("en")],
  ["German", () => speakAs("de")],
  ["the made-up language, from right to left", () => speakPseudo(true)],
] as const;

for (const [language, speak] of languages) {
  test.each(groups)(
    `nothing bars anybody from a story of %s, in ${language}`,
    async (group) => {
      speak();
      const stories = await show(group);
      expect(stories.length).toBeGreaterThan(4);
      vi.useRealTimers();
      const wrong: string[] = [];
      for (const story of stories) {
        const name = `${story.dataset.story}, ${story.dataset.act}`;
        if (story.querySelector(".frame")!.textContent.trim() === "" && !story.querySelector("svg, button, input"))
          wrong.push(`${name} shows nothing`);
        const rules = Object.fromEntries(["color-contrast", ...once].map((rule) => [rule, { enabled: false }]));
        const found = await axe.run(story, { rules });
        wrong.push(...found.violations.map((one) => `${name}: ${one.id} ${one.nodes[0]!.html}`));
      }
      expect(wrong).toEqual([]);
    },
    60_000,
  );
}

test("every state of the decision bar has its story (f.18, 29) (accept 29)", async () => {
  const stories = await show("bars");
  const states = new Set(
    stories.map((story) => story.querySelector<HTMLElement>("[data-testid='detail-state']")?.dataset.state),
  );
  for (const state of [
    "waiting",
    "gate",
    "staged",
    "queued",
    "reason",
    "note",
    "gone",
    "sending",
    "changed",
    "approved",
    "closed",
  ])
    expect(states, state).toContain(state);
  expect(stories.length).toBeGreaterThanOrEqual(bars.length);
});

test("the stories and their made-up data go into nothing that is shipped", () => {
  const shipped = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return ["story", "test"].includes(entry.name) ? [] : shipped(path);
      return /(?<!\.test)\.(ts|svelte)$/.test(path) ? [path] : [];
    });
  const reaching = shipped("src").filter((path) => /from "[^"]*\/story\//.test(readFileSync(path, "utf8")));
  expect(reaching).toEqual([]);
  // Only a build that is asked for them has them, and it goes elsewhere.
  const config = readFileSync("vite.config.ts", "utf8");
  expect(config).toContain('stories ? { input: "story.html" } : {}');
  expect(config).toContain('outDir: stories ? "node_modules/.stories"');
  expect(readFileSync("index.html", "utf8")).not.toMatch(/story/);
});
