import { readFileSync } from "node:fs";
import path from "node:path";
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

const root = path.join(import.meta.dirname, "..");
const recorded = JSON.parse(readFileSync(path.join(import.meta.dirname, "test-seconds.json"), "utf8")) as Record<
  string,
  number
>;

/**
 * Runs one project after the other, since a worker restarts between projects and loads all modules again. Within a project the
 * longest files start first: one that starts last would run alone while the other workers are idle. Durations are recorded in
 * test-seconds.json (`npm run test:all -- --reporter=./scripts/record-seconds-reporter.ts`); a file that is not in it starts first.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = [...Map.groupBy(files, ({ project }) => project).values()];
    const secondsOf = ({ moduleId }: TestSpecification): number =>
      recorded[path.relative(root, moduleId).replaceAll("\\", "/")] ?? Number.POSITIVE_INFINITY;
    const byLength = (one: TestSpecification, other: TestSpecification): number => {
      const [first, second] = [secondsOf(one), secondsOf(other)];
      return first === second ? one.moduleId.localeCompare(other.moduleId) : second - first;
    };
    return projects
      .toSorted((one, other) => one.length - other.length)
      .flatMap((someFiles) => someFiles.toSorted(byLength));
  }
}

// oxlint-disable-next-line import/no-default-export -- the runner takes one class
export default LongestFirst;
