import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");
const folders = ["console/src", "console/public", "sdk/src"];
const singles = ["console/index.html", "console/package.json", "console/vite.config.ts", "console/build.ts"];

/** Tells whether what was built is what the sources say now. */
export function hashSources(): string {
  const found = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll("\\", "/")),
  );
  const hash = createHash("sha256");
  for (const file of [...found, ...singles.filter((single) => existsSync(path.join(root, single)))].toSorted()) {
    hash.update(`${file}\0`).update(readFileSync(path.join(root, file))).update("\0");
  }
  return hash.digest("hex");
}
