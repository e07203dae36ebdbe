import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

const domains = ["inbox", "conversation", "plan", "question", "history", "quick", "settings", "firstrun"];

// Only lib/ipc talks to the process behind the window; everything else goes through its typed call.
const onlyIpc = {
  group: ["@tauri-apps/api", "@tauri-apps/api/*"],
  message: "Use lib/ipc: it is the only place that talks to the process behind the window.",
};

export default ts.config(
  { ignores: ["dist/", "node_modules/", "src/lib/ipc/bindings.ts"] },
  js.configs.recommended,
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: [".svelte"], svelteConfig } },
  },
  {
    rules: {
      "no-undef": "off",
      // A Map that lives for one calculation needs no reactivity; what is state uses SvelteMap.
      "svelte/prefer-svelte-reactivity": "off",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-restricted-imports": ["error", { patterns: [onlyIpc] }],
      "no-restricted-syntax": [
        "error",
        { selector: "MemberExpression[property.name='innerHTML']", message: "Nothing from outside becomes HTML." },
      ],
    },
  },
  {
    files: ["**/*.svelte"],
    rules: {
      "svelte/no-at-html-tags": "error",
      "svelte/no-inline-styles": ["error", { allowTransitions: false }],
    },
  },
  { files: ["src/lib/ipc/**"], rules: { "@typescript-eslint/no-restricted-imports": "off" } },
  // A domain knows itself and shared/; views/ puts them together.
  ...domains.map((domain) => ({
    files: [`src/${domain}/**`],
    rules: {
      "@typescript-eslint/no-restricted-imports": [
        "error",
        {
          patterns: [
            onlyIpc,
            {
              group: [...domains.filter((other) => other !== domain), "views"].map((other) => `../${other}/*`),
              message: "A domain knows itself and shared/; views/ puts domains together.",
            },
          ],
        },
      ],
    },
  })),
  {
    files: ["src/shared/**"],
    rules: {
      "@typescript-eslint/no-restricted-imports": [
        "error",
        {
          patterns: [
            onlyIpc,
            { group: [...domains, "views"].map((other) => `../${other}/*`), message: "shared/ knows no domain." },
          ],
        },
      ],
    },
  },
);
