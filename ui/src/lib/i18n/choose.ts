import type { Language, Spoken } from "../ipc/bindings";
import { de } from "./de";
import { speak } from "./language.svelte";

/** The first of the system's languages that is spoken here, else English. */
export function ofSystem(wanted: readonly string[]): Spoken {
  for (const tag of wanted) {
    const language = tag.toLowerCase().split("-")[0];
    if (language === "de" || language === "en") return language;
  }
  return "en";
}

/** Speaks what the settings say. What the system speaks is found out by the process, so that notifications and the window agree. */
export function speakAs(setting: Language, system: Spoken = "en"): void {
  const language = setting === "system" ? system : setting;
  speak(language === "de" ? de : null, language);
}
