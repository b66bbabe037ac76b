import { readFile, stat } from "node:fs/promises";
import path from "node:path";

/** A file of the console, as its build has written it down. */
export type ConsoleFile = {
  /** Where it lies; made from the list of the build, never from a request. */
  path: string;
  type: string;
  isImmutable: boolean;
  /** The same bytes, smaller, beside it. */
  encodings: ReadonlySet<"br" | "gzip">;
};

/** What a build has left: its files by the paths they are asked for under, and the page with places for a nonce. */
export type BuiltConsole = { files: ReadonlyMap<string, ConsoleFile>; page: string };

type ListedFile = { type: string; size: number; br?: number; gz?: number; immutable?: boolean };

const pagePath = "/index.html";
const listedPath = /^(?:\/[\w@-][\w.@-]*)+$/;

/** Reads it again whenever there was another build, by whomever. */
export function readConsoleFrom(folder: string): () => Promise<BuiltConsole | undefined> {
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
  // It is never sent as it is.
  files.delete(pagePath);
  return { files, page: await readFile(path.join(folder, pagePath), "utf8") };
}
