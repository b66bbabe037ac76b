import type { Page } from "../../core/page.ts";
import { offsetOf, toPage } from "../../core/page.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { likePattern } from "../../db/like-pattern.ts";
import type { RateResult } from "./rate-item.ts";
import type { ItemFilter, ItemQuery } from "./rate-comparisons.schemas.ts";

const separator = "|";

/**
 * A result as one line of text, as `insertResults` takes it. Nothing in it can hold a tab, a line break or a separator:
 * numbers, names of the hub, and codes and zones of a checked card.
 */
export function packResult(result: RateResult, netCents: number): string {
  const { zoneSource, distanceMiles, altZone, serviceLevel, targetService, ratedMg, lowCents, highCents, breakEvenMg } =
    result;
  const { targetCents } = result;
  const savings = targetCents === null ? "" : netCents - targetCents;
  let lines = "";
  for (const { code, cents } of result.lines) lines += `${lines === "" ? "" : " "}${code}:${cents}`;
  return `${result.status}\t${result.reason ?? ""}\t${result.zone ?? ""}\t${result.basis ?? ""}\t${targetCents ?? ""}\t${savings}\t${
    zoneSource ?? ""
  }|${distanceMiles ?? ""}|${altZone ?? ""}|${serviceLevel ?? ""}|${targetService ?? ""}|${ratedMg ?? ""}|${
    lowCents ?? ""
  }|${highCents ?? ""}|${breakEvenMg ?? ""}|${lines}`;
}

/** One statement for all of them; the first belongs to the item at `from`. */
export async function insertResults(
  tx: Tx,
  comparisonId: string,
  revision: number,
  from: number,
  packed: string[],
): Promise<void> {
  await tx.query(
    `insert into rate_results (comparison_id, revision, position, status, reason, zone, basis, target_cents,
       savings_cents, detail)
     select $1, $2::integer, $3::integer + t.n::integer - 1, p[1], nullif(p[2], ''), nullif(p[3], ''), nullif(p[4], ''),
       nullif(p[5], '')::integer, nullif(p[6], '')::integer, p[7]
       from string_to_table($4::text, e'\\n') with ordinality as t (line, n), string_to_array(t.line, e'\\t') as p`,
    [comparisonId, revision, from, packed.join("\n")],
  );
}

export type Detail = Pick<
  RateResult,
  | "distanceMiles"
  | "altZone"
  | "serviceLevel"
  | "targetService"
  | "ratedMg"
  | "lowCents"
  | "highCents"
  | "breakEvenMg"
  | "lines"
> & { zoneSource: string | null };

export function unpackDetail(text: string | null): Detail {
  const [source, miles, alt, level, service, rated, low, high, even, lines = ""] = (text ?? "").split(separator);
  const word = (part: string | undefined): string | null => part || null;
  const number = (part: string | undefined): number | null => (part ? Number(part) : null);
  return {
    zoneSource: word(source),
    distanceMiles: number(miles),
    altZone: word(alt),
    serviceLevel: word(level),
    targetService: word(service),
    ratedMg: number(rated),
    lowCents: number(low),
    highCents: number(high),
    breakEvenMg: number(even),
    lines:
      lines === ""
        ? []
        : lines.split(" ").map((line) => {
            const at = line.lastIndexOf(":");
            return { code: line.slice(0, at), cents: Number(line.slice(at + 1)) };
          }),
  };
}

/** Results of revisions that are not shown any more. */
export async function deleteResultsBefore(db: Queryable, comparisonId: string, revision: number): Promise<void> {
  await db.query("delete from rate_results where comparison_id = $1 and revision < $2", [comparisonId, revision]);
}

export async function deleteResults(tx: Tx, comparisonId: string): Promise<void> {
  await tx.query("delete from rate_results where comparison_id = $1", [comparisonId]);
}

/** Percentiles of what would have been saved, in cents. */
export async function findSavingsPercentiles(
  db: Queryable,
  comparisonId: string,
  revision: number,
  shares: number[],
): Promise<number[]> {
  const [row] = await db.query<{ found: number[] | null }>(
    `select percentile_disc($3::double precision[]) within group (order by savings_cents) as found
       from rate_results where comparison_id = $1 and revision = $2 and savings_cents is not null`,
    [comparisonId, revision, shares],
  );
  return row?.found ?? [];
}

export type ItemRow = {
  position: number;
  tracking_number: string;
  net_cents: number;
  service_type: string;
  origin_zip: string | null;
  origin_city: string | null;
  origin_state: string | null;
  destination_zip: string | null;
  destination_city: string | null;
  destination_state: string | null;
  input: string;
  revision: number | null;
  status: string | null;
  reason: string | null;
  zone: string | null;
  basis: string | null;
  target_cents: number | null;
  savings_cents: number | null;
  detail: string | null;
};

