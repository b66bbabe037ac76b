import type { Condition } from "../../../db/list-page.ts";
import { meetAll } from "../../../db/list-page.ts";
import type { Archived, ExportQuery, SortName } from "../order-answers.schemas.ts";
import type { Order } from "../order.ts";
import type { OrderStatus } from "../orders.states.ts";
import { priorities } from "../orders.states.ts";

/** `search`: a tsquery, as `toSearchQuery` makes it. */
export type OrderFilter = Omit<ExportQuery, "status"> & { status?: (OrderStatus | "on_hold")[]; ids?: string[] };

/** The last order that was read, to go on behind it. */
export type OrderKey = Pick<Order, "id" | "createdAt">;

export type Range = { limit: number; offset: number };

/** One part of the answer. Parts with a lower rank come first. */
type Branch = { where: string; rank: number };

/**
 * What to read for a filter. Only conditions that were given appear, and alternatives (several statuses, archived or
 * not) are branches of their own: an index delivers each of them in order, but never a mixture.
 */
type OrderPlan = {
  from: string;
  id: string;
  key: string;
  direction: "asc" | "desc";
  branches: Branch[];
  values: unknown[];
};

/** Where the list is read from: the orders, their tags, or those that a search has found. */
const sources = { o: "orders o", t: "order_tags t", found: "found" };
type PlanOptions = { source?: keyof typeof sources; after?: OrderKey | undefined; values?: unknown[] };

const dates = { created: "created_at", ordered: "ordered_at", updated: "updated_at", shipBy: "ship_by" } as const;
const sortColumns = { createdAt: "created_at", orderedAt: "ordered_at", updatedAt: "updated_at", shipBy: "ship_by" };

export function archivedOptions(archived: Archived = "false"): boolean[] {
  return archived === "any" ? [false, true] : [archived === "true"];
}

/** The search is left out of it. `values` are those that the statement has already. */
export function planOrders(
  orgId: string,
  filter: OrderFilter,
  sort: SortName,
  { after, source = filter.tag === undefined ? "o" : "t", values = [] }: PlanOptions = {},
): OrderPlan {
  // A few columns are in all sources; with nothing else asked for, the orders need not be touched.
  const at = (column: string): string => `${column === "created_at" ? source : "o"}.${column}`;
  const id = source === "o" ? "o.id" : `${source}.order_id`;
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions: Condition[] = [
    [`${source}.org_id = ?`, source === "found" ? undefined : orgId],
    [source === "t" ? "t.tag = ?" : "o.tags @> array[?]", filter.tag],
    [`${id} = any(?)`, filter.ids],
    ["o.location_id = ?", filter.locationId],
    ["o.bridge_id = ?", filter.bridgeId],
    ["o.assignee_id = ?", filter.assigneeId],
    ["o.priority = ?", filter.priority === undefined ? undefined : priorities.indexOf(filter.priority)],
    ["o.payment_status = ?", filter.paymentStatus],
    ["o.channel = ?", filter.channel],
    ...(Object.entries(dates) as [keyof typeof dates, string][]).flatMap(([name, column]): Condition[] => [
      [`${at(column)} >= ?`, filter[`${name}From`]],
      [`${at(column)} < ?`, filter[`${name}To`]],
    ]),
  ];
  if (after) conditions.push(`(${source}.created_at, ${id}) < (${bind(after.createdAt)}, ${bind(after.id)})`);

  const column = sortColumns[sort.replace("-", "") as keyof typeof sortColumns];
  const hasRange = filter.shipByFrom !== undefined || filter.shipByTo !== undefined;
  const archived = archivedOptions(filter.archived).map((isArchived) => `${source}.is_archived = ${isArchived}`);
  let branches = split([{ where: meetAll(conditions, values), rank: 0 }], archived);
  if (filter.status) branches = split(branches, statusOptions(filter.status, bind));
  // Orders without a date come last in both directions.
  if (column === "ship_by" && !hasRange) {
    const [dated, undated] = [split(branches, ["o.ship_by is not null"]), split(branches, ["o.ship_by is null"])];
    branches = [...dated, ...undated.map(({ where }) => ({ where, rank: 1 }))];
  }
  const key = at(column);
  const isTouched = source !== "o" && [key, ...branches.map(({ where }) => where)].some((sql) => /\bo\./.test(sql));
  return {
    from: `${sources[source]}${isTouched ? ` join orders o on o.id = ${id}` : ""}`,
    id,
    key,
    direction: sort.startsWith("-") ? "desc" : "asc",
    branches,
    values,
  };
}

function split(branches: Branch[], conditions: string[]): Branch[] {
  return branches.flatMap(({ where, rank }) =>
    conditions.map((condition) => ({ where: `${where} and ${condition}`, rank })),
  );
}

/** Held orders have a status too: whoever asks for both must not get them twice. */
function statusOptions(wanted: (OrderStatus | "on_hold")[], bind: (value: unknown) => string): string[] {
  const statuses = [...new Set(wanted)].filter((status) => status !== "on_hold");
  const options = statuses.map((status) => `o.status = ${bind(status)}`);
  if (wanted.includes("on_hold")) {
    options.push(statuses.length === 0 ? "o.on_hold" : `o.on_hold and o.status <> all(${bind(statuses)})`);
  }
  return options;
}

/** Every branch is served by an index in the wanted order, so that each reads no more than it gives. */
export function slice(plan: OrderPlan, { limit, offset }: Range): string {
  const order = `order by ${plan.key} ${plan.direction}, ${plan.id} ${plan.direction}`;
  const parts = plan.branches.map((branch) => `${select(plan, branch)} ${order}`);
  if (parts.length === 1) return `${parts[0]} limit ${limit} offset ${offset}`;
  const union = parts.map((part) => `(${part} limit ${offset + limit})`).join(" union all ");
  return `select * from (${union}) u order by ${orderOf(plan)} limit ${limit} offset ${offset}`;
}

export function selectAll(plan: OrderPlan): string {
  return plan.branches.map((branch) => select(plan, branch)).join(" union all ");
}

function select(plan: OrderPlan, { where, rank }: Branch): string {
  return `select ${plan.id} as id, ${plan.key} as k, ${rank} as r from ${plan.from} where ${where}`;
}

export function orderOf({ direction }: OrderPlan, alias?: string): string {
  const at = alias === undefined ? "" : `${alias}.`;
  return `${at}r, ${at}k ${direction}, ${at}id ${direction}`;
}
