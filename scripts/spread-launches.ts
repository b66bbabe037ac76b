import { readFileSync } from "node:fs";
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

const othersBetween = 5;

/**
 * One project after the other, those with few files first: a worker that has the next file of another project is ended, and all
 * that it had loaded with it.
 *
 * Within a project, tests that launch processes or browsers take longest and mostly wait. Begun last, they would run on alone; begun together, they
 * would leave the processors idle. So they are spread over the first part of the run. They are known by what they
 * import, since a new checkout has no durations on record.
 */
class SpreadLaunches extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = [...Map.groupBy(files, ({ project }) => project).values()];
    const sorted = projects.toSorted((one, other) => one.length - other.length).map((some) => this.spread(some));
    return (await Promise.all(sorted)).flat();
  }

  private async spread(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { launching = [], others = [] } = Object.groupBy(await this.byDefault(files), ({ moduleId }) =>
      /hub-process|console-hub|\/chaos\//.test(readFileSync(moduleId, "utf8")) ? "launching" : "others",
    );
    const spread = launching.flatMap((file, index) => [
      file,
      ...others.slice(index * othersBetween, (index + 1) * othersBetween),
    ]);
    return [...spread, ...others.slice(launching.length * othersBetween)];
  }

  private async byDefault(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not an array's
    return await super.sort(files);
  }
}

// oxlint-disable-next-line import/no-default-export -- the runner takes one class
export default SpreadLaunches;
