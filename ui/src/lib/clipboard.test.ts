import { afterEach, expect, test, vi } from "vitest";
import { copyText } from "./clipboard";

afterEach(() => vi.restoreAllMocks());

test("without an asynchronous clipboard the exact text is copied, and never stands in the page", async () => {
  vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new Error("not allowed"));
  const setData = vi.fn();
  document.execCommand = () => {
    expect(document.body.textContent).not.toContain("\u202e");
    const event = new Event("copy", { cancelable: true });
    Object.defineProperty(event, "clipboardData", { value: { setData } });
    return document.dispatchEvent(event);
  };
  expect(await copyText("a\u202eb")).toBe(true);
  expect(setData).toHaveBeenCalledWith("text/plain", "a\u202eb");
});
