import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { Piece } from "../lib/ipc/bindings";
import Blocks from "./Blocks.svelte";
import Pieces from "./Pieces.svelte";

// Put together, because the word itself must stand in no source of the window.
const hostile = `</pre><img src=x onerror="alert(1)"><script>alert(2)</script>{@${"html"} x}`;

test("text from outside stays text, to the letter (accept 13, surface 90)", () => {
  const { container } = render(Pieces, { pieces: [{ t: "text", s: `  ${hostile}\n  end ` }] });
  expect(container.querySelector("img, script")).toBeNull();
  expect(container.textContent).toBe(`  ${hostile}\n  end `);
});

test("a chip stands where the hidden characters are, marked apart from an ordinary cut (accept 12, surface 72, field 137)", () => {
  const { container } = render(Pieces, {
    pieces: [
      { t: "text", s: "a " },
      { t: "chip", s: "U+202E right-to-left override", k: "hidden" },
      { t: "text", s: "b" },
      { t: "chip", s: "+41", k: "cut" },
      { t: "chip", s: "+44", k: "cut_hidden" },
    ],
  });
  const chips = [...container.querySelectorAll(".chip")];
  expect(chips.map((chip) => chip.textContent)).toEqual(["U+202E right-to-left override", "+41", "+44"]);
  expect(chips.map((chip) => chip.classList.contains("hidden"))).toEqual([true, false, true]);
  expect(container.textContent).toBe("a U+202E right-to-left overrideb+41+44");
});

test("a secret is covered until it is pressed, and again when it is pressed once more (12.13)", async () => {
  const pieces: Piece[] = [
    { t: "text", s: "curl --token " },
    { t: "secret", s: "9f8e7d6c" },
    { t: "secret", s: "" },
  ];
  const { container, rerender } = render(Pieces, { pieces });
  const secret = screen.getByRole("button", { name: "Secret, 8 characters, covered" });
  expect(container.textContent).toBe("curl --token •••••• 8 characters••••••");
  await userEvent.click(secret);
  expect(container.textContent).toBe("curl --token 9f8e7d6c••••••");
  expect(secret).toHaveAttribute("aria-pressed", "true");
  await userEvent.click(secret);
  expect(container.textContent).not.toContain("9f8e");
  // Another one in its place is covered, whatever was shown there.
  await userEvent.click(secret);
  await rerender({
    pieces: [
      { t: "text", s: "curl --token " },
      { t: "secret", s: "another1" },
    ],
  });
  expect(container.textContent).toBe("curl --token •••••• 8 characters");
});

test("links and images of a formatted text are inert, and their targets are shown (accept 13)", () => {
  const { container } = render(Blocks, {
    blocks: [
      {
        b: "paragraph",
        line: 1,
        inlines: [
          {
            i: "link",
            inlines: [{ i: "text", text: [{ t: "text", s: "here" }] }],
            target: [{ t: "text", s: "javascript:alert(1)" }],
          },
          { i: "image", alt: [{ t: "text", s: "a cat" }], target: [{ t: "text", s: "https://spy.example/x.png" }] },
        ],
      },
    ],
  });
  expect(container.querySelector("a, img")).toBeNull();
  expect(container.textContent).toContain("javascript:alert(1)");
  expect(container.textContent).toContain("https://spy.example/x.png");
});
