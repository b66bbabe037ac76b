import type { CompiledPath, Job, Predicate, Spot } from "./condition-job.ts";
import { compilePath, refuse, refuseOthers, valuesAt } from "./condition-job.ts";
import type { ReadValues } from "./condition-operands.ts";
import { roundSum } from "./condition-operands.ts";
import type { Field } from "./condition-types.ts";
import { listsIn } from "./condition-types.ts";
import { alternatives } from "./nearest.ts";

type List<Asked> = CompiledPath<Asked> & { path: string };

/** `any_of` and `all_of`: all of the condition is met by the same element. An empty list meets neither. */
export function compileQuantifier<Asked>(
  kind: "any_of" | "all_of",
  node: Record<string, unknown>,
  job: Job<Asked>,
  spot: Spot,
): Predicate<Asked> | undefined {
  refuseOthers(job, node, [kind, "where"], spot.pointer);
  const list = compileList(node[kind], `${spot.pointer}/${kind}`, job);
  const where = list && compileWhere(node.where, list, job, spot);
  if (!list || !where) return undefined;
  if (kind === "any_of") return (record, now) => list.read(record, now).some((element) => where(element, now));
  return (record, now) => {
    const elements = list.read(record, now);
    return elements.length > 0 && elements.every((element) => where(element, now));
  };
}

const numeric: Field = { type: "number", oneOf: undefined, members: undefined, isList: false };

/** The number of elements of a list, or of those that meet `where`. */
export function compileCount<Asked>(
  node: Record<string, unknown>,
  job: Job<Asked>,
  spot: Spot,
): CompiledPath<Asked> | undefined {
  const list = compileList(node.count, `${spot.pointer}/count`, job);
  const elementsOf = list && compileElements(node, list, job, spot);
  return elementsOf && { read: (record, now) => [elementsOf(record, now).length], field: numeric };
}

/** The sum of a member of the elements of a list: the last name of the path. The names before it lead to the list. */
export function compileSum<Asked>(
  node: Record<string, unknown>,
  job: Job<Asked>,
  spot: Spot,
): CompiledPath<Asked> | undefined {
  const at = `${spot.pointer}/sum`;
  const path = typeof node.sum === "string" ? node.sum : "";
  const cut = path.lastIndexOf(".");
  if (cut < 1 || job.rules.reader) {
    const message = job.rules.reader
      ? "Sums cannot be used here."
      : "A sum names a list and a member of its elements, such as lines.quantity.";
    return refuse(job, at, "format", message);
  }
  const known = job.errors.length;
  const member = compilePath(path, at, job);
  if (!member || job.errors.length > known) return undefined;
  const { type } = member.field ?? {};
  if (type !== undefined && type !== "number") return refuse(job, at, "type", `${path} is not a number.`);
  const list = compileList(path.slice(0, cut), at, job);
  const elementsOf = list && compileElements(node, list, job, spot);
  if (!elementsOf) return undefined;
  const steps = [path.slice(cut + 1)];
  const read: ReadValues<Asked> = (record, now) => {
    let sum = 0;
    for (const value of valuesAt(elementsOf(record, now), steps)) if (typeof value === "number") sum += value;
    return [roundSum(sum)];
  };
  return { read, field: numeric };
}

function compileList<Asked>(path: unknown, at: string, job: Job<Asked>): List<Asked> | undefined {
  const known = job.errors.length;
  const found = compilePath(path, at, job);
  if (!found || job.errors.length > known) return undefined;
  if (found.field?.type !== undefined && !found.field.isList) {
    const lists = alternatives(path, listsIn(job.rules.fields ?? new Map<string, Field>()));
    return refuse(job, at, "not_a_list", `${String(path)} is not a list.`, lists);
  }
  return { ...found, path: String(path) };
}

function compileElements<Asked>(
  node: Record<string, unknown>,
  list: List<Asked>,
  job: Job<Asked>,
  spot: Spot,
): ReadValues<Asked> | undefined {
  if (!("where" in node)) return list.read;
  const where = compileWhere(node.where, list, job, spot);
  return where && ((record, now) => list.read(record, now).filter((element) => where(element, now)));
}

/** The condition on an element. Its paths begin in the element. */
function compileWhere<Asked>(
  where: unknown,
  { path, field }: List<Asked>,
  job: Job<Asked>,
  { pointer, depth }: Spot,
): Predicate | undefined {
  const { reader, refusal, fields, ...others } = job.rules;
  const at = { pointer: `${pointer}/where`, depth: depth + 1 };
  if (reader) return refuse(job, at.pointer, "unknown_field", "Elements of a list cannot be chosen here.");
  const rules = {
    ...others,
    ...(fields && field?.type !== undefined ? { fields: field.members ?? new Map<string, Field>() } : {}),
    ...(refusal ? { refusal: (inner: string) => refusal(`${path}.${inner}`) } : {}),
  };
  return job.compileInner(where, { ...job, rules }, at);
}
