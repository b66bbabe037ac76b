import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { findPackageJSON } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

/** A package that has to be loaded. */
export type PluginPackage = { name: string; version: string; folder: string; entry: string };

/** Why an entry of HUB_PLUGINS cannot be found, in a sentence. */
export class PluginProblem extends Error {}

/** Packages are looked up in the working directory, then beside the hub. */
const lookupFolders = (): string[] => [process.cwd(), path.join(import.meta.dirname, "../../../..")];

/** The packages of one entry: a path (with a slash, or beginning with a dot) or the name of an npm package. */
export function findPlugins(entry: string): PluginPackage[] {
  const isPath = entry.startsWith(".") || path.isAbsolute(entry);
  return isPath ? packagesIn(path.resolve(entry)) : [readPackage(findPackage(entry))];
}

function findPackage(name: string): string {
  for (const folder of lookupFolders()) {
    try {
      const file = findPackageJSON(name, pathToFileURL(path.join(folder, "noop.js")));
      if (file !== undefined) return path.dirname(file);
    } catch {
      // Not installed there.
    }
  }
  const hint = `Install it with npm in ${lookupFolders()[0]}, or give the path of its folder.`;
  throw new PluginProblem(`the package ${name} is not installed. ${hint}`);
}

/** The folder itself if it is a package, else the packages in it, by name. */
function packagesIn(folder: string): PluginPackage[] {
  if (!existsSync(folder)) throw new PluginProblem(`the folder ${folder} does not exist.`);
  if (existsSync(path.join(folder, "package.json"))) return [readPackage(folder)];
  const packages = readdirSync(folder)
    .toSorted()
    .map((name) => path.join(folder, name))
    .filter((inner) => existsSync(path.join(inner, "package.json")));
  if (packages.length === 0) {
    throw new PluginProblem(`${folder} has neither a package.json nor folders that have one.`);
  }
  return packages.map(readPackage);
}

type Manifest = { name?: unknown; version?: unknown; main?: unknown; exports?: unknown };

function readPackage(given: string): PluginPackage {
  // Node imports modules by their real paths.
  const folder = realpathSync(given);
  const file = path.join(folder, "package.json");
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  } catch (error) {
    throw new PluginProblem(`${file} cannot be read: ${(error as Error).message}`);
  }
  const { name, version } = manifest;
  if (typeof name !== "string" || typeof version !== "string") {
    throw new PluginProblem(`${file} needs a name and a version.`);
  }
  const relative = entryOf(manifest);
  if (relative === undefined) throw new PluginProblem(`${file} names no module: set "exports" to it.`);
  const entry = path.join(folder, relative);
  if (!existsSync(entry)) {
    throw new PluginProblem(`${name} has no ${relative}, which its package.json names. Has it been built?`);
  }
  return { name, version, folder, entry };
}

/** The module of the package: `exports`, its ".", the condition import or default of that, or `main`. */
function entryOf({ exports, main }: Manifest): string | undefined {
  const root = memberOf(exports, ".") ?? exports;
  const found = [root, memberOf(root, "import"), memberOf(root, "default"), main];
  return found.find((candidate) => typeof candidate === "string");
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
