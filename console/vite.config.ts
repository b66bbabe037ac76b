import path from "node:path";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

type Modules = { getModuleInfo(id: string): { importedIds: string[] } | null };
const closures = new Map<string, Set<string>>();

/** A module and its transitive static imports. */
function closureOf(file: string, modules: Modules): Set<string> {
  let found = closures.get(file);
  if (!found) {
    closures.set(file, (found = new Set([path.join(import.meta.dirname, file)])));
    for (const id of found) for (const next of modules.getModuleInfo(id)?.importedIds ?? []) found.add(next);
  }
  return found;
}

/**
 * Two chunks: the shell, and what the order list needs in addition. Default splitting by shared use gives about twenty, which
 * compress 7 KB worse and grow with every page.
 */
function nameFirstLoad(id: string, modules: Modules): string | null {
  if (id.endsWith("/src/main.tsx") || id.includes("/features/orders/")) return null;
  if (closureOf("src/main.tsx", modules).has(id)) return "frame";
  return closureOf("src/features/orders/orders.page.tsx", modules).has(id) ? "parts" : null;
}

/** The hub that `npm run dev -w console` proxies to. */
const hub = process.env["HUB_URL"] ?? "http://127.0.0.1:8080";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind()],
  // The sources of the SDK, without building it first.
  resolve: { conditions: ["hub-source", ...defaultClientConditions] },
  // The hub replaces it with the nonce of each response.
  html: { cspNonce: "__NONCE__" },
  build: {
    outDir: "dist.new",
    emptyOutDir: true,
    manifest: true,
    target: "baseline-widely-available",
    assetsInlineLimit: 0,
    sourcemap: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: nameFirstLoad, debugName: "first load" }] } } },
  },
  server: { host: "127.0.0.1", proxy: { "/api": hub, "/v1": hub } },
  logLevel: "warn",
});
