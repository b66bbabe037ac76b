import type { Comparison } from "./condition-comparison.ts";
import { compileComparison } from "./condition-comparison.ts";
import type { ConditionRules, Job, Predicate, Spot } from "./condition-job.ts";
import { refuse, refuseOthers } from "./condition-job.ts";
import { compileQuantifier } from "./condition-lists.ts";
import type { SetLookup } from "./condition-operators.ts";
import { conditionKinds, conditionLimits } from "./condition-shape.ts";
import type { FieldError } from "./errors.ts";

export type { ConditionRules, Predicate } from "./condition-job.ts";
export type { SetLookup } from "./condition-operators.ts";
export { pathMistake } from "./condition-job.ts";

/** Compiled once, run for every record. All mistakes are reported, with pointers below `pointer`. */
export function compileCondition<Asked = unknown>(
  condition: unknown,
  sets: SetLookup,
  pointer: string,
  rules: ConditionRules<Asked> = {},
): Predicate<Asked> | FieldError[] {
  const job: Job<Asked> = { sets, rules, errors: [], spent: { nodes: 0 }, compileInner: compileNode };
  const predicate = compileNode(condition, job, { pointer, depth: 0 });
  return job.errors.length > 0 ? job.errors : predicate;
}

/** One comparison of a condition that was checked as a whole, with its sides. */
export function compileLeaf(
  node: Record<string, unknown>,
  sets: SetLookup,
  rules: ConditionRules,
): Comparison<unknown> {
  const job: Job<unknown> = { sets, rules, errors: [], spent: { nodes: 0 }, compileInner: compileNode };
  const kind = "count" in node ? "count" : "sum" in node ? "sum" : "path";
  const compiled = compileComparison(kind, node, job, { pointer: "", depth: 0 });
  if (!compiled) throw new Error(`A checked condition does not compile: ${job.errors[0]?.message}`);
  return compiled;
}

const never = (): boolean => false;

function compileNode<Asked>(condition: unknown, job: Job<Asked>, spot: Spot): Predicate<Asked> {
  const { pointer, depth } = spot;
  const fail = (at: string, code: string, message: string): typeof never => {
    refuse(job, at, code, message);
    return never;
  };
  const { parts: maxNodes, depth: maxDepth } = conditionLimits;
  if (++job.spent.nodes > maxNodes || depth > maxDepth) {
    return fail(pointer, "too_complex", `A condition has at most ${maxNodes} parts, ${maxDepth} deep.`);
  }
  if (typeof condition !== "object" || condition === null || Array.isArray(condition)) {
    return fail(pointer, "type", `A condition is an object with one of ${conditionKinds.join(", ")}.`);
  }
  const node = condition as Record<string, unknown>;
  const [kind, ...more] = conditionKinds.filter((name) => name in node);
  if (kind === undefined || more.length > 0) {
    return fail(pointer, "one_of", `Exactly one of ${conditionKinds.join(", ")} is needed.`);
  }
  if (kind === "path" || kind === "count" || kind === "sum") {
    return compileComparison(kind, node, job, spot)?.test ?? never;
  }
  if (kind === "any_of" || kind === "all_of") return compileQuantifier(kind, node, job, spot) ?? never;
  refuseOthers(job, node, [kind], pointer);
  const inside = (child: unknown, at: string): Predicate<Asked> =>
    compileNode(child, job, { pointer: at, depth: depth + 1 });
  if (kind === "not") {
    const inner = inside(node.not, `${pointer}/not`);
    return (record, now) => !inner(record, now);
  }
  const list = node[kind];
  if (!Array.isArray(list) || list.length === 0) {
    return fail(`${pointer}/${kind}`, "type", "A list of conditions is needed.");
  }
  const parts = list.map((child, index) => inside(child, `${pointer}/${kind}/${index}`));
  return kind === "all"
    ? (record, now) => parts.every((part) => part(record, now))
    : (record, now) => parts.some((part) => part(record, now));
}

/** The condition and those inside it. It may not be validated yet. */
function nodesOf(condition: unknown): Record<string, unknown>[] {
  if (typeof condition !== "object" || condition === null) return [];
  const node = condition as Record<string, unknown>;
  const inner = [node.all, node.any].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  return [node, ...[...inner, node.not, node.where].flatMap(nodesOf)];
}

/** The condition sets that a condition refers to, so that they can be loaded once before it is compiled. */
export function referredSets(condition: unknown): string[] {
  return nodesOf(condition).flatMap(({ op, value }) =>
    typeof op === "string" && op.endsWith("in_set") && typeof value === "string" ? [value] : [],
  );
}

/** The paths that a condition reads from the record itself, on both sides of comparisons. */
export function pathsIn(condition: unknown): string[] {
  return nodesOf(condition).flatMap(({ path, value }) => {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    const others = values.map((one) =>
      typeof one === "object" && one !== null && "path" in one ? one.path : undefined,
    );
    return [path, ...others].filter((one) => typeof one === "string");
  });
}
