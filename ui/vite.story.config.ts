import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

/** Builds the page of stories by itself, beside what is shipped and never into it. */
export default defineConfig({
  plugins: [svelte()],
  define: { "import.meta.env.VITE_FAKE": JSON.stringify("1") },
  build: {
    outDir: "node_modules/.story",
    emptyOutDir: true,
    chunkSizeWarningLimit: 4000,
    rollupOptions: { input: "story.html" },
  },
});
