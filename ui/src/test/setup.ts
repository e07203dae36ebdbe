import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/svelte";
import { afterEach } from "vitest";

// A failed search says what it looked for; the whole page beside it only hides that.
configure({ getElementError: (message) => new Error(message ?? "not found") });

afterEach(() => {
  cleanup();
  document.body.replaceChildren();
});
