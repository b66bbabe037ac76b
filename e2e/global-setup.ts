import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { hashSources } from "../console/source-hash.ts";
import { setup as setupCluster } from "../server/src/testing/global-setup.ts";
import { launchBrowser } from "./browser.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the browser is that all journeys share. */
    browser: string;
  }
}

const root = path.join(import.meta.dirname, "..");

/** A database, a browser and a built console, once for all journeys. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [stopCluster, browser] = await Promise.all([setupCluster(project), launchBrowser()]);
  await buildConsole();
  project.provide("browser", browser.address);
  return async () => {
    await browser.close();
    await stopCluster();
  };
}

async function buildConsole(): Promise<void> {
  const file = path.join(root, "console/dist/build.json");
  const built = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { sources: string }).sources : "";
  if (built === (await hashSources(root))) return;
  execFileSync(process.execPath, [path.join(root, "console/build.ts")], { stdio: "inherit" });
}
