import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "vite";

/**
 * Builds the package into dist: modules that hold all that they need of the hub, and declarations. `npm pack` runs it.
 */
const folder = import.meta.dirname;
const root = path.join(folder, "..");
const dist = path.join(folder, "dist");
const types = path.join(dist, "types");

rmSync(dist, { recursive: true, force: true });

await build({
  root: folder,
  configFile: false,
  logLevel: "warn",
  resolve: { conditions: ["node", "import", "module", "default"] },
  ssr: { noExternal: true, target: "node" },
  plugins: [{ name: "bundle-ajv", transform: bundleAjv }],
  build: {
    ssr: true,
    outDir: dist,
    target: "node24",
    minify: false,
    rolldownOptions: {
      input: { plugin: path.join(folder, "src/plugin.ts"), testing: path.join(folder, "src/testing.ts") },
      output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
    },
  },
});

/** The hub loads Ajv with `require` when it is first needed, which a bundler leaves alone: the package would not find it. */
function bundleAjv(code: string, id: string): string | undefined {
  if (!id.endsWith("server/src/core/validation.ts")) return undefined;
  const bundled = code
    .replace(/^const require = createRequire\(import\.meta\.url\);$/m, "")
    .replace(/require\("ajv"\)/, "bundledAjv")
    .replace(/require\("ajv-formats"\)/, "({ default: bundledFormats.default ?? bundledFormats })");
  if (bundled.includes("require(")) throw new Error("validation.ts loads Ajv in another way than build.ts expects");
  return `import * as bundledAjv from "ajv";\nimport bundledFormats from "ajv-formats";\n${bundled}`;
}

execFileSync(process.execPath, [path.join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
  cwd: folder,
  stdio: "inherit",
});

const importPath = /(from|import\()(\s*")(\.{1,2}\/[^"]+)\.ts"/g;

/** Declarations that the public ones need; those of the rest of the hub are removed. */
function reachable(entries: string[]): Set<string> {
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (found.has(file) || !existsSync(file)) return;
    found.add(file);
    for (const [, , , target] of readFileSync(file, "utf8").matchAll(importPath))
      visit(path.join(path.dirname(file), `${target}.d.ts`));
  };
  for (const entry of entries) visit(entry);
  return found;
}

const entries = ["plugin", "testing"].map((name) => path.join(types, `plugin/src/${name}.d.ts`));
const kept = reachable(entries);
for (const name of readdirSync(types, { recursive: true }) as string[]) {
  const file = path.join(types, name);
  if (!file.endsWith(".d.ts")) continue;
  // TypeScript of users rejects paths with .ts.
  if (kept.has(file)) writeFileSync(file, readFileSync(file, "utf8").replaceAll(importPath, '$1$2$3.js"'));
  else rmSync(file);
}
copyFileSync(path.join(root, "LICENSE"), path.join(dist, "LICENSE"));
