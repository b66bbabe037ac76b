import type { SetLookup } from "../../../core/conditions.ts";
import { compileCondition } from "../../../core/conditions.ts";
import type { FieldError } from "../../../core/errors.ts";
import type { Path, PathStep } from "../../../core/data-path.ts";
import { memberOf } from "../../../core/data-path.ts";
import { startOf } from "./mapping-path.ts";
import type { Run } from "./mapping-run.ts";
import { mappingLimits, MappingFault, chargeBudget } from "./mapping-run.ts";
import { isEmpty } from "./mapping-values.ts";

export type Holds = (run: Run) => boolean;

/** A condition with the paths of mappings, which `pathOf` compiles or rejects with a reason. */
export function compileWhen(
  when: unknown,
  sets: SetLookup,
  pointer: string,
  pathOf: (text: string) => Path | string,
  timeZone: string,
): Holds | FieldError[] {
  const compiled = compileCondition<Run>(when, sets, pointer, {
    timeZone,
    reader(text) {
      const path = pathOf(text);
      if (typeof path === "string") return path;
      const start = startOf(path);
      return (run) => {
        const found: unknown[] = [];
        gather(run, start(run), path.steps, 0, 0, found);
        return found;
      };
    },
  });
  return Array.isArray(compiled) ? compiled : (run) => compiled(run, run.now());
}

/** Reads into all lists on the path, like all conditions, and charges the budget for each value found. */
function gather(run: Run, value: unknown, steps: PathStep[], at: number, depth: number, found: unknown[]): void {
  const step = steps[at];
  if (Array.isArray(value)) {
    if (step && "index" in step) return gather(run, value.at(step.index), steps, at + 1, depth, found);
    if (depth > mappingLimits.valueDepth) {
      throw new MappingFault("too_deep", "Lists in the data are nested too deep.", { isFinal: true });
    }
    chargeBudget(run, 2 * value.length);
    const next = step && "every" in step ? at + 1 : at;
    for (const element of value) gather(run, element, steps, next, depth + 1, found);
    return;
  }
  if (step) {
    if ("name" in step) gather(run, memberOf(value, step.name), steps, at + 1, depth, found);
    return;
  }
  if (isEmpty(value)) return;
  if (typeof value === "string") chargeBudget(run, 1 + (value.length >> 3));
  found.push(value);
}
