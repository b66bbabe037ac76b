import { copyFileSync } from "node:fs";
import path from "node:path";
import { build } from "vite";

/** Bundles the command into dist/main.js, which needs nothing but Node. `npm pack` runs it. */
const folder = import.meta.dirname;

await build({
  root: folder,
  configFile: false,
  logLevel: "warn",
  ssr: { noExternal: true },
  build: {
    ssr: "src/main.ts",
    outDir: "dist",
    target: "node20",
    minify: false,
    // The commands of the machine are those of the repository; the package refuses them before it would load this.
    rollupOptions: { external: [/server\/src\/main\/hub\.ts$/] },
  },
});
copyFileSync(path.join(folder, "../LICENSE"), path.join(folder, "dist/LICENSE"));
