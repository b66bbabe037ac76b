import { execFileSync } from "node:child_process";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { setup as setupCluster } from "../server/src/testing/global-setup.ts";
import { launchBrowser } from "./browser.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the browser that all journeys share. */
    browser: string;
  }
}

/** A database, a browser and a built console, once for all journeys. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [stopCluster, browser] = await Promise.all([setupCluster(project), launchBrowser()]);
  execFileSync(process.execPath, [path.join(import.meta.dirname, "../console/build.ts"), "--if-stale"], {
    stdio: "inherit",
  });
  project.provide("browser", browser.address);
  return async () => {
    await browser.close();
    await stopCluster();
  };
}
