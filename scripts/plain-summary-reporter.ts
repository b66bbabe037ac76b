import type { Reporter, TestModule } from "vitest/node";

/** Ends the run with one plain line that any script can read: "N passed, N failed". */
class PlainSummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    for (const module of modules) {
      if (module.state() === "failed" && [...module.children.allTests()].length === 0) failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") passed++;
        if (state === "failed") failed++;
      }
    }
    console.log(`${passed} passed, ${failed} failed`);
  }
}

// oxlint-disable-next-line import/no-default-export -- the runner loads reporters by their default export
export default PlainSummaryReporter;
