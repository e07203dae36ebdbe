import { render, screen } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Detail } from "../lib/ipc/bindings";
import { openWindow } from "../test/window";
import Loading, { patience } from "./Loading.svelte";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("nothing is drawn for 150 ms, then bars that keep still, and a word for screen readers (f.3)", async () => {
  const { container, unmount } = render(Loading);
  await vi.advanceTimersByTimeAsync(patience - 1);
  await tick();
  expect(screen.getByRole("status")).toBeEmptyDOMElement();
  await vi.advanceTimersByTimeAsync(1);
  await tick();
  expect(screen.getByRole("status")).toHaveTextContent("Loading");
  expect(container.querySelectorAll(".bar")).toHaveLength(4);
  unmount();
  expect(vi.getTimerCount()).toBe(0);
});

test("a detail that is on its way is told by bars, and they go when it comes (f.3)", async () => {
  let come: (detail: Detail) => void = () => undefined;
  const open = await openWindow((ipc) => {
    const call = ipc.call.bind(ipc);
    ipc.call = ((space, name, request) =>
      name === "detail"
        ? new Promise((done) => (come = done as typeof come))
        : call(space, name, request)) as typeof ipc.call;
  });
  expect(screen.queryByText("Loading")).toBeNull();
  await open.pass(patience);
  expect(screen.getByTestId("loading")).toHaveTextContent("Loading");
  come(open.ipc.details.get(open.app.inbox.selected!)!);
  await open.pass(20);
  expect(screen.queryByTestId("loading")).toBeNull();
  expect(screen.getByTestId("payload")).toBeInTheDocument();
  open.app.stop();
});
