import type { CompiledPath, Job, Predicate, Spot } from "./condition-job.ts";
import { compilePath, refuse, refuseOthers, zoneOf } from "./condition-job.ts";
import { compileCount, compileSum } from "./condition-lists.ts";
import type { CompiledOperand, OperandRules, ReadValues } from "./condition-operands.ts";
import { compileOperand, isOperand } from "./condition-operands.ts";
import type { Test } from "./condition-operators.ts";
import { compileAgainst, compileOperator, isScalar } from "./condition-operators.ts";
import type { Operator } from "./condition-shape.ts";
import { operators } from "./condition-shape.ts";
import type { Field } from "./condition-types.ts";
import { operatorMistake, otherSideMistake, typeMistake } from "./condition-types.ts";
import { alternatives } from "./nearest.ts";
import { defaultWorkingDays } from "./working-days.ts";

/** A comparison and, for an explanation, its sides. `others` is empty if it compares with a constant. */
export type Comparison<Asked> = {
  op: Operator;
  test: Predicate<Asked>;
  read: ReadValues<Asked>;
  others: Other<Asked>[];
};
export type Other<Asked> = CompiledOperand<Asked> | { constant: unknown };

/** The left side, as messages name it. */
type Left = { field: Field | undefined; label: string };

export function compileComparison<Asked>(
  kind: "path" | "count" | "sum",
  node: Record<string, unknown>,
  job: Job<Asked>,
  spot: Spot,
): Comparison<Asked> | undefined {
  const { pointer } = spot;
  refuseOthers(job, node, kind === "path" ? [kind, "op", "value"] : [kind, "where", "op", "value"], pointer);
  const found = compileLeft(kind, node, job, spot);
  const { op, value } = node;
  if (!isOperator(op)) {
    return refuse(job, `${pointer}/op`, "enum", "There is no such operator.", alternatives(op, operators));
  }
  if (!found) return undefined;
  const { read, field } = found;
  const left = { field, label: String(node[kind]) };
  const isComputed = isOperand(value) || (op === "between" && Array.isArray(value) && value.some(isOperand));
  if (!isComputed) {
    const test = compileConstant(op, value, left, job, pointer);
    return test && { op, test: (record, now) => test(read(record, now)), read, others: [] };
  }
  const test = compileAgainst(op, zoneOf(job.rules));
  if (!test) return refuse(job, `${pointer}/value`, "value", `${op} needs a constant.`);
  refuseOperator(op, left, job, pointer);
  const others = compileOthers(value, op, left, job, pointer);
  if (!others) return undefined;
  const reads = others.map((other): ReadValues<Asked> => ("read" in other ? other.read : () => [other.constant]));
  const meets: Predicate<Asked> = (record, now) =>
    test(
      read(record, now),
      reads.map((readOther) => readOther(record, now)),
    );
  return { op, test: meets, read, others };
}

function isOperator(op: unknown): op is Operator {
  return (operators as readonly unknown[]).includes(op);
}

function compileLeft<Asked>(
  kind: "path" | "count" | "sum",
  node: Record<string, unknown>,
  job: Job<Asked>,
  spot: Spot,
): CompiledPath<Asked> | undefined {
  if (kind === "path") return compilePath(node.path, `${spot.pointer}/path`, job);
  return kind === "count" ? compileCount(node, job, spot) : compileSum(node, job, spot);
}

/** Returns whether the operator can be used with the field. */
function refuseOperator<Asked>(op: Operator, { field, label }: Left, job: Job<Asked>, pointer: string): boolean {
  const mistake = field && operatorMistake(field, label, op);
  if (mistake) refuse(job, pointer + mistake.at, mistake.code, mistake.message, mistake.more);
  return mistake !== undefined;
}

/** The values of the other side: one, or two for `between`, of which one may be a constant. */
function compileOthers<Asked>(
  value: unknown,
  op: Operator,
  { field, label }: Left,
  job: Job<Asked>,
  pointer: string,
): Other<Asked>[] | undefined {
  const given: unknown[] = Array.isArray(value) ? value : [value];
  if (op === "between" && given.length !== 2) {
    return refuse(job, `${pointer}/value`, "value", "Two values are needed.");
  }
  const { calendar } = job.rules;
  const rules: OperandRules<Asked> = {
    read: (path, at) => compilePath(path, at, job),
    calendar: calendar ?? {
      timezone: zoneOf(job.rules),
      workingDays: defaultWorkingDays,
      holidays: new Set(),
      cutoffTime: null,
    },
    hasWorkingDays: calendar !== undefined,
    hasNow: job.rules.reader === undefined,
    refuse: (at, code, message) => refuse(job, at, code, message),
  };
  const others: Other<Asked>[] = [];
  for (const [i, one] of given.entries()) {
    const at = Array.isArray(value) ? `${pointer}/value/${i}` : `${pointer}/value`;
    if (isOperand(one)) {
      const operand = compileOperand(one, at, rules);
      const mistake = operand && field && otherSideMistake(field, label, op, operand.side);
      if (mistake) refuse(job, at, mistake.code, mistake.message, mistake.more);
      if (operand) others.push(operand);
      continue;
    }
    const mistake = field && isScalar(one) ? typeMistake(field, label, op, one) : undefined;
    if (!isScalar(one)) refuse(job, at, "value", "A number, a text, a path or now is needed.");
    if (mistake) refuse(job, at, mistake.code, mistake.message, mistake.more);
    others.push({ constant: one });
  }
  return others.length === given.length ? others : undefined;
}

function compileConstant<Asked>(
  op: Operator,
  value: unknown,
  left: Left,
  job: Job<Asked>,
  pointer: string,
): Test | undefined {
  const { sets, rules } = job;
  const template = rules.isChecked ? undefined : templateIn(value);
  if (template) {
    const message = `${template.text} is not filled in here. To compare with another field, write {"path": "..."} as the value.`;
    return refuse(job, `${pointer}/value${template.at}`, "template", message);
  }
  // The transforms with patterns charge the budget of a mapping; a condition does not.
  if (op === "matches" && rules.reader) {
    return refuse(job, `${pointer}/op`, "operator", "matches cannot be used here; the transform regex_test can.");
  }
  const known = job.errors.length;
  const test = compileOperator(op, value, { sets, timeZone: zoneOf(rules) }, (message) =>
    refuse(job, `${pointer}/value`, "value", message),
  );
  if (!left.field || job.errors.length > known || refuseOperator(op, left, job, pointer)) return test;
  const mistake = typeMistake(left.field, left.label, op, value);
  if (mistake) refuse(job, pointer + mistake.at, mistake.code, mistake.message, mistake.more);
  return test;
}

/** The first `{{...}}` in a value. Compared as plain text, `ne` would be true for every record. */
function templateIn(value: unknown): { at: string; text: string } | undefined {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  for (const [i, one] of values.entries()) {
    const text = typeof one === "string" ? /\{\{.*?\}\}/s.exec(one)?.[0] : undefined;
    if (text !== undefined) return { at: Array.isArray(value) ? `/${i}` : "", text: text.slice(0, 100) };
  }
  return undefined;
}
