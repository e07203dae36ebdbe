import type { Language } from "../ipc/bindings";
import { de } from "./de";
import { speak } from "./language.svelte";

/** The first of the system's languages that is spoken here, else English. */
export function ofSystem(wanted: readonly string[]): Exclude<Language, "system"> {
  for (const tag of wanted) {
    const language = tag.toLowerCase().split("-")[0];
    if (language === "de" || language === "en") return language;
  }
  return "en";
}

/** Speaks what the settings say. */
export function speakAs(setting: Language): void {
  const language = setting === "system" ? ofSystem(navigator.languages) : setting;
  speak(language === "de" ? de : null, language);
}
