import { t } from "./messages";

/** The sections of the settings, in their order, for the screen itself and for what leads there. */
export const sections = [
  { id: "general", label: t.sectionGeneral },
  { id: "deciding", label: t.sectionDeciding },
  { id: "notifications", label: t.sectionNotifications },
  { id: "agents", label: t.sectionAgents },
  { id: "tools", label: t.sectionTools },
  { id: "data", label: t.sectionData },
  { id: "about", label: t.sectionAbout },
] as const;

export type SectionId = (typeof sections)[number]["id"];
