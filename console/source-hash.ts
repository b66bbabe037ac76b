import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** What the console is built from, as seen from the root of the repository. */
const folders = ["console/src", "sdk/src"];
const files = ["console/index.html", "console/package.json", "console/vite.config.ts", "console/build.ts"];

/** One number for all sources: while it is the one in dist/build.json, there is nothing to build. */
export async function hashSources(root: string): Promise<string> {
  const nested = await Promise.all(folders.map((folder) => filesIn(root, folder)));
  const hash = createHash("sha256");
  for (const file of [...nested.flat(), ...files].toSorted()) {
    const content = await readFile(path.join(root, file)).catch(absent);
    if (content === undefined) continue;
    // With its length, so that no text can be moved from one file into the next unnoticed.
    hash.update(`${file}\n${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

async function filesIn(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(path.join(root, folder), { recursive: true, withFileTypes: true }).catch(absent);
  return (entries ?? [])
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, "/"));
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
