import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { checkBudgets } from "./budgets.ts";
import { hashSources } from "./source-hash.ts";

/**
 * Builds the console into dist.new and replaces dist with it. Beside the files it writes build.json, with a hash of the
 * sources, and files.json, the list of what the hub may serve. With `--if-stale` it does nothing while the hash still matches.
 */
type Listed = { type: string; size: number; br?: number; gz?: number; immutable?: boolean };

const folder = import.meta.dirname;
const fresh = path.join(folder, "dist.new");
const dist = path.join(folder, "dist");

const types: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
/** Fonts are already compressed. */
const isText = (type: string): boolean => !type.startsWith("font/");

function listFile(name: string): Listed {
  const file = path.join(fresh, name);
  const type = types[path.extname(name)];
  if (type === undefined) throw new Error(`The build has written ${name}: add its type to console/build.ts.`);
  const content = readFileSync(file);
  const listed: Listed = { type, size: content.length, immutable: name.startsWith("/assets/") };
  if (!isText(type) || name === "/index.html") return listed;
  const br = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
  const gz = gzipSync(content, { level: 9 });
  writeFileSync(`${file}.br`, br);
  writeFileSync(`${file}.gz`, gz);
  return { ...listed, br: br.length, gz: gz.length };
}

function builtSources(): string | undefined {
  const file = path.join(dist, "build.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { sources?: string }).sources : undefined;
}

const sources = await hashSources(path.join(folder, ".."));
const onlyIfStale = process.argv.includes("--if-stale");
if (onlyIfStale && builtSources() === sources) process.exit(0);
// Under the NODE_ENV of a test, React would be three times the size.
process.env["NODE_ENV"] = "production";
const { build } = await import("vite");
const startedAt = performance.now();
await build({ configFile: path.join(folder, "vite.config.ts") });
const names = (readdirSync(fresh, { recursive: true }) as string[])
  .filter((name) => statSync(path.join(fresh, name)).isFile() && !name.startsWith("."))
  .map((name) => `/${name.replaceAll(path.sep, "/")}`)
  .toSorted();
const files = Object.fromEntries(names.map((name) => [name, listFile(name)]));
writeFileSync(path.join(fresh, "files.json"), JSON.stringify(files, null, 1));
const sizes = checkBudgets(files, JSON.parse(readFileSync(path.join(fresh, ".vite/manifest.json"), "utf8")));
if (!onlyIfStale) console.log(sizes.join("\n"));
rmSync(path.join(fresh, ".vite"), { recursive: true });
writeFileSync(path.join(fresh, "build.json"), JSON.stringify({ sources, builtAt: new Date().toISOString() }));
rmSync(dist, { recursive: true, force: true });
renameSync(fresh, dist);
console.log(`The console is built, in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
