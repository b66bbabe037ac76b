import { isDeepStrictEqual } from "node:util";
import type { Order, OrderFields, OrderPatch } from "./order.ts";

/**
 * One field before and after. `path` is a JSON Pointer into the order. `keptLocal`: it stays `from`, though the bridge sent `to`.
 */
export type FieldChange = { path: string; from: unknown; to: unknown; keptLocal?: true };

/**
 * The fields of a patch that differ from the order. `always`: fields that count as changed in any case, so that callers cannot
 * guess masked values.
 */
export function changesOf(order: Order, patch: OrderPatch, always: readonly string[] = []): FieldChange[] {
  const changes: FieldChange[] = [];
  for (const field of Object.keys(patch) as (keyof OrderFields)[]) {
    const [from, to] = [order[field], patch[field]];
    const differs = from !== to && !isDeepStrictEqual(from, to);
    if (differs || always.includes(field)) changes.push({ path: `/${field}`, from, to });
  }
  return changes;
}

/** Applies changes to a copy of the order. */
export function applyChanges(order: Order, changes: readonly FieldChange[]): Order {
  // Returns the same object: callers detect by identity that nothing changed.
  if (changes.length === 0) return order;
  const after: Record<string, unknown> = { ...order };
  for (const { path, to } of changes) after[fieldOf(path)] = to;
  return after as Order;
}

function fieldOf(path: string): keyof OrderFields {
  return path.slice(1) as keyof OrderFields;
}

export function fieldsIn(changes: readonly FieldChange[]): (keyof OrderFields)[] {
  return changes.map(({ path }) => fieldOf(path));
}

/**
 * Reverts a change without reverting later changes: members of lists and objects are restored one by one, plain values only if
 * they are still those that were set. Undefined: the field was changed since.
 */
export function revert(order: Order, { path, from, to }: FieldChange): OrderPatch | undefined {
  const field = fieldOf(path);
  const current: unknown = order[field];
  if (isDeepStrictEqual(current, to)) return { [field]: from };
  // Units that are no longer where the change put them are in another order now.
  if (isDeepStrictEqual(current, from)) return field === "lines" && movesUnits(from, to) ? undefined : {};
  if (field === "tags" || field === "holds" || field === "notes" || field === "shipments") {
    const list = revertList(current as Entry[], from as Entry[], to as Entry[]);
    return list && { [field]: list };
  }
  // Never decreases, so that numbers of child orders are not reused.
  if (field === "childCount") return {};
  if (field === "customFields") return revertObject(order, from as CustomFields, to as CustomFields);
  return undefined;
}

type Entry = string | { id: string };

/** Undefined: an entry that the change modified was modified again. Other entries are unchanged. */
function revertList(current: Entry[], from: Entry[], to: Entry[]): Entry[] | undefined {
  const keyOf = (entry: Entry): string => (typeof entry === "string" ? entry : entry.id);
  const before = new Map(from.map((entry) => [keyOf(entry), entry]));
  const after = new Map(to.map((entry) => [keyOf(entry), entry]));
  const kept: Entry[] = [];
  for (const entry of current) {
    const key = keyOf(entry);
    const [was, became] = [before.get(key), after.get(key)];
    const isUntouched = became === undefined || isDeepStrictEqual(was, became);
    if (!isUntouched && was === undefined) continue;
    if (!isUntouched && !isDeepStrictEqual(entry, became)) return undefined;
    kept.push(isUntouched ? entry : was!);
  }
  const missing = from.filter(
    (entry) => !after.has(keyOf(entry)) && !kept.some((other) => keyOf(other) === keyOf(entry)),
  );
  return [...kept, ...missing];
}

type CustomFields = Order["customFields"];

function revertObject(order: Order, from: CustomFields, to: CustomFields): OrderPatch | undefined {
  const valueOf = (fields: CustomFields, key: string) => (Object.hasOwn(fields, key) ? fields[key] : undefined);
  const result = { ...order.customFields };
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [before, after] = [valueOf(from, key), valueOf(to, key)];
    if (before === after) continue;
    if (valueOf(result, key) !== after) return undefined;
    if (before === undefined) delete result[key];
    else result[key] = before;
  }
  return { customFields: result };
}

/** Whether lines or quantities were added or removed; shipped quantities do not count. */
function movesUnits(from: unknown, to: unknown): boolean {
  const unitsOf = (lines: unknown) => (lines as Order["lines"]).map(({ id, quantity }) => [id, quantity]);
  return !isDeepStrictEqual(unitsOf(from), unitsOf(to));
}
