import type { Asks, Group, ToolRow } from "./bindings";
import { one } from "./fixtures";

/** The tools of the made-up backend. */

const toolRow = (name: string, words: string, group: Group, asks: Asks, in_plan: boolean): ToolRow => ({
  name,
  description: one(words),
  group,
  ruling: { is: "offered" },
  asks,
  in_plan,
});

export const tools: ToolRow[] = [
  toolRow("list_files", "Lists a folder of the workspace.", "look", "never", true),
  toolRow("read_file", "Reads a file of the workspace.", "look", "never", true),
  toolRow("search_files", "Searches the workspace's files.", "look", "never", true),
  toolRow("write_file", "Creates a file or writes it anew.", "change", "always", false),
  toolRow("edit_file", "Replaces one exact place in a file.", "change", "always", false),
  toolRow("run_command", "Runs a command in the workspace.", "command", "always", false),
  toolRow("ask_user", "Asks the person something.", "ask", "question", true),
];
