import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";
import { afterEach, expect, test } from "vitest";
import { count, list, money } from "../text";
import { clock, date, dayHeading } from "../time";
import { en, t } from "../messages";
import { ofSystem, speakAs } from "./choose";
import { de } from "./de";
import { alike, excused, glossary } from "./glossary";
import { speech } from "./language.svelte";
import { pseudo, speakPseudo, stretched } from "./pseudo";

afterEach(() => speakAs("en"));

/** Every message by its path, as what it is. */
function flat(dictionary: object, before = ""): Map<string, unknown> {
  return new Map(
    Object.entries(dictionary).flatMap(([name, message]): [string, unknown][] =>
      typeof message === "object" && message !== null
        ? [...flat(message as object, `${before}${name}.`)]
        : [[`${before}${name}`, message]],
    ),
  );
}

const english = flat(en);
const german = flat(de);

/** What a message can say: its text, or of a function every text in it that isn't only compared with. */
function says(message: unknown): string {
  if (typeof message === "string") return message;
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    if (
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddle(node) ||
      ts.isTemplateTail(node)
    ) {
      const compared = ts.isCaseClause(node.parent) || ts.isBinaryExpression(node.parent);
      if (!compared) found.push(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("message.ts", `(${String(message)})`, ts.ScriptTarget.Latest, true));
  return found.join(" ");
}

test("German has each message of English, of the same kind and with the same values", () => {
  expect([...german.keys()].sort()).toEqual([...english.keys()].sort());
  for (const [name, message] of english) {
    expect(typeof german.get(name), name).toBe(typeof message);
    if (typeof message === "function")
      expect((german.get(name) as () => string).length, `values of ${name}`).toBe(message.length);
  }
});

test("German is German: no text is the English one, but for names and words that both have", () => {
  const same = [...english].filter(([name, message]) => typeof message === "string" && german.get(name) === message);
  expect([...new Set(same.map(([, message]) => String(message)))].sort()).toEqual(alike);
});

test.each(glossary.map((one) => [one.word, one] as const))(
  "the word %s stands wherever English has it",
  (word, one) => {
    const wrong = [...english].filter(([name, message]) => {
      if (excused[word]?.includes(name)) return false;
      return one.english.test(says(message)) !== one.german.test(says(german.get(name)));
    });
    expect(wrong.map(([name, message]) => `${name}: ${says(message)} | ${says(german.get(name))}`).join("\n")).toBe("");
  },
);

test("what is shown follows the language at once, and so do numbers, dates and lists", () => {
  const at = new Date(2026, 2, 3, 9, 5).getTime();
  const later = new Date(2026, 7, 3).getTime();
  const shown = () => [
    t.approve,
    t.columns.took,
    t.stagedOthers(2),
    count(1234567),
    list(["a", "b", "c"]),
    clock(at),
    date(at, later),
    dayHeading(at, later),
    money(500_000_000, "EUR"),
    money(12, "EUR"),
  ];
  speakAs("en");
  expect(shown()).toEqual([
    "Approve",
    "Time to decide",
    "Sends with 2 others.",
    "1,234,567",
    "a, b and c",
    "09:05",
    "3 March",
    "Tue 3 March",
    "€0.50",
    "less than €0.000001",
  ]);
  expect(document.documentElement).toHaveAttribute("lang", "en");
  speakAs("de");
  expect(shown()).toEqual([
    "Genehmigen",
    "Bedenkzeit",
    "Geht mit 2 anderen ab.",
    "1.234.567",
    "a, b und c",
    "09:05",
    "3. März",
    "Di, 3. März",
    "0,50\u00a0€",
    "weniger als 0,000001\u00a0€",
  ]);
  expect(document.documentElement).toHaveAttribute("lang", "de");
});

test("the system's first language that is spoken counts", () => {
  expect([ofSystem(["fr-FR", "de-AT", "en"]), ofSystem(["en-US", "de"]), ofSystem(["ja"]), ofSystem([])]).toEqual([
    "de",
    "en",
    "en",
    "en",
  ]);
});

test("the made-up language is 40 % longer at least, in brackets, and comes from every message", () => {
  for (const [name, message] of flat(pseudo)) {
    if (typeof message !== "string" || message === "") continue;
    const from = english.get(name) as string;
    expect(message, name).toMatch(/^\[[^]*\]$/);
    expect(message.length, name).toBeGreaterThanOrEqual(from.length * 1.4);
  }
  expect(stretched("Approve")).toBe("[Àþþŕôṽé ·]");
  speakPseudo(true);
  expect(t.sendCount(3)).toMatch(/^\[.*3.*\]$/);
  expect(document.documentElement).toHaveAttribute("dir", "rtl");
  expect(speech.direction).toBe("rtl");
});

/** Every file of the window that shows something. */
function sources(folder = "src"): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sources(path);
    return /\.(svelte|ts)$/.test(path) && !/\.test\.ts$|\/ipc\/|\/test\/|\/messages\.ts$|\/i18n\//.test(path)
      ? [path]
      : [];
  });
}

test("no message is read once and kept: it would stay in the language that was spoken then", () => {
  const kept: string[] = [];
  for (const path of sources()) {
    const text = readFileSync(path, "utf8");
    const script = path.endsWith(".svelte") ? (/<script[^>]*>([^]*?)<\/script>/.exec(text)?.[1] ?? "") : text;
    const visit = (node: ts.Node) => {
      const again =
        ts.isFunctionLike(node) || (ts.isCallExpression(node) && /^\$(derived|effect)/.test(node.expression.getText()));
      if (again) return;
      if (ts.isPropertyAccessExpression(node) && node.expression.getText() === "t")
        kept.push(`${path} ${node.getText()}`);
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(path, script, ts.ScriptTarget.Latest, true));
  }
  // What a new agent is called at first is the person's to change, so it may be read once.
  expect(kept).toEqual(["src/firstrun/Connect.svelte t.newAgentName"]);
});

test("nothing is told apart by words of one language: what the process puts into words comes as a value, too", () => {
  const words = "label|decision|outcome|words|text|why|state_words|target|verb|by";
  const compared = new RegExp(
    `\\.(?:${words})\\s*[!=]==?\\s*"[A-Z]|\\.(?:${words})\\.(?:startsWith|includes|match)\\(|/\\^\\(?[A-Z][a-z]+ ?[a-z]*[|)/]`,
  );
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.(ts|svelte)$/.test(file) && !/\.test\.ts$|lib\/ipc\/|lib\/i18n\/|story\//.test(file),
  );
  expect(sources.length).toBeGreaterThan(150);
  const found = sources.flatMap((file) =>
    readFileSync(`src/${file}`, "utf8")
      .split("\n")
      .flatMap((line, at) =>
        compared.test(line) && !line.includes("test(key)") ? [`${file}:${at + 1} ${line.trim()}`] : [],
      ),
  );
  expect(found).toEqual([]);
  // It would have found these.
  for (const line of ['row.decision === "Expired"', "like(/^(Rejected|Sent back)/)"]) expect(line).toMatch(compared);
});
