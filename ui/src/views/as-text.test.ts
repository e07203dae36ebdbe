import { screen, within } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  open.app.stop();
  vi.useRealTimers();
});

const press = async (name: string) => {
  screen.getByRole("button", { name }).click();
  await open.pass(20);
};

async function show(settings = {}) {
  open = await openWindow((ipc) => {
    ipc.snapshot.settings = { ...ipc.snapshot.settings, ...settings };
  });
  await open.settle();
}

test("what would run can be read as text, line by line, and another request is as the settings say (c.13)", async () => {
  await show();
  expect(screen.queryByTestId("as-text")).toBeNull();
  await press("Read as text");
  const lines = within(screen.getByTestId("as-text")).getAllByRole("listitem");
  expect(lines[0]).toHaveTextContent(/^id: 1234/);
  await open.press("j");
  await open.settle();
  expect(screen.queryByTestId("as-text")).toBeNull();
});

test("with the setting on every request begins as text, and symbols stand by their names", async () => {
  await show({ read_as_text: true, spell_symbols: true });
  await open.press("j");
  await open.settle();
  expect(screen.getByTestId("as-text")).toHaveTextContent(
    "Runs git add dash A Then, if that worked, git commit dash m quote close duplicates of 1201 quote High risk. Then",
  );
  expect(screen.getByTestId("as-text").textContent).not.toMatch(/[-/&|"]/);
  await press("Spell symbols");
  expect(open.requests("save_settings").at(-1)?.settings.spell_symbols).toBe(false);
  await press("Raw");
  expect(screen.queryByTestId("as-text")).toBeNull();
});
