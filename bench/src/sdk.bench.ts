import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import type { Bench, Figure } from "./bench.ts";
import { timeInterleaved } from "./interleaved.ts";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../..");
const rounds = { rounds: 15, warmUps: 3 };
const env = { PATH: process.env["PATH"] };

export const sdkBench: Bench = {
  name: "sdk",
  bar: "the packed SDK in a browser <= 12 KB, its webhooks <= 2 KB, both gzipped; import time over a bare node",
  run: () => withPacked("sdk", measure),
};

/** Packs a package of the repository and installs it into a project outside of it, without the network. */
export async function withPacked<Result>(name: string, work: (project: string) => Promise<Result>): Promise<Result> {
  const project = await mkdtemp(path.join(tmpdir(), `bench-${name}-`));
  try {
    await run("npm", ["pack", "--pack-destination", project], { cwd: path.join(root, name) });
    const tarball = (await readdir(project)).find((file) => file.endsWith(".tgz"))!;
    await writeFile(path.join(project, "package.json"), JSON.stringify({ name: "bench", private: true }));
    const options = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts"];
    await run("npm", ["install", ...options, `./${tarball}`], { cwd: project });
    return await work(project);
  } finally {
    await rm(project, { recursive: true, force: true });
  }
}

async function measure(project: string): Promise<Figure[]> {
  const sizes = [
    ["the client", `export { Hub } from "@order-operations-hub/sdk";`, 12],
    ["webhooks alone", `export { verifyWebhook } from "@order-operations-hub/sdk/webhooks";`, 2],
  ] as const;
  const figures: Figure[] = [];
  for (const [what, code, atMost] of sizes) {
    const ours = (await bundledBytes(project, code)) / 1000;
    figures.push({ what: `${what}, bundled and gzipped`, unit: "KB", ours, limit: { on: "ours", atMost } });
  }
  const importing = path.join(project, "import.mjs");
  const empty = path.join(project, "empty.mjs");
  await writeFile(importing, `import "@order-operations-hub/sdk";`);
  await writeFile(empty, "");
  const node = (file: string) => () => run(process.execPath, [file], { env });
  const { ours, floor } = await timeInterleaved(node(importing), node(empty), rounds);
  return [...figures, { what: "import, over a bare node", unit: "ms", ours: ours - floor }];
}

async function bundledBytes(project: string, code: string): Promise<number> {
  const entry = path.join(project, "browser.js");
  await writeFile(entry, code);
  const built = await build({
    root: project,
    configFile: false,
    logLevel: "silent",
    build: { write: false, lib: { entry, formats: ["es"] } },
  });
  const [bundle] = [built].flat() as { output: { code: string }[] }[];
  return gzipSync(bundle!.output.map((chunk) => chunk.code).join("")).length;
}
