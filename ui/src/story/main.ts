import "@fontsource-variable/inter";
import "@fontsource-variable/jetbrains-mono";
import "../styles/tokens.css";
import "../styles/base.css";
import "./story.css";
import { mount } from "svelte";
import { dress } from "../lib/appearance.svelte";
import { speakAs } from "../lib/i18n/choose";
import { speakPseudo } from "../lib/i18n/pseudo";
import { defaults } from "../lib/settings";
import Stories, { groups } from "./Stories.svelte";
import { look } from "./look";
import { withStates } from "./states";

// story.html?only=bars&speak=de|pseudo|pseudo-rtl&theme=light|dark&contrast&compact&zoom=200&look
const asked = new URLSearchParams(location.search);
const speak = asked.get("speak");
if (speak === "pseudo" || speak === "pseudo-rtl") speakPseudo(speak === "pseudo-rtl");
else speakAs(speak === "de" ? "de" : "en");
const theme = asked.get("theme");
dress(document.documentElement, {
  ...defaults,
  theme: theme === "light" || theme === "dark" ? theme : "system",
  high_contrast: asked.has("contrast"),
  density: asked.has("compact") ? "compact" : "comfortable",
  zoom: Number(asked.get("zoom") ?? 100),
});
document.documentElement.style.setProperty("zoom", String(Number(asked.get("zoom") ?? 100) / 100));
const only = groups.find((group) => group === asked.get("only")) ?? null;
mount(Stories, { target: document.getElementById("story")!, props: { only } });
withStates(document);
// Whatever moves or is measured has come to rest by then.
async function atRest(): Promise<void> {
  await document.fonts.ready;
  await new Promise((done) => setTimeout(done, 1500));
  await Promise.all(document.getAnimations().map((one) => one.finished.catch(() => undefined)));
}
if (asked.has("look")) void atRest().then(look);
