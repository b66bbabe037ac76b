import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["server/src/**/*.test.ts", "scripts/**/*.test.ts", "bench/**/*.test.ts"],
    globalSetup: ["server/src/testing/global-setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Start-up tests launch whole hubs; more files at once than cores only makes them wait for each other.
    maxWorkers: 2,
    reporters: ["default", "./scripts/plain-summary-reporter.ts"],
  },
});
