import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";
import LongestFirst from "./scripts/longest-first.ts";

/**
 * `npm run test:slow`: tests that kill or besiege hubs, start them in many ways, check random sequences, repeat the same faults
 * with each carrier, or walk through pages that fewer people use every day. `npm test` leaves them out; `.ci/run` runs both.
 */
const slowTests = [
  "cli/src/cli.test.ts",
  "cli/src/command-package.test.ts",
  "cli/src/remote-work.test.ts",
  "plugin/src/foreign-plugins.test.ts",
  "sdk/src/foreign-clients.test.ts",
  "sdk/src/package.test.ts",
  "server/src/carriers/**/*-hub-faults.test.ts",
  "server/src/connectors/rest/definitions/vendure-live.test.ts",
  "server/src/features/automations/automation-demo-days.test.ts",
  "server/src/features/events/event-stream.test.ts",
  "server/src/features/events/feed-kills.test.ts",
  "server/src/features/labels/label-crash.test.ts",
  "server/src/features/operations/bulk-story.test.ts",
  "server/src/features/operations/crash.test.ts",
  "server/src/features/operations/preflight-offload.test.ts",
  "server/src/features/operations/selection-model.test.ts",
  "server/src/features/orders/import/shop-story.test.ts",
  "server/src/features/rate-comparisons/comparison-resume.test.ts",
  "server/src/features/rate-comparisons/item-lists.test.ts",
  "server/src/features/schedules/schedule-crash.test.ts",
  "server/src/features/tasks/attempt/concurrent-effects.test.ts",
  "server/src/features/tasks/attempt/effects-at-most-once.test.ts",
  "server/src/features/tasks/engine/recovery.test.ts",
  "server/src/features/tasks/engine/task-crash.test.ts",
  "server/src/features/tasks/states.test.ts",
  "server/src/http/hostile-input.test.ts",
  "server/src/http/siege.test.ts",
  "server/src/main/backup-commands.test.ts",
  "server/src/main/commands.test.ts",
  "server/src/main/document-blocks.test.ts",
  "server/src/main/http-processes.test.ts",
  "server/src/main/secret-keys.test.ts",
  "server/src/main/shutdown.test.ts",
  "server/src/main/start-as-root.test.ts",
  "server/src/main/start-embedded.test.ts",
  "server/src/main/start-external.test.ts",
  "server/src/main/start.test.ts",
  "server/src/main/supervise.test.ts",
  "server/src/main/upgrade.test.ts",
  "server/src/main/worker-process.test.ts",
  "server/src/main/worker-watchdog.test.ts",
];
const slowJourneys = [
  "admin",
  "automations",
  "bulk",
  "carriers",
  "connect",
  "connect-carrier",
  "every-page",
  "exceptions",
  "invoice-findings",
  "invoices",
  "mapping",
  "on-time",
  "people",
  "pickups",
  "plugins",
  "rate-targets",
  "rates",
  "resilience",
  "restart",
  "runs",
  "schedules",
  "shell",
  "shipments",
  "tasks",
  "webhooks",
].map((name) => `e2e/${name}.journey.ts`);

const onCluster = { globalSetup: ["server/src/testing/global-setup.ts"] };
const inBrowser = { globalSetup: ["e2e/global-setup.ts"] };

// The sources of the SDK, without building it first.
const conditions = ["hub-source", ...defaultServerConditions];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Files share their process and its modules: loading the hub anew for each costs more than most tests.
    isolate: false,
    setupFiles: ["server/src/testing/setup-file.ts"],
    // Only to end what hangs: where other work keeps the cores busy, each test takes five times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A second, without it, is not much for a page on a busy machine. Only a failure waits as long.
    expect: { poll: { timeout: 40_000 } },
    // More than a small machine has cores: tests that launch whole hubs wait more than they work.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          ...onCluster,
          name: "hub",
          include: [
            "server/src/**/*.test.ts",
            "sdk/src/**/*.test.ts",
            "cli/src/**/*.test.ts",
            "plugin/src/**/*.test.ts",
            "console/**/*.test.ts",
            "scripts/**/*.test.ts",
            "bench/**/*.test.ts",
          ],
          exclude: ["**/node_modules/**", ...slowTests],
        },
      },
      // A real browser against a real hub.
      { extends: true, test: { ...inBrowser, name: "console", include: ["e2e/*.journey.ts"], exclude: slowJourneys } },
      { extends: true, test: { ...onCluster, name: "slow-hub", include: slowTests } },
      { extends: true, test: { ...inBrowser, name: "slow-console", include: slowJourneys } },
      {
        // Work, runs and signals once more, on a PostgreSQL with the settings of a stock installation.
        extends: true,
        test: {
          name: "slow-stock",
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
