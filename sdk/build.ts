import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Builds the package into dist: ES modules and their declarations. `npm pack` runs it. */
const folder = import.meta.dirname;
const root = path.join(folder, "..");
const dist = path.join(folder, "dist");

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [path.join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
  cwd: folder,
  stdio: "inherit",
});
// The compiler rewrites import paths in modules only; TypeScript of users rejects those with .ts.
for (const name of readdirSync(dist).filter((file) => file.endsWith(".d.ts"))) {
  const file = path.join(dist, name);
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(/(from|import\()(\s*"\.\/[\w-]+)\.ts"/g, '$1$2.js"'));
}
copyFileSync(path.join(root, "LICENSE"), path.join(dist, "LICENSE"));
