import { expect, test } from "vitest";
import { toolName } from "./agents";

test.each([
  ["Researcher", [], "researcher"],
  ["Release notes (fast)", [], "release_notes_fast"],
  ["Über-Prüfer", [], "uber-prufer"],
  ["…", [], "agent"],
  ["Researcher", ["researcher", "researcher_2"], "researcher_3"],
  ["x".repeat(80), [], "x".repeat(60)],
])("%s is called by a name that a model can say", (name, taken, made) => {
  expect(toolName(name, taken)).toBe(made);
});
