import { t } from "./messages";

/** A section with its name in the language that is spoken when it is read. */
function section<Id extends string>(id: Id, name: () => string) {
  return {
    id,
    get label() {
      return name();
    },
  };
}

/** The sections of the settings, in their order, for the screen itself and for what leads there. */
export const sections = [
  section("general", () => t.sectionGeneral),
  section("deciding", () => t.sectionDeciding),
  section("notifications", () => t.sectionNotifications),
  section("agents", () => t.sectionAgents),
  section("tools", () => t.sectionTools),
  section("keyboard", () => t.sectionKeyboard),
  section("accessibility", () => t.sectionAccessibility),
  section("data", () => t.sectionData),
  section("about", () => t.sectionAbout),
] as const;

export type SectionId = (typeof sections)[number]["id"];
