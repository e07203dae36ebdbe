import "@fontsource-variable/inter";
import "@fontsource-variable/jetbrains-mono";
import "./styles/tokens.css";
import "./styles/base.css";
import { mount } from "svelte";
import Root from "./App.svelte";
import { App } from "./lib/app.svelte";
import { insideTauri, tauri, type Ipc } from "./lib/ipc/ipc";

async function backend(): Promise<Ipc> {
  // The constant is empty in a normal build, which so holds none of the made-up data.
  if (import.meta.env.VITE_FAKE && !insideTauri()) {
    const { FakeIpc } = await import("./lib/ipc/fake");
    return FakeIpc.fromAddress(location.search);
  }
  return tauri;
}

const app = new App(await backend());

// The made-up languages are for looking at, and only there where the backend is made up too.
if (import.meta.env.VITE_FAKE && !insideTauri()) {
  const speak = new URLSearchParams(location.search).get("speak");
  if (speak === "pseudo" || speak === "pseudo-rtl") {
    const { speakPseudo } = await import("./lib/i18n/pseudo");
    speakPseudo(speak === "pseudo-rtl");
    app.madeUpLanguage = true;
  }
}

// Errors of the window go to the app's log: nobody opens a console there. They carry no payloads.
addEventListener("error", (event) => {
  // WebKit reports this one for a harmless repetition of layout.
  if (event.message.startsWith("ResizeObserver loop")) return;
  void app.session
    .call("log_ui", { text: `${event.message} (${event.filename}:${event.lineno})` })
    .catch(() => undefined);
});
addEventListener("unhandledrejection", (event) => {
  const text = event.reason instanceof Error ? `${event.reason.name}: ${event.reason.message}` : "a promise failed";
  void app.session.call("log_ui", { text }).catch(() => undefined);
});

mount(Root, { target: document.getElementById("app")!, props: { app } });
await app.session.start();
