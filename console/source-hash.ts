import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** Sources of the build, relative to the root of the repository. */
const folders = ["console/src", "sdk/src"];
const files = ["console/index.html", "console/package.json", "console/vite.config.ts", "console/build.ts"];

/** A hash of all sources. The build is fresh while dist/build.json has the same. */
export async function hashSources(root: string): Promise<string> {
  const nested = await Promise.all(folders.map((folder) => filesIn(root, folder)));
  const hash = createHash("sha256");
  for (const file of [...nested.flat(), ...files].toSorted()) {
    const content = await readFile(path.join(root, file)).catch(absent);
    if (content === undefined) continue;
    // With the length, so that moving text from one file into the next changes the hash.
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
