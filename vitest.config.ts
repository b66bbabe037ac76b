import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["server/src/**/*.test.ts", "scripts/**/*.test.ts", "bench/**/*.test.ts"],
    globalSetup: ["server/src/testing/global-setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One more than the cores of a small machine: tests that launch whole hubs wait more than they work.
    maxWorkers: 3,
    reporters: ["default", "./scripts/plain-summary-reporter.ts"],
  },
});
