import type { SetLookup } from "../../../core/conditions.ts";
import { compileCondition } from "../../../core/conditions.ts";
import type { FieldError } from "../../../core/errors.ts";
import { isPlain } from "../../../core/strict-json.ts";
import { memberOf } from "./mapping-path.ts";
import type { Run } from "./mapping-run.ts";
import { mappingLimits, MappingFault, spend } from "./mapping-run.ts";

export type When = { test(run: Run): boolean; paths: { from: "$" | "@"; names: string[] }[] };

/** A `when` may say `$.` and `@.` like any other path; the conditions themselves know one record only. */
export function compileWhen(when: unknown, sets: SetLookup, pointer: string): When | FieldError[] {
  const paths: When["paths"] = [];
  const predicate = compileCondition(onPair(when, paths, 0), sets, pointer);
  if (Array.isArray(predicate)) return predicate;
  return {
    paths,
    test(run) {
      const pair = { root: run.root, item: run.item };
      for (const { from, names } of paths) payFor(run, from === "$" ? pair.root : pair.item, names, 0, 0);
      return predicate(pair);
    },
  };
}

function onPair(node: unknown, paths: When["paths"], depth: number): unknown {
  if (!isPlain(node) || depth > 12) return node;
  const copy: Record<string, unknown> = { ...node };
  for (const join of ["all", "any"]) {
    const list = copy[join];
    if (Array.isArray(list)) copy[join] = list.map((child) => onPair(child, paths, depth + 1));
  }
  if ("not" in copy) copy.not = onPair(copy.not, paths, depth + 1);
  if (typeof copy.path === "string" && copy.path !== "") {
    const from = copy.path.startsWith("$.") ? "$" : "@";
    const bare = copy.path.replace(/^[$@]\./, "");
    paths.push({ from, names: bare.split(".") });
    copy.path = `${from === "$" ? "root" : "item"}.${bare}`;
  }
  return copy;
}

/** A comparison looks into all lists on its way, so it is paid for by what it will find there. */
function payFor(run: Run, value: unknown, names: string[], at: number, depth: number): void {
  if (Array.isArray(value)) {
    if (depth > mappingLimits.valueDepth) {
      throw new MappingFault("too_deep", "Lists in the data are nested too deep.", { isFinal: true });
    }
    spend(run, 2 * value.length);
    for (const element of value) payFor(run, element, names, at, depth + 1);
  } else if (at < names.length) payFor(run, memberOf(value, names[at]!), names, at + 1, depth);
  else if (typeof value === "string") spend(run, 1 + (value.length >> 3));
}
