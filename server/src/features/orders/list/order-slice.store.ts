import type { Branch, OrderPlan } from "./order-filter.store.ts";

/** Which part of a list is wanted. */
export type Range = { limit: number; offset: number };

/** Every branch is served by an index in the wanted order, so that each reads no more than it gives. */
export function slice(plan: OrderPlan, branches: Branch[], end: number, offset: number, more = ""): string {
  const order = `order by ${plan.key} ${plan.direction}, ${plan.id} ${plan.direction}`;
  const parts = branches.map((branch) => `${select(plan, branch, "", more)} ${order}`);
  if (branches.length === 1) return `${parts[0]} limit ${end - offset} offset ${offset}`;
  const union = parts.map((part) => `(${part} limit ${end})`).join(" union all ");
  return `select * from (${union}) u order by ${orderOf(plan)} limit ${end - offset} offset ${offset}`;
}

export function select(plan: OrderPlan, { where, rank }: Branch, match = "", more = ""): string {
  return `select ${plan.id} as id, ${plan.key} as k, ${rank} as r${more} from ${plan.from} where ${where}${match}`;
}

export function orderOf({ direction }: OrderPlan, alias?: string): string {
  const at = alias === undefined ? "" : `${alias}.`;
  return `${at}r, ${at}k ${direction}, ${at}id ${direction}`;
}
