import type { App } from "./app.svelte";

/** Tells what this window shows, as long as it does: a notification must not tell what is on screen already. */
export function tellLooking(app: App, shown: string | null): () => void {
  const tell = () =>
    void app.session
      .call("looking", { window: app.window, focused: document.hasFocus() && !document.hidden, request: shown })
      .catch(() => undefined);
  tell();
  addEventListener("focus", tell);
  addEventListener("blur", tell);
  document.addEventListener("visibilitychange", tell);
  return () => {
    document.removeEventListener("visibilitychange", tell);
    removeEventListener("focus", tell);
    removeEventListener("blur", tell);
  };
}
