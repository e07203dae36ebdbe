import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// The real window gets this policy from tauri.conf.json. The preview built with VITE_FAKE carries the same one in the page, so
// that what the policy forbids already fails in a browser.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types svelte-trusted-html",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-src 'none'",
].join("; ");

const fake = process.env.VITE_FAKE ?? "";
// The page of every component in every state, for the tests that look at it.
const stories = process.env.STORIES !== undefined;

export default defineConfig(({ command }) => ({
  plugins: [
    svelte(),
    {
      name: "preview-policy",
      transformIndexHtml: () =>
        fake && command === "build"
          ? [
              {
                tag: "meta",
                attrs: { "http-equiv": "Content-Security-Policy", content: policy },
                injectTo: "head-prepend" as const,
              },
            ]
          : [],
    },
  ],
  // Named here so that it is a constant in every build: without it, the made-up backend and its data are left out.
  define: { "import.meta.env.VITE_FAKE": JSON.stringify(fake) },
  build: {
    target: "safari16.4",
    // Kept out of the way: what lies in dist goes into the app.
    outDir: stories ? "node_modules/.stories" : fake ? "node_modules/.preview" : "dist",
    rollupOptions: stories ? { input: "story.html" } : {},
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  resolve: process.env.VITEST ? { conditions: ["browser"] } : {},
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.ts"],
    setupFiles: ["src/test/setup.ts"],
  },
}));
