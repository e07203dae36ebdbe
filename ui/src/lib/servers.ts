import type { FoundToolServer, Launch, ServerToolRow, ToolWord, Variable } from "./ipc/bindings";
import { plain } from "./text";

/** The variables of a program, or the headers of an address. */
export function variables(launch: Launch): Variable[] {
  return launch.by === "command" ? launch.env : launch.headers;
}

export function withVariables(launch: Launch, next: Variable[]): Launch {
  return launch.by === "command" ? { ...launch, env: next } : { ...launch, headers: next };
}

/** Whether what is sent to an address can be read on the way: plain HTTP to another computer. */
export function isOpen(launch: Launch): boolean {
  if (launch.by !== "http" || !URL.canParse(launch.url)) return false;
  const { protocol, hostname } = new URL(launch.url);
  const here = hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
  return protocol === "http:" && !here;
}

/** Whether a word lets anything happen that wouldn't without it. */
export function loosens(word: ToolWord): boolean {
  return word.asks === "never" || word.read_only || word.parallel_safe;
}

/** Whether arguments can stand one on a line, and come back from there as the same ones. */
export function fitLines(args: string[]): boolean {
  return !args.some((arg) => arg.includes("\n") || arg.includes("\r")) && args[args.length - 1] !== "";
}

/** Arguments for a field: one on a line, or as a JSON list where lines couldn't tell them apart. */
export function argsText(args: string[]): string {
  return fitLines(args) ? args.join("\n") : JSON.stringify(args, null, 2);
}

/** Arguments out of a field; none if what should be a JSON list of texts is none. */
export function argsFrom(text: string, lines: boolean): string[] | null {
  if (lines) return linesFrom(text);
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((one) => typeof one === "string") ? list : null;
  } catch {
    return null;
  }
}

/** Lines of a field, without the empty one behind the last line break. */
export function linesFrom(text: string): string[] {
  const lines = text.split("\n");
  while (lines[lines.length - 1] === "") lines.pop();
  return lines;
}

const unseen = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u2000-\u200a\u2800\u3000]/gu;

/** How many characters of a text a field would show as nothing or as an ordinary space. */
export function unseenIn(text: string): number {
  return [...text.matchAll(unseen)].length;
}

/** Where the values of a found server would be kept on a machine that has no key store: in the file, which needs consent. */
export function withoutKeyring(found: FoundToolServer): FoundToolServer {
  const kept = variables(found.server.launch).map((one) =>
    one.from.from === "keyring" ? { ...one, from: { from: "file" as const } } : one,
  );
  return { ...found, server: { ...found.server, launch: withVariables(found.server.launch, kept) } };
}

/** Tools whose name, told name or words hold what is looked for. */
export function matching(tools: ServerToolRow[], text: string): ServerToolRow[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return tools;
  return tools.filter((tool) =>
    [plain(tool.name), tool.told, plain(tool.description)].some((words) => words.toLowerCase().includes(wanted)),
  );
}
