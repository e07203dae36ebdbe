import { screen, within } from "@testing-library/svelte";
import axe from "axe-core";
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

test("everything is exported from Data & privacy, with secrets masked unless somebody unticks it (c.10)", async () => {
  open = await openWindow(undefined, "#/settings/data");
  await open.settle();
  screen.getByTestId("export-everything").click();
  await open.pass(700);
  const sheet = screen.getByRole("dialog");
  expect(sheet).toHaveTextContent("agents and tool servers without their keys");
  expect(within(sheet).getByTestId("export-masked")).toBeChecked();
  expect(within(sheet).queryByRole("radio")).toBeNull();
  const path = within(sheet).getByTestId<HTMLInputElement>("export-path").value;
  expect(path).toMatch(/countersign-everything-.*\.jsonl$/);
  screen.getByTestId("sheet-confirm").click();
  await open.pass(50);
  expect(open.requests("export_all")).toEqual([{ masked: true, path }]);
  expect(screen.getByTestId("export-done")).toHaveTextContent("812 lines written.");
  vi.useRealTimers();
  const found = await axe.run(sheet, { rules: { "color-contrast": { enabled: false } } });
  expect(found.violations.map((one) => one.id)).toEqual([]);
});
