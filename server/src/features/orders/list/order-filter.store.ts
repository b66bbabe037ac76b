import type { Condition } from "../../../db/list-page.ts";
import { meetAll } from "../../../db/list-page.ts";
import type { SortName } from "../order-answers.schemas.ts";
import type { Archived, OrderFilter, WantedStatus } from "../order-filter.schemas.ts";
import type { Order } from "../order.ts";
import type { Priority } from "../orders.states.ts";
import { orderStatuses, paymentStatuses, priorities } from "../orders.states.ts";
import { carrierFacet, failedFacet, fieldFacet, foldTag, serviceFacet, wantedFields } from "./order-facets.ts";

/** Keyset position: the last order that was read. */
export type OrderKey = Pick<Order, "id" | "createdAt">;

export type Range = { limit: number; offset: number };

/** A part of the result. Lower ranks come first. */
type Branch = { where: string; rank: number };

/**
 * The query plan of a filter. Alternatives (several statuses, archived or not) become separate branches: an index returns each of
 * them in order, but not a mixture.
 */
type OrderPlan = {
  from: string;
  id: string;
  key: string;
  direction: "asc" | "desc";
  branches: Branch[];
  values: unknown[];
};

/** The table that drives the query: orders, tags, facets, or search results. */
const sources = { o: "orders o", t: "order_tags t", m: "order_facets m", found: "found" };
type PlanOptions = {
  source?: "o" | "found";
  after?: OrderKey | undefined;
  values?: unknown[];
};

const dates = { created: "created_at", ordered: "ordered_at", updated: "updated_at", shipBy: "ship_by" } as const;
const sortColumns = { createdAt: "created_at", orderedAt: "ordered_at", updatedAt: "updated_at", shipBy: "ship_by" };

export function archivedOptions(archived: Archived = "false"): boolean[] {
  return archived === "any" ? [false, true] : [archived === "true"];
}

type Bind = (value: unknown) => string;

