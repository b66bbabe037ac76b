import { toCents } from "../../../core/money.ts";
import { gramsOf, gramsSql } from "../../../core/weight.ts";
import type { Condition } from "../../../db/list-page.ts";
import type { OrderFilter, WantedStatus } from "../order-filter.schemas.ts";
import type { Priority } from "../orders.states.ts";
import { orderStatuses, paymentStatuses, priorities } from "../orders.states.ts";
import { countryFacet, failedFacet, skuFacet, wantedFields } from "./order-facets.ts";

/** Adds a value to the parameters of the statement and returns its placeholder. */
export type Bind = (value: unknown) => string;

export const taggedAs = (id: string, test: string): string =>
  `exists (select from order_tags x where x.order_id = ${id} and x.tag ${test})`;

export const hasAnyFacet = (id: string, list: string): string =>
  `exists (select from order_facets x where x.order_id = ${id} and x.facet = any(${list}))`;

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
export function conditionsOf(
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
    [hasAnyFacet(id, "?"), filter.sku?.map(skuFacet)],
    [`not ${hasAnyFacet(id, "?")}`, filter.skuNot?.map(skuFacet)],
    [hasAnyFacet(id, "?"), filter.country?.map(countryFacet)],
    [`not ${hasAnyFacet(id, "?")}`, filter.countryNot?.map(countryFacet)],
    [`o.on_hold and ${isHeldFor}`, filter.holdReason && toReasons(filter.holdReason)],
    [`not ${isHeldFor}`, filter.holdReasonNot && toReasons(filter.holdReasonNot)],
    ["o.total_cents >= ?", filter.totalMin && toCents(filter.totalMin)],
    ["o.total_cents <= ?", filter.totalMax && toCents(filter.totalMax)],
    [`${weightSql} >= ?`, filter.weightMin && gramsOf(filter.weightMin)],
    [`${weightSql} <= ?`, filter.weightMax && gramsOf(filter.weightMax)],
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

const isHeldFor = "o.holds @> any(?::jsonb[])";
const toReasons = (reasons: readonly string[]): string[] => reasons.map((reason) => JSON.stringify([{ reason }]));

/** Grams of packages or lines; null if a weight is unknown. */
const gramsIn = (list: string, times: string, where: string): string =>
  `(select case when bool_and(part -> 'weight' is not null) then sum(${gramsSql("part -> 'weight'")} * (part ->> '${times}')::numeric) end
      from jsonb_array_elements(${list}) as part where ${where})`;

/** The weight of an order in conditions (`totalWeight`): that of its packages, or else of its items. */
const weightSql = `case when jsonb_path_exists(o.packages, '$[*].weight')
    then ${gramsIn("o.packages", "count", "true")}
    else ${gramsIn("o.lines", "quantity", "part -> 'requiresShipping' is distinct from 'false'")} end`;
