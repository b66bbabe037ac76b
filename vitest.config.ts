import { defineConfig } from "vitest/config";
import SpreadLaunches from "./scripts/spread-launches.ts";

export default defineConfig({
  test: {
    // Files share their process and its modules: loading the hub anew for each costs more than most tests.
    isolate: false,
    setupFiles: ["server/src/testing/setup-file.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second, without it, is not much for a page on a busy machine.
    expect: { poll: { timeout: 15_000 } },
    // More than a small machine has cores: tests that launch whole hubs wait more than they work.
    maxWorkers: 4,
    sequence: { sequencer: SpreadLaunches },
    projects: [
      {
        extends: true,
        test: {
          name: "hub",
          include: [
            "server/src/**/*.test.ts",
            "sdk/src/**/*.test.ts",
            "console/**/*.test.ts",
            "scripts/**/*.test.ts",
            "bench/**/*.test.ts",
          ],
          globalSetup: ["server/src/testing/global-setup.ts"],
        },
      },
      {
        // A real browser against a real hub.
        extends: true,
        test: {
          name: "console",
          include: ["e2e/*.journey.ts"],
          globalSetup: ["e2e/global-setup.ts"],
        },
      },
      {
        // Work, runs and signals once more, on a PostgreSQL as others set it up.
        extends: true,
        test: {
          name: "stock",
          include: [
            "server/src/db/database.test.ts",
            "server/src/db/signals.test.ts",
            "server/src/queue/work.test.ts",
            "server/src/features/tasks/tasks.test.ts",
            "server/src/features/operations/run/runs.test.ts",
          ],
          globalSetup: ["server/src/testing/global-setup-stock.ts"],
        },
      },
    ],
    reporters: ["default", "./scripts/plain-summary-reporter.ts"],
  },
});