const columns = `i.position, i.tracking_number, i.net_cents, i.service_type, i.origin_zip, i.origin_city, i.origin_state,
  i.destination_zip, i.destination_city, i.destination_state, i.input, r.revision, r.status, r.reason, r.zone, r.basis,
  r.target_cents, r.savings_cents, r.detail`;
const joined = `rate_items i left join rate_results r
  on r.comparison_id = i.comparison_id and r.revision = $2 and r.position = i.position`;

type Where = { text: string; values: unknown[]; isOnResults: boolean; isEmpty: boolean };

function whereOf(comparisonId: string, revision: number, filter: ItemFilter): Where {
  const onItems: string[] = [];
  const onResults: string[] = [];
  const values: unknown[] = [comparisonId, revision];
  const add = (list: string[], condition: string, value: unknown): void => {
    if (value !== undefined) list.push(condition.replaceAll("?", `$${values.push(value)}`));
  };
  const statuses = filter.status?.split(",");
  // An item without a result is pending.
  if (statuses?.includes("pending")) add(onItems, "coalesce(r.status, 'pending') = any(?)", statuses);
  else add(onResults, "r.status = any(?)", statuses);
  add(onResults, "r.zone = ?", filter.zone);
  add(onResults, "r.basis = any(?)", filter.basis?.split(","));
  add(onResults, "r.reason = any(?)", filter.reason?.split(","));
  const least = filter.minSavings === undefined ? undefined : Math.round(filter.minSavings * 100);
  add(onResults, "r.savings_cents >= ?", least);
  const sign = filter.outcome === undefined ? undefined : { win: 1, loss: -1, tie: 0 }[filter.outcome];
  add(onResults, "sign(r.savings_cents) = ?", sign);
  add(onItems, "lower(i.service_type) = lower(?)", filter.serviceType);
  add(
    onItems,
    `(i.tracking_number ilike ? or i.origin_zip ilike ? or i.origin_city ilike ? or i.origin_state ilike ?
      or i.destination_zip ilike ? or i.destination_city ilike ? or i.destination_state ilike ?)`,
    filter.search === undefined ? undefined : likePattern(filter.search),
  );
  return {
    text: [...onItems, ...onResults].map((condition) => ` and ${condition}`).join(""),
    values,
    isOnResults: onItems.length === 0,
    isEmpty: onItems.length + onResults.length === 0,
  };
}

const orders: Record<NonNullable<ItemQuery["sort"]>, string> = {
  position: "i.position",
  savings: "r.savings_cents asc nulls last, i.position",
  "-savings": "r.savings_cents desc nulls last, i.position",
  netCost: "i.net_cents, i.position",
  "-netCost": "i.net_cents desc, i.position",
  zone: "case when r.zone ~ '^[0-9]+$' then r.zone::integer end nulls last, r.zone nulls last, i.position",
};

export type Shown = { id: string; revision: number; itemCount: number };

/** The caller has made sure that the comparison is the organization's own. */
export async function listItems(db: Queryable, shown: Shown, query: ItemQuery): Promise<Page<ItemRow>> {
  const where = whereOf(shown.id, shown.revision, query);
  const { text, values } = where;
  const rows = await db.query<ItemRow>(
    `select ${columns} from ${joined} where i.comparison_id = $1${text} order by ${orders[query.sort ?? "position"]}
      limit $${values.length + 1} offset $${values.length + 2}`,
    [...values, query.limit, offsetOf(query)],
  );
  return toPage(rows, where.isEmpty ? shown.itemCount : await countItems(db, where), query);
}

async function countItems(db: Queryable, { text, values, isOnResults }: Where): Promise<number> {
  const from = isOnResults
    ? `rate_results r where r.comparison_id = $1 and r.revision = $2${text}`
    : `${joined} where i.comparison_id = $1${text}`;
  const [row] = await db.query<{ total: number }>(`select count(*) as total from ${from}`, values);
  return row?.total ?? 0;
}

/** The next items after this position, for an export. */
export async function readItemsAfter(
  db: Queryable,
  shown: Shown,
  filter: ItemFilter,
  after: number,
  count: number,
): Promise<ItemRow[]> {
  const { text, values } = whereOf(shown.id, shown.revision, filter);
  return await db.query<ItemRow>(
    `select ${columns} from ${joined} where i.comparison_id = $1${text} and i.position > $${values.length + 1}
      order by i.position limit $${values.length + 2}`,
    [...values, after, count],
  );
}
