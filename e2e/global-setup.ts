import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import chromium, { inflate } from "@sparticuz/chromium";
import type { TestProject } from "vitest/node";
import { hashSources } from "../console/source-hash.ts";
import { setup as setupCluster } from "../server/src/testing/global-setup.ts";

declare module "vitest" {
  interface ProvidedContext {
    browser: { executable: string; libraries: string };
  }
}

const root = path.join(import.meta.dirname, "..");

/** A database, a browser and a built console, once for all journeys. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [stopCluster, browser] = await Promise.all([setupCluster(project), unpackBrowser()]);
  await buildConsole();
  project.provide("browser", { executable: browser.executable, libraries: browser.libraries });
  return async () => {
    await stopCluster();
    await rm(browser.folder, { recursive: true, force: true });
  };
}

/** Unpacked into a folder of its own: the package takes whatever lies in the temporary folder for its own. */
async function unpackBrowser(): Promise<{ folder: string; executable: string; libraries: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), "hub-browser-"));
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  try {
    const executable = await chromium.executablePath();
    const packed = path.join(
      path.dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")),
      "../bin/al2023.tar.br",
    );
    const libraries = await inflate(packed);
    return { folder, executable, libraries: path.join(libraries, "lib") };
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}

async function buildConsole(): Promise<void> {
  const file = path.join(root, "console/dist/build.json");
  const built = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { sources: string }).sources : "";
  if (built === (await hashSources(root))) return;
  execFileSync(process.execPath, [path.join(root, "console/build.ts")], { stdio: "inherit" });
}
