import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where the hub is that the pages of `npm run dev -w console` talk to. */
const hub = process.env["HUB_URL"] ?? "http://127.0.0.1:8080";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind()],
  // The hub writes the nonce of each answer in its place.
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
  },
  server: { host: "127.0.0.1", proxy: { "/api": hub, "/v1": hub } },
  logLevel: "warn",
});
