import type { Archived, SortName } from "../order-answers.schemas.ts";
import type { OrderStatus, PaymentStatus, Priority } from "../orders.states.ts";
import { priorities } from "../orders.states.ts";
import type { SearchWord } from "./search-words.ts";
import { toSearchWords } from "./search-words.ts";

export type OrderFilter = {
  status?: (OrderStatus | "on_hold")[];
  tag?: string;
  locationId?: string;
  bridgeId?: string;
  assigneeId?: string;
  priority?: Priority;
  paymentStatus?: PaymentStatus;
  channel?: string;
  archived?: Archived;
  orderedFrom?: string;
  orderedTo?: string;
  createdFrom?: string;
  createdTo?: string;
  updatedFrom?: string;
  updatedTo?: string;
  shipByFrom?: string;
  shipByTo?: string;
  search?: string;
};

/** The last order that was read, to go on behind it. */
export type OrderKey = { id: string; createdAt: Date };

/** One part of the answer. Parts with a lower rank come first. */
export type Branch = { where: string; rank: number };

/**
 * What to read for a filter. Only conditions that were given appear, and alternatives (several statuses, archived or
 * not) are branches of their own: an index delivers each of them in order, but never a mixture.
 */
export type OrderPlan = {
  from: string;
  id: string;
  key: string;
  direction: "asc" | "desc";
  branches: Branch[];
  values: unknown[];
  words: SearchWord[] | undefined;
  archived: boolean[];
  /** Whether the list is sorted as words are kept. */
  isByCreation: boolean;
  /** Whether, besides, words and what is archived are all that is asked for. */
  isOnlySearch: boolean;
};

const dates = { created: "created_at", ordered: "ordered_at", updated: "updated_at", shipBy: "ship_by" } as const;
const sortColumns = { createdAt: "created_at", orderedAt: "ordered_at", updatedAt: "updated_at", shipBy: "ship_by" };

export function archivedOptions(archived: Archived = "false"): boolean[] {
  return archived === "any" ? [false, true] : [archived === "true"];
}

export function planOrders(orgId: string, filter: OrderFilter, sort: SortName, after?: OrderKey): OrderPlan {
  const values: unknown[] = [orgId];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const words = filter.search === undefined ? undefined : toSearchWords(orgId, filter.search);
  const isTagged = filter.tag !== undefined;
  // These few columns are in the table of tags too; with nothing else asked for, the orders need not be touched.
  const own = isTagged ? "t" : "o";
  const at = (column: string): string => `${column === "created_at" ? own : "o"}.${column}`;

  const shared = [`${own}.org_id = $1`];
  if (isTagged) shared.push(`t.tag = ${bind(filter.tag)}`);
  if (filter.locationId !== undefined) shared.push(`o.location_id = ${bind(filter.locationId)}`);
  if (filter.bridgeId !== undefined) shared.push(`o.bridge_id = ${bind(filter.bridgeId)}`);
  if (filter.assigneeId !== undefined) shared.push(`o.assignee_id = ${bind(filter.assigneeId)}`);
  if (filter.priority !== undefined) shared.push(`o.priority = ${bind(priorities.indexOf(filter.priority))}`);
  if (filter.paymentStatus !== undefined) shared.push(`o.payment_status = ${bind(filter.paymentStatus)}`);
  if (filter.channel !== undefined) shared.push(`o.channel = ${bind(filter.channel)}`);
  for (const [name, column] of Object.entries(dates) as [keyof typeof dates, string][]) {
    const [from, to] = [filter[`${name}From`], filter[`${name}To`]];
    if (from !== undefined) shared.push(`${at(column)} >= ${bind(from)}`);
    if (to !== undefined) shared.push(`${at(column)} < ${bind(to)}`);
  }
  // A text without a letter or digit is in no order.
  if (filter.search !== undefined && words === undefined) shared.push("false");
  if (after) shared.push(`(${own}.created_at, ${rowId(own)}) < (${bind(after.createdAt)}, ${bind(after.id)})`);

  const column = sortColumns[sort.replace("-", "") as keyof typeof sortColumns];
  const hasRange = filter.shipByFrom !== undefined || filter.shipByTo !== undefined;
  const archived = archivedOptions(filter.archived);
  const isByCreation = column === "created_at";
  const isOnlySearch = isByCreation && shared.length === 1 && !filter.status;
  let branches: Branch[] = [{ where: shared.join(" and "), rank: 0 }];
  branches = split(
    branches,
    archived.map((isArchived) => `${own}.is_archived = ${isArchived}`),
  );
  if (filter.status) branches = split(branches, statusOptions(filter.status, bind));
  // Orders without a date come last in both directions.
  if (column === "ship_by" && !hasRange) {
    const [dated, undated] = [split(branches, ["o.ship_by is not null"]), split(branches, ["o.ship_by is null"])];
    branches = [...dated, ...undated.map(({ where }) => ({ where, rank: 1 }))];
  }
  const key = at(column);
  const isTouched =
    words !== undefined || [key, ...branches.map(({ where }) => where)].some((sql) => /\bo\./.test(sql));
  return {
    from: isTagged ? `order_tags t${isTouched ? " join orders o on o.id = t.order_id" : ""}` : "orders o",
    id: rowId(own),
    key,
    direction: sort.startsWith("-") ? "desc" : "asc",
    branches,
    values,
    words,
    archived,
    isByCreation,
    isOnlySearch,
  };
}

function rowId(table: "o" | "t"): string {
  return table === "t" ? "t.order_id" : "o.id";
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
