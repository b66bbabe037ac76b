import { chargeBudget, MappingFault } from "./mapping-run.ts";
import type { Run } from "./mapping-run.ts";
import type { TransformDefinition } from "./transform.ts";

const maxDepth = 64;

/**
 * A transform of a plug-in: what it throws is a problem of the value, reported as those of the hub's transforms are, and only JSON may
 * follow from it.
 */
export function guardTransform(definition: TransformDefinition): TransformDefinition {
  const { name } = definition;
  return {
    ...definition,
    compile(params, env) {
      const { apply, applyToText, weight, takesMissing } = definition.compile(params, env);
      return {
        apply: guarded(name, apply),
        applyToText: applyToText && guarded(name, applyToText),
        weight,
        takesMissing,
      };
    },
  };
}

function guarded<Value>(name: string, apply: (value: Value, run: Run) => unknown) {
  return (value: Value, run: Run): unknown => {
    let result: unknown;
    try {
      result = apply(value, run);
    } catch (error) {
      if (error instanceof MappingFault) throw error;
      throw new MappingFault("transform_failed", `${name}: ${error instanceof Error ? error.message : "it failed"}`);
    }
    // Its rejection would otherwise end the process.
    if (result instanceof Promise) result.catch(() => {});
    checkJson(name, result, run, maxDepth);
    return result;
  };
}

function checkJson(name: string, value: unknown, run: Run, depth: number): void {
  if (value === null || value === undefined || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number" && Number.isFinite(value)) return;
  const isList = Array.isArray(value);
  if (depth > 0 && (isList || isPlainObject(value))) {
    const members: unknown[] = isList ? value : Object.values(value);
    chargeBudget(run, 1 + members.length);
    for (const member of members) checkJson(name, member, run, depth - 1);
    return;
  }
  throw new MappingFault("transform_failed", `${name} returned a value that is not JSON.`);
}

/** Neither a promise nor a date. */
function isPlainObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
