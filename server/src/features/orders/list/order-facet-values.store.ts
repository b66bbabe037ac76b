import type { Queryable } from "../../../db/database.ts";
import { likePattern } from "../../../db/list-page.ts";
import type { OrderFilter } from "../order-filter.schemas.ts";
import { priorities } from "../orders.states.ts";
import type { FacetField } from "./facet-fields.ts";
import { selectMatching } from "./order-list.store.ts";

/** `sql`: the values of an order `o`, as rows with the column `value`. `own`: the filters that the values are chosen for. */
type Facet = { sql: string; own: (keyof OrderFilter)[] };

const column = (sql: string, ...own: (keyof OrderFilter)[]): Facet => ({ sql: `select ${sql} as value`, own });

/** Each value once for an order; of tags that differ only in case, one. */
const listed = (list: string, value: string, ...own: (keyof OrderFilter)[]): Facet => ({
  sql: `select min(${value}) as value from ${list} as part group by lower(${value})`,
  own,
});

const facets: Record<FacetField, Facet> = {
  status: {
    sql: "select o.status as value union all select 'on_hold' where o.on_hold",
    own: ["status", "statusNot"],
  },
  // Values are added to "all of", so these keep counting.
  tag: listed("unnest(o.tags)", "part", "tag", "tagsAny", "tagsNone"),
  holdReason: listed("jsonb_array_elements(o.holds)", "part ->> 'reason'", "holdReason", "holdReasonNot"),
  sku: {
    sql: "select distinct part ->> 'sku' as value from jsonb_array_elements(o.lines) as part",
    own: ["sku", "skuNot"],
  },
  service: column("o.shipping ->> 'service'", "service", "serviceNot"),
  carrier: column("o.shipping ->> 'carrier'", "carrier", "carrierNot"),
  country: column("upper((o.shipping_address ->> 'countryCode') collate \"C\")", "country", "countryNot"),
  channel: column("o.channel", "channel", "channelNot"),
  locationId: column("o.location_id::text", "locationId", "locationIdNot"),
  bridgeId: column("o.bridge_id::text", "bridgeId", "bridgeIdNot"),
  assigneeId: column("o.assignee_id::text", "assigneeId", "assigneeIdNot"),
  priority: column(`(array['${priorities.join("', '")}'])[o.priority + 1]`, "priority", "priorityNot"),
  paymentStatus: column("o.payment_status", "paymentStatus", "paymentStatusNot"),
};

const maxCounted = 50_000;

export type FacetValues = { values: { value: string; count: number }[]; isCapped: boolean };

/**
 * Counts the values of a field in the orders that match the other filters. The orders are found as for a list (`matching`,
 * materialized and bounded, so that the time does not grow with the table), then read once by primary key.
 */
export async function countFacetValues(
  db: Queryable,
  orgId: string,
  filter: OrderFilter,
  { field, valueSearch, limit = 50 }: { field: FacetField; valueSearch?: string; limit?: number },
): Promise<FacetValues> {
  const { sql, own } = facets[field];
  const others = Object.fromEntries(Object.entries(filter).filter(([name]) => !own.some((one) => one === name)));
  const { text, values } = selectMatching(orgId, others);
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const key = field === "tag" ? "lower(f.value)" : "f.value";
  const rows = await db.query<{ value: string | null; count: number }>(
    `with matching as materialized (select m.id from (${text}) m limit ${maxCounted + 1}),
     counted as (
       select min(f.value) as value, count(*)::integer as count
         from (select id from matching limit ${maxCounted}) m
         join orders o on o.id = m.id
        cross join lateral (${sql}) f
        where f.value is not null and f.value <> '' and lower(f.value) like lower(${bind(likePattern(valueSearch ?? ""))})
        group by ${key})
     (select value, count from counted order by count desc, lower(value) limit ${bind(limit)})
     union all
     select null, greatest(count(*) - ${maxCounted}, 0)::integer from matching`,
    values,
  );
  return {
    values: rows.flatMap(({ value, count }) => (value === null ? [] : [{ value, count }])),
    isCapped: rows.some(({ value, count }) => value === null && count > 0),
  };
}