/** Without the search. `values` are the parameters already bound. */
export function planOrders(
  orgId: string,
  written: OrderFilter,
  sort: SortName,
  { after, source: given, values = [] }: PlanOptions = {},
): OrderPlan {
  const filter = foldTags(written);
  const bind: Bind = (value) => `$${values.push(value)}`;
  const driver = given === undefined ? driverOf(filter) : undefined;
  const source = driver?.source ?? given ?? "o";
  // All sources have a few columns; filters on these alone need no access to orders.
  const at = (column: string): string => `${column === "created_at" ? source : "o"}.${column}`;
  const id = source === "o" ? "o.id" : `${source}.order_id`;
  const { conditions, options } = conditionsOf(id, driver?.rest ?? filter, (driver?.options.length ?? 0) > 1, bind);
  conditions.push(
    [`${source}.org_id = ?`, source === "found" ? undefined : orgId],
    [`${id} = any(?)`, filter.ids],
    ...(Object.entries(dates) as [keyof typeof dates, string][]).flatMap(([name, column]): Condition[] => [
      [`${at(column)} >= ?`, filter[`${name}From`]],
      [`${at(column)} < ?`, filter[`${name}To`]],
    ]),
  );
  if (after) conditions.push(`(${source}.created_at, ${id}) < (${bind(after.createdAt)}, ${bind(after.id)})`);

  const column = sortColumns[sort.replace("-", "") as keyof typeof sortColumns];
  const hasRange = filter.shipByFrom !== undefined || filter.shipByTo !== undefined;
  const archived = archivedOptions(filter.archived).map((isArchived) => `${source}.is_archived = ${isArchived}`);
  let branches = split([{ where: meetAll(conditions, values), rank: 0 }], archived);
  if (driver)
    branches = split(
      branches,
      driver.options.map((option) => option(bind)),
    );
  if (options) branches = split(branches, options);
  // Orders without a date are last in both directions.
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

/** As stored in the tag table. */
function foldTags(filter: OrderFilter): OrderFilter {
  const folded: OrderFilter = { ...filter };
  if (filter.tag !== undefined) folded.tag = foldTag(filter.tag);
  for (const name of ["tagsAny", "tagsAll", "tagsNone"] as const) {
    if (filter[name]) folded[name] = [...new Set(filter[name].map(foldTag))];
  }
  return folded;
}

const taggedAs = (id: string, test: string): string =>
  `exists (select from order_tags x where x.order_id = ${id} and x.tag ${test})`;

function split(branches: Branch[], conditions: string[]): Branch[] {
  return branches.flatMap(({ where, rank }) =>
    conditions.map((condition) => ({ where: `${where} and ${condition}`, rank })),
  );
}

/** Tags and facets are in tables with the order of the list: one of them drives the query, `rest` filters the orders. */
type Driver = { source: "t" | "m"; options: ((bind: Bind) => string)[]; rest: OrderFilter };

function driverOf(filter: OrderFilter): Driver | undefined {
  const tagged = (tag: string) => (bind: Bind) => `t.tag = ${bind(tag)}`;
  const hasFacet = (facet: string) => (bind: Bind) => `m.facet = ${bind(facet)}`;
  const { tag, tagsAll, tagsAny, lastRunFailed, customField, carrier, service } = filter;
  const without = (...names: (keyof OrderFilter)[]): OrderFilter =>
    Object.fromEntries(Object.entries(filter).filter(([name]) => !names.includes(name as keyof OrderFilter)));
  if (tag !== undefined) return { source: "t", options: [tagged(tag)], rest: without("tag") };
  if (tagsAll?.[0] !== undefined) {
    const [first, ...more] = tagsAll;
    return {
      source: "t",
      options: [tagged(first)],
      rest: { ...without("tagsAll"), ...(more[0] && { tagsAll: more }) },
    };
  }
  if (lastRunFailed === true) return { source: "m", options: [hasFacet(failedFacet)], rest: without("lastRunFailed") };
  if (customField) {
    const [first, ...more] = wantedFields(customField);
    const isFirst = (text: string): boolean => text.startsWith(`${first!.name}:`);
    return {
      source: "m",
      options: first!.values.map((value) => hasFacet(fieldFacet(first!.name, value))),
      rest: {
        ...without("customField"),
        ...(more.length > 0 && { customField: customField.filter((text) => !isFirst(text)) }),
      },
    };
  }
  if (tagsAny) {
    // An order with two of the values must appear once.
    const options = tagsAny.map((one, i) => (bind: Bind) => {
      const earlier = tagsAny.slice(0, i);
      const isOne = `t.tag = ${bind(one)}`;
      return earlier.length === 0 ? isOne : `${isOne} and not ${taggedAs("t.order_id", `= any(${bind(earlier)})`)}`;
    });
    return { source: "t", options, rest: without("tagsAny") };
  }
  if (service)
    return { source: "m", options: service.map((one) => hasFacet(serviceFacet(one))), rest: without("service") };
  if (carrier)
    return { source: "m", options: carrier.map((one) => hasFacet(carrierFacet(one))), rest: without("carrier") };
  return undefined;
}

type Column = { name: ColumnName; sql: string; all?: readonly string[]; write?(value: string): unknown };
type ColumnName =
  | "priority"
  | "paymentStatus"
  | "channel"
  | "locationId"
  | "bridgeId"
  | "assigneeId"
  | "service"
  | "carrier";

/** Filters whose values can become branches, most useful first. */
const columns: Column[] = [
  { name: "assigneeId", sql: "o.assignee_id" },
  { name: "locationId", sql: "o.location_id" },
  { name: "bridgeId", sql: "o.bridge_id" },
  { name: "channel", sql: "o.channel" },
  { name: "priority", sql: "o.priority", all: priorities, write: (name) => priorities.indexOf(name as Priority) },
  { name: "paymentStatus", sql: "o.payment_status", all: paymentStatuses },
  { name: "service", sql: "o.shipping ->> 'service'" },
  { name: "carrier", sql: "o.shipping ->> 'carrier'" },
];

/**
 * The conditions on an order whose ID is at `id`. `options`: one branch per value of a single filter, if there are no branches
 * yet; branches for several filters would multiply.
 */
function conditionsOf(
  id: string,
  filter: OrderFilter,
  isSplit: boolean,
  bind: Bind,
): { conditions: Condition[]; options: string[] | undefined } {
  const conditions: Condition[] = [
    [taggedAs(id, "= ?"), filter.tag],
    ...(filter.tagsAll ?? []).map((tag): Condition => [taggedAs(id, "= ?"), tag]),
    [taggedAs(id, "= any(?)"), filter.tagsAny],
    [`not ${taggedAs(id, "= any(?)")}`, filter.tagsNone],
    ...wantedFields(filter.customField ?? []).map(({ name, values }): Condition => [hasField, toJson(name, values)]),
    [
      `not ${hasField}`,
      filter.customFieldNot && wantedFields(filter.customFieldNot).flatMap(({ name, values }) => toJson(name, values)),
    ],
  ];
  if (filter.lastRunFailed !== undefined) {
    conditions.push(
      `${filter.lastRunFailed ? "" : "not "}exists (select from order_facets f where f.order_id = ${id} and f.facet = '${failedFacet}')`,
    );
  }
  const { options: ofStatus, conditions: more } = statusConditions(filter, isSplit, bind);
  conditions.push(...more);
  let options = ofStatus;
  for (const { name, sql, all, write = (value: string): unknown => value } of columns) {
    const not = filter[`${name}Not`];
    // "Not" on an enum becomes its other values, which an index supports.
    const wanted = filter[name] ?? (not && all?.filter((value) => !not.includes(value)));
    if (not && (filter[name] || !all)) conditions.push([`(${sql} is null or ${sql} <> all(?))`, not.map(write)]);
    if (wanted === undefined) continue;
    const values = wanted.map(write);
    if (values.length === 1) conditions.push([`${sql} = ?`, values[0]]);
    else if (values.length > 1 && !isSplit && !options) options = values.map((value) => `${sql} = ${bind(value)}`);
    else conditions.push([`${sql} = any(?)`, values]);
  }
  return { conditions, options };
}

const hasField = "o.custom_fields @> any(?::jsonb[])";

function toJson(name: string, values: readonly unknown[]): string[] {
  return values.map((value) => JSON.stringify({ [name]: value }));
}

/** On-hold orders also have a status: with both filters they must appear once. */
function statusConditions(
  { status: wanted, statusNot }: OrderFilter,
  isSplit: boolean,
  bind: Bind,
): { conditions: Condition[]; options: string[] | undefined } {
  const conditions: Condition[] = [];
  const isStatus = (name: WantedStatus): boolean => name !== "on_hold";
  const excluded = statusNot?.filter(isStatus) ?? [];
  if (statusNot?.includes("on_hold")) conditions.push("not o.on_hold");
  if (wanted && excluded.length > 0) conditions.push(["o.status <> all(?)", excluded]);
  const others = excluded.length > 0 ? orderStatuses.filter((name) => !excluded.includes(name)) : undefined;
  const given = wanted ?? others;
  if (!given) return { conditions, options: undefined };
  const statuses = given.filter(isStatus);
  const isHeld = given.includes("on_hold");
  if (isSplit || given.length === 0) {
    conditions.push([isHeld ? "(o.on_hold or o.status = any(?))" : "o.status = any(?)", statuses]);
    return { conditions, options: undefined };
  }
  const options = statuses.map((status) => `o.status = ${bind(status)}`);
  if (isHeld) options.push(statuses.length === 0 ? "o.on_hold" : `o.on_hold and o.status <> all(${bind(statuses)})`);
  return { conditions, options };
}

/** An index returns each branch in the requested order, so each reads only the rows it returns. */
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
