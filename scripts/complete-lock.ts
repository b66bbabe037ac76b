import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * npm 11.19 refuses a lock file that leaves out an optional package, and leaves out those that the registry in use does
 * not carry (mirrors often lack the builds of other platforms). This adds them, so that `npm ci` works everywhere, with their
 * checksum where the registry knows it.
 */
type Entry = {
  version?: string;
  integrity?: string;
  link?: boolean;
  optionalDependencies?: Record<string, string>;
  [more: string]: unknown;
};

const file = path.join(import.meta.dirname, "../package-lock.json");
const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, Entry> };

function platformOf(name: string): Record<string, string[]> {
  const words = name.split(/[/-]/);
  const pick = (known: string[]): string | undefined => words.find((word) => known.includes(word));
  const os = pick(["android", "darwin", "freebsd", "linux", "openharmony", "win32"]);
  const cpu = pick(["arm64", "arm", "x64", "ia32", "ppc64", "riscv64", "s390x", "wasm32"]);
  const libc = words.some((word) => word.startsWith("musl"))
    ? "musl"
    : words.some((word) => word.startsWith("gnu"))
      ? "glibc"
      : undefined;
  return { ...(cpu ? { cpu: [cpu] } : {}), ...(os ? { os: [os] } : {}), ...(libc ? { libc: [libc] } : {}) };
}

function integrityOf(name: string, version: string): string | undefined {
  const { stdout } = spawnSync("npm", ["view", `${name}@${version}`, "dist.integrity"], { encoding: "utf8" });
  return stdout.trim() || undefined;
}

let added = 0;
for (const [owner, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    if (lock.packages[place] || lock.packages[`${owner}/${place}`]) continue;
    lock.packages[place] = { version, dev: true, optional: true, ...platformOf(name) };
    added++;
  }
}
let checked = 0;
for (const [place, entry] of Object.entries(lock.packages)) {
  const [, name] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place) ?? [];
  if (name === undefined || entry.version === undefined || entry.link || entry.integrity) continue;
  const integrity = integrityOf(name, entry.version);
  if (integrity === undefined) continue;
  entry.integrity = integrity;
  checked++;
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} packages added, ${checked} checksums`);
