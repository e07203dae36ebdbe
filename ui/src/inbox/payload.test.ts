import type { DiffLine, Segment } from "../lib/ipc/bindings";
import { whole } from "../lib/long";
import { render } from "@testing-library/svelte";
import { expect, test } from "vitest";
import CommandPayload from "./CommandPayload.svelte";
import DiffPayload from "../shared/DiffPayload.svelte";

const hostile = `</pre><img src=x onerror="alert(1)"><script>alert(2)</script>`;

test("a command is shown with exactly the characters that it has (surface 68)", () => {
  const { container } = render(CommandPayload, {
    payload: {
      p: "command",
      analysable: true,
      folder: [],
      segments: whole<Segment>([
        {
          operator: "",
          high_risk: false,
          words: [
            { kind: "program", text: [{ t: "text", s: "echo" }] },
            { kind: "quoted", text: [{ t: "text", s: ` "${hostile}"` }] },
          ],
        },
        {
          operator: "|",
          high_risk: true,
          words: [
            { kind: "plain", text: [{ t: "text", s: " " }] },
            { kind: "risk", text: [{ t: "text", s: "sh" }] },
          ],
        },
      ]),
    },
  });
  expect([...container.querySelectorAll(".words")].map((words) => words.textContent)).toEqual([
    `echo "${hostile}"`,
    "sh",
  ]);
  expect(container.querySelector(".risky .words > :first-child")?.textContent).toBe("sh");
  expect(container.querySelector(".risky")?.textContent.replace(/\n/g, "")).toMatch(/^\| +sh$/);
  expect(container.querySelector("img, script")).toBeNull();
  expect(container.querySelectorAll(".risky")).toHaveLength(1);
});

test("the lines of a change keep their spaces, and say in words what they are", () => {
  const { container, getByText } = render(DiffPayload, {
    lines: whole<DiffLine>([
      {
        d: "removed",
        old: 7,
        begins: false,
        parts: [
          { text: [{ t: "text", s: "\t  x = " }], changed: false },
          { text: [{ t: "text", s: "1 " }], changed: true },
        ],
      },
      { d: "added", new: 7, begins: false, parts: [{ text: [{ t: "text", s: "\t  x = 2" }], changed: false }] },
      { d: "same", old: 8, new: 8, text: [{ t: "text", s: "\t  x = 3" }] },
    ]),
  });
  // Blanks are drawn as they are: none more, since a line's depth is read by them.
  const lines = [...container.querySelectorAll("li")].map((line) => line.textContent);
  expect(lines).toEqual(["removed line 7 \t  x = 1 ", "added line 7 \t  x = 2", "\t  x = 3"]);
  const [removed, added, same] = [...container.querySelectorAll<HTMLElement>("li")].map((line) => line.dataset);
  expect([removed?.old, removed?.new, added?.old, added?.new]).toEqual(["7", undefined, undefined, "7"]);
  expect([same?.old, same?.new]).toEqual(["8", "8"]);
  expect(getByText("removed line 7")).toBeInTheDocument();
  expect(getByText("added line 7")).toBeInTheDocument();
});
