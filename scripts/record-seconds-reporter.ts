import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Reporter, TestModule } from "vitest/node";

const file = path.join(import.meta.dirname, "test-seconds.json");
const root = path.join(import.meta.dirname, "..");

/** Writes how long each test file took to test-seconds.json, by which longest-first.ts orders the files. */
class RecordSecondsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const seconds = JSON.parse(readFileSync(file, "utf8")) as Record<string, number>;
    for (const module of modules) {
      const name = path.relative(root, module.moduleId).replaceAll("\\", "/");
      seconds[name] = Math.round(module.diagnostic().duration / 1000);
    }
    const sorted = Object.entries(seconds).toSorted(([one], [other]) => one.localeCompare(other));
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  }
}

// oxlint-disable-next-line import/no-default-export -- the runner loads reporters by their default export
export default RecordSecondsReporter;
