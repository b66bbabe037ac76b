import type { Condition } from "../../../db/list-page.ts";
import { meetAll } from "../../../db/list-page.ts";
import type { Archived, OrderFilter } from "../order-filter.schemas.ts";
import type { Order } from "../order.ts";
import type { Bind } from "./list-conditions.ts";
import { conditionsOf, hasAnyFacet, taggedAs } from "./list-conditions.ts";
import {
  carrierFacet,
  countryFacet,
  failedFacet,
  fieldFacet,
  foldTag,
  serviceFacet,
  skuFacet,
  wantedFields,
} from "./order-facets.ts";
import type { SortName } from "./order-sorts.ts";
import { sortKey } from "./order-sorts.ts";

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

export function archivedOptions(archived: Archived = "false"): boolean[] {
  return archived === "any" ? [false, true] : [archived === "true"];
}

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
  if (sort.endsWith("shipBy") && !hasRange) {
    const [dated, undated] = [split(branches, ["o.ship_by is not null"]), split(branches, ["o.ship_by is null"])];
    branches = [...dated, ...undated.map(({ where }) => ({ where, rank: 1 }))];
  }
  const key = sortKey(sort, at);
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
  const { tag, tagsAll, tagsAny, lastRunFailed, customField, sku, carrier, service, country } = filter;
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
  if (sku) {
    // As with tags: an order may have several of the SKUs.
    const facets = sku.map(skuFacet);
    const options = facets.map((one, i) => (bind: Bind) => {
      const isOne = hasFacet(one)(bind);
      return i === 0 ? isOne : `${isOne} and not ${hasAnyFacet("m.order_id", bind(facets.slice(0, i)))}`;
    });
    return { source: "m", options, rest: without("sku") };
  }
  if (service)
    return { source: "m", options: service.map((one) => hasFacet(serviceFacet(one))), rest: without("service") };
  if (carrier)
    return { source: "m", options: carrier.map((one) => hasFacet(carrierFacet(one))), rest: without("carrier") };
  if (country)
    return { source: "m", options: country.map((one) => hasFacet(countryFacet(one))), rest: without("country") };
  return undefined;
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
