import type { Block, Inline } from "../lib/ipc/bindings";
import { plain } from "../lib/text";

/** A place of a plan that can be commented: its line, and its first words. */
export interface Step {
  line: number;
  words: string;
}

const longest = 48;

/** The steps of a plan in reading order: headings, paragraphs, items, code. What a list holds belongs to its item. */
export function stepsOf(blocks: Block[]): Step[] {
  return blocks.flatMap((block): Step[] => {
    switch (block.b) {
      case "heading":
      case "paragraph":
        return [{ line: block.line, words: cut(said(block.inlines)) }];
      case "code":
        return [{ line: block.line, words: cut(plain(block.text)) }];
      case "list":
        return block.items.flatMap((item) => {
          const inside = stepsOf(item.blocks);
          const first = inside[0];
          const own = { line: item.line, words: first?.words ?? "" };
          return [own, ...inside.filter((step) => step.line !== item.line)];
        });
      case "quote":
        return stepsOf(block.blocks);
      default:
        return [];
    }
  });
}

function said(inlines: Inline[]): string {
  return inlines
    .map((inline) => {
      switch (inline.i) {
        case "text":
        case "code":
          return plain(inline.text);
        case "image":
          return plain(inline.alt);
        case "break":
          return " ";
        default:
          return said(inline.inlines);
      }
    })
    .join("");
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= longest) return line;
  const end = line.lastIndexOf(" ", longest);
  return `${line.slice(0, end > longest / 2 ? end : longest)} …`;
}
