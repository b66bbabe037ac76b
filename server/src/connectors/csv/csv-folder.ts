import { appendFile, mkdir, readdir, realpath, rename, stat, writeFile, lstat } from "node:fs/promises";
import path from "node:path";
import type { Call } from "../connector.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { shortHash } from "../short-hash.ts";

/** Files contain personal data: only the OS user of the hub can read them. */
const ownFolder = { recursive: true, mode: 0o700 } as const;
const ownFile = { flush: true, mode: 0o600 } as const;

/** Resolves links: the real folder must be below the files folder. */
export async function openFolder(call: Call, name: string): Promise<string> {
  if (call.filesRoot === undefined) throw new RemoteError("files_disabled", "File access is disabled on this hub.");
  await mkdir(call.filesRoot, ownFolder).catch(() => missing("for files of the organization"));
  const root = await realpath(call.filesRoot);
  const folder = await realpath(path.join(root, name)).catch(() => missing(name));
  if (folder !== root && !folder.startsWith(root + path.sep)) {
    throw new RemoteError("outside_files_dir", `The folder ${name} is outside the files folder of the hub.`);
  }
  if (!(await stat(folder)).isDirectory()) return missing(name);
  return folder;
}

function missing(name: string): never {
  throw new RemoteError("folder_missing", `The folder ${name} does not exist.`);
}

/** `mark` identifies the content: a later file with the same name has another one. */
export type Found = { name: string; mark: string; at: number };

/** Oldest first, without symbolic links, which could lead outside the folder. */
export async function listFiles(folder: string): Promise<Found[]> {
  const names = (await readdir(folder)).filter((name) => /\.(csv|tsv|xlsx)$/i.test(name) && !name.startsWith("."));
  const found: Found[] = [];
  for (const name of names) {
    const info = await lstat(path.join(folder, name));
    if (info.isFile()) found.push({ name, at: info.mtimeMs, mark: `${info.mtimeMs}:${info.size}` });
  }
  return found.toSorted((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1));
}

/** Moves a file to a subfolder. An existing file is not overwritten. */
export async function archiveFile(folder: string, { name, mark }: Found, where: "processed" | "failed"): Promise<void> {
  const target = path.join(folder, where);
  await mkdir(target, ownFolder);
  const isThere = await exists(path.join(target, name));
  const { name: stem, ext } = path.parse(name);
  await rename(path.join(folder, name), path.join(target, isThere ? `${stem}-${shortHash(mark)}${ext}` : name));
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  );
}

/** Appends rejected rows to a file in the subfolder `rejected`. */
export async function addRejected(folder: string, { name, mark }: Found, csv: string): Promise<void> {
  const target = path.join(folder, "rejected");
  await mkdir(target, ownFolder);
  const file = path.join(target, `${path.parse(name).name}-${shortHash(mark)}.csv`);
  // The file already has the header.
  const rows = (await exists(file)) ? csv.slice(csv.indexOf("\r\n") + 2) : csv;
  await appendFile(file, rows, ownFile);
}

/** Atomic: readers never see a partial file. May be repeated. */
export async function writeTextFile(folder: string, name: string, text: string): Promise<void> {
  const target = path.join(folder, name);
  const draft = path.join(folder, `.${name}.tmp`);
  await writeFile(draft, text, ownFile);
  await rename(draft, target);
}
