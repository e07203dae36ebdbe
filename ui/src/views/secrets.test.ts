import { screen } from "@testing-library/svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openWindow, type OpenWindow } from "../test/window";

let open: OpenWindow;
let copied: string[];

beforeEach(async () => {
  vi.useFakeTimers();
  copied = [];
  vi.spyOn(navigator.clipboard, "writeText").mockImplementation(async (text) => void copied.push(text));
  open = await openWindow((ipc) => {
    const detail = ipc.details.get("r-close")!;
    const exact = { text: '{"token":"9f8e7d6c"}', secret: true };
    ipc.details.set("r-close", { ...detail, raw: { ...detail.raw, exact } });
  });
  await open.settle();
});

afterEach(() => {
  open.app.stop();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const press = async (name: string) => {
  screen.getByRole("button", { name }).click();
  await open.pass(20);
};

test("whoever copies a secret is warned first, and copies by a second press (12.13)", async () => {
  await press("Copy");
  expect(copied).toEqual([]);
  await press("Holds a secret: copy anyway");
  expect(copied).toEqual(['{"token":"9f8e7d6c"}']);
  expect(screen.getByRole("button", { name: "Copied" })).toBeVisible();
});

test("the warning goes by itself, and the next press warns again", async () => {
  await press("Copy");
  await open.pass(6_100);
  await press("Copy");
  expect(copied).toEqual([]);
  expect(screen.getByRole("button", { name: "Holds a secret: copy anyway" })).toBeVisible();
});
