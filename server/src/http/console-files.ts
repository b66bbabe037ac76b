import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Logger } from "pino";

/** A file of the console, as listed by its build. */
export type ConsoleFile = {
  /** Path on disk, taken from the build's list and never from a request. */
  path: string;
  type: string;
  isImmutable: boolean;
  /** Compressed copies that lie beside the file. */
  encodings: ReadonlySet<"br" | "gzip">;
};

/** The result of a build: files by URL path, and the HTML page with placeholders for the nonce. */
export type BuiltConsole = { files: ReadonlyMap<string, ConsoleFile>; page: string };

/** Reads the console as it is built now; undefined while it is not built. */
export type ReadConsole = () => Promise<BuiltConsole | undefined>;

type ListedFile = { type: string; size: number; br?: number; gz?: number; immutable?: boolean };

const pagePath = "/index.html";
const listedPath = /^(?:\/[\w@-][\w.@-]*)+$/;

type FindOptions = {
  /** Root of the repository. */
  root: string;
  log: Pick<Logger, "warn">;
};

/** Undefined when this checkout has no console. The hub only serves it: `npm ci` builds it. */
export function findConsole({ root, log }: FindOptions): ReadConsole | undefined {
  const folder = path.join(root, "console");
  const dist = path.join(folder, "dist");
  const isBuilt = existsSync(path.join(dist, "build.json"));
  const hasSources = existsSync(path.join(folder, "build.ts"));
  if (!isBuilt && !hasSources) return undefined;
  if (!isBuilt) log.warn('the console is not built; run "npm run build"');
  const read = readConsoleFrom(dist);
  return () =>
    read().catch((error: unknown) => {
      log.warn({ err: error }, "the console cannot be read");
      return undefined;
    });
}

/** Warns when the sources have changed since the build, for example after an upgrade with `npm ci --ignore-scripts`. */
export async function warnOfStaleConsole({ root, log }: FindOptions): Promise<void> {
  const folder = path.join(root, "console");
  const builtFrom = await readFile(path.join(folder, "dist/build.json"), "utf8").catch(() => undefined);
  if (builtFrom === undefined || !existsSync(path.join(folder, "build.ts"))) return;
  try {
    const { hashSources } = (await import(pathToFileURL(path.join(folder, "source-hash.ts")).href)) as {
      hashSources(from: string): Promise<string>;
    };
    const { sources } = JSON.parse(builtFrom) as { sources?: string };
    if (sources === (await hashSources(root))) return;
    log.warn('the console was built from other sources than these; run "npm run build"');
  } catch (error) {
    log.warn({ err: error }, "cannot tell whether the console is up to date");
  }
}

/** Rereads the files after each build, so that a build needs no restart. */
export function readConsoleFrom(folder: string): ReadConsole {
  let known: { stamp: string; built: BuiltConsole } | undefined;
  return async () => {
    const stamp = await stampOf(path.join(folder, "build.json"));
    if (stamp === undefined) return (known = undefined);
    if (known?.stamp !== stamp) known = { stamp, built: await readConsole(folder) };
    return known.built;
  };
}

async function stampOf(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found && `${found.ino} ${found.mtimeMs} ${found.size}`;
}

async function readConsole(folder: string): Promise<BuiltConsole> {
  const listed = JSON.parse(await readFile(path.join(folder, "files.json"), "utf8")) as Record<string, ListedFile>;
  const files = new Map<string, ConsoleFile>();
  for (const [name, { type, br, gz, immutable }] of Object.entries(listed)) {
    if (!listedPath.test(name)) throw new Error(`files.json of the console names ${JSON.stringify(name)}`);
    const encodings = new Set<"br" | "gzip">();
    if (br !== undefined) encodings.add("br");
    if (gz !== undefined) encodings.add("gzip");
    files.set(name, { path: path.join(folder, name), type, isImmutable: immutable === true, encodings });
  }
  // Served with a nonce, never as a plain file.
  files.delete(pagePath);
  return { files, page: await readFile(path.join(folder, pagePath), "utf8") };
}
