import type { Page } from "../../core/page.ts";
import { offsetOf, toPage } from "../../core/page.ts";
import { listStates } from "../../core/region-names.ts";
import { splitNames } from "../../core/schema.ts";
import { knownPrefixes, prefixesOfState } from "../../core/zip-states.ts";
import { stateCodeOf } from "../../carriers/zones/zip.ts";
import { selectAs } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import { likePattern } from "../../db/list-page.ts";
import { countByKind, findByKind } from "./item-kinds.store.ts";
import type { Item, ItemFilter, ItemQuery } from "./rate-items.schemas.ts";
import type { RateResult } from "./rate-item.ts";
import { wholeInput } from "./rate-items.store.ts";

/** An item with its result, if it has one. */
export type ItemRow = Pick<
  Item,
  "trackingNumber" | "chargeType" | `${"origin" | "destination"}${"Zip" | "City" | "State"}`
> &
  Omit<RateResult, "status" | "lines" | "assumed"> & {
    position: number;
    netCents: number;
    serviceType: string;
    input: string;
    revision: number | null;
    status: RateResult["status"] | null;
    savingsCents: number | null;
    lines: [code: string, cents: number][] | null;
  };

const ofItem = "position trackingNumber netCents serviceType chargeType";
const places = "originZip originCity originState destinationZip destinationCity destinationState";
const ofResult =
  "revision status reason zone basis zoneSource distanceMiles alternativeZone serviceLevel targetService lines sourceService residential";
const numbers = "targetCents savingsCents lowCents highCents ratedMg breakEvenMg";
const columns = [
  selectAs("i", `${ofItem} ${places}`),
  `${wholeInput} as input`,
  selectAs("r", `${ofResult} ${numbers}`),
].join(", ");

/**
 * Forces a primary-key lookup of the result per item (`offset 0` prevents flattening). For a comparison newer than the
 * statistics the planner expects one row and would choose a nested loop over all items and all results.
 */
const withResults = `rate_items i left join lateral (
    select r.* from rate_results r
     where r.comparison_id = $1 and r.revision = $2 and r.position = i.position offset 0) r on true
  where i.comparison_id = $1`;
const itemsAlone = "rate_items i where i.comparison_id = $1 and $2::integer is not null";
const resultsAlone = "rate_results r where r.comparison_id = $1 and r.revision = $2";

type Where = { text: string; values: unknown[]; isOnItems: boolean; isOnResults: boolean };

export type Shown = {
  id: string;
  revision: number;
  itemCount: number;
  /** Number of items with a result. Items are processed in order, so these are the first ones. */
  done: number;
  /** `rate_item_kinds` contains this revision. */
  isListed: boolean;
  sumsCharges: boolean;
};

/** The items of a page, and the total. */
type FoundItems = { positions: number[]; total: number };

/** Finds the positions of the page, then reads these items. Undefined: another revision has replaced this one meanwhile. */
export async function listItems(db: Queryable, shown: Shown, query: ItemQuery): Promise<Page<ItemRow> | undefined> {
  const { positions, total } = await findPage(db, shown, query);
  const rows = await readItems(db, shown, positions);
  return rows && toPage(rows, total, query);
}

/** By position without a filter, by kinds for most filters, else by scanning all items. */
async function findPage(db: Queryable, shown: Shown, query: ItemQuery): Promise<FoundItems> {
  const { status, zone, serviceType, outcome, basis, reason, sort = "position", page, limit, ...others } = query;
  const filter = { status, zone, serviceType, outcome, basis, reason };
  const offset = offsetOf({ page, limit });
  if (Object.values(others).some((value) => value !== undefined)) return await findItems(db, shown, query);
  if (Object.values(filter).every((value) => value === undefined) && sort === "position") {
    const total = shown.itemCount;
    const length = Math.max(0, Math.min(limit, total - offset));
    return { total, positions: Array.from({ length }, (_, i) => offset + i) };
  }
  if (!shown.isListed) return await findItems(db, shown, query);
  if (sort === "position") return await findByKind(db, shown, filter, { offset, limit });
  return await findItems(db, shown, query, await countByKind(db, shown, filter));
}

const searched = [
  "i.tracking_number",
  ...["origin", "destination"].flatMap((end) => ["zip", "city", "state"].map((part) => `i.${end}_${part}`)),
];
/** Separates the searched columns: one search in their concatenation is several times faster than one per column. */
const separator = "\u001F";

const state = "upper(btrim(coalesce(i.destination_state, '')))";
const isTwoLetters = `${state} ~ '^[A-Z]{2}$'`;
const digitsOf = (pattern: string): string => `substring(i.destination_zip from '^\\s*${pattern}\\s*$')`;
/** The ZIP3 that `normaliseZip` would return. No question marks, which are placeholders here. */
const zip3 = `left(lpad(coalesce(${digitsOf(String.raw`(\d{4,5})(|-\d{4}|\d{4}|\.0+)`)}, ${digitsOf(String.raw`(\d{3})-{0,1}\d{4}`)}), 5, '0'), 3)`;
const isZip = `coalesce(${zip3} = any(array[${knownPrefixes.map((prefix) => `'${prefix}'`).join(",")}]), false)`;

/** The SQL equivalent of `stateOfPlace`, which the summary uses. */
function stateCondition(wanted: string): [condition: string, value: unknown] {
  const name = stateCodeOf(wanted.trim().toUpperCase());
  if (!/^[A-Z]{2}$/.test(name)) return [`(not ${isZip} and ${state} = ?)`, wanted === "unknown" ? "" : name];
  const [, fullName = ""] = listStates("US").find(([code]) => code === name) ?? [];
  const byName = `not ${isZip} and btrim(regexp_replace(${state}, '[^A-Z]+', ' ', 'g')) = '${fullName.toUpperCase() || "-"}'`;
  return [
    `(${state} = '${name}' or (not ${isTwoLetters} and (${zip3} = any(?) or (${byName}))))`,
    prefixesOfState(name),
  ];
}

function whereOf(shown: Shown, filter: ItemFilter): Where {
  const onItems: string[] = [];
  const onResults: string[] = [];
  const values: unknown[] = [shown.id, shown.revision];
  const add = (list: string[], condition: string, value: unknown): void => {
    if (value !== undefined) list.push(condition.replaceAll("?", `$${values.push(value)}`));
  };
  const statuses = filter.status === undefined ? undefined : splitNames(filter.status);
  // An item without a result is pending.
  if (statuses?.every((status) => status === "pending")) add(onItems, "i.position >= ?", shown.done);
  else if (statuses?.includes("pending") && shown.done < shown.itemCount) {
    onItems.push("true");
    add(onResults, "coalesce(r.status, 'pending') = any(?)", statuses);
  } else add(onResults, "r.status = any(?)", statuses);
  add(onResults, "r.zone = ?", filter.zone);
  add(onResults, "r.basis = any(?)", filter.basis === undefined ? undefined : splitNames(filter.basis));
  add(onResults, "r.reason = any(?)", filter.reason === undefined ? undefined : splitNames(filter.reason));
  const least = filter.minSavings === undefined ? undefined : Math.round(filter.minSavings * 100);
  add(onResults, "r.savings_cents >= ?", least);
  const sign = filter.outcome === undefined ? undefined : { win: 1, loss: -1, tie: 0 }[filter.outcome];
  add(onResults, "sign(r.savings_cents) = ?", sign);
  add(onResults, "r.residential = ?", filter.residential);
  add(onResults, "lower(r.target_service) = lower(?)", filter.targetService);
  // A text search: parsing 250,000 JSON lists would take longer than reading them.
  const line = filter.charge === undefined ? undefined : `[${JSON.stringify(filter.charge)},`;
  add(onResults, "strpos(r.lines::text, ?) > 0", line);
  add(onItems, "lower(i.charge_type) = lower(?)", filter.chargeType);
  if (filter.destinationState !== undefined) {
    add(onItems, ...stateCondition(filter.destinationState));
    // Only parcels, as in the summary, unless additional charges and duplicates are selected.
    const isAskedFor = filter.reason !== undefined || statuses?.includes("excluded");
    if (!isAskedFor) add(onResults, "coalesce(r.reason, '') <> all(?)", ["charge_line", "duplicate"]);
  }
  if (filter.serviceType !== undefined) {
    onItems.push("true");
    add(onResults, "lower(coalesce(r.source_service, i.service_type)) = lower(?)", filter.serviceType);
  }
  if (filter.search?.includes(separator))
    add(onItems, `(${searched.map((column) => `${column} ilike ?`).join(" or ")})`, likePattern(filter.search));
  else add(onItems, `strpos(lower(concat_ws(chr(31), ${searched.join(", ")})), lower(?)) > 0`, filter.search);
  return {
    text: [...onItems, ...onResults].map((condition) => ` and ${condition}`).join(""),
    values,
    isOnItems: onItems.length > 0,
    isOnResults: onResults.length > 0,
  };
}

type ItemSort = NonNullable<ItemQuery["sort"]>;

const orders: Record<ItemSort, { by: string; of: "items" | "results" | "either" }> = {
  position: { by: "position", of: "either" },
  savings: { by: "r.savings_cents asc nulls last, position", of: "results" },
  "-savings": { by: "r.savings_cents desc nulls last, position", of: "results" },
  netCost: { by: "i.net_cents, position", of: "items" },
  "-netCost": { by: "i.net_cents desc, position", of: "items" },
  // A zone name may have ten digits, which overflows integer.
  zone: {
    by: "case when r.zone ~ '^[0-9]+$' then r.zone::bigint end nulls last, r.zone nulls last, position",
    of: "results",
  },
};

/** Scans all items: one table if filter and sort need only one, else both. */
async function findItems(db: Queryable, shown: Shown, query: ItemQuery, knownTotal?: number): Promise<FoundItems> {
  const where = whereOf(shown, query);
  const order = orders[query.sort ?? "position"];
  const allHaveResults = shown.done === shown.itemCount;
  const asksItems = where.isOnItems || order.of === "items";
  const asksResults = where.isOnResults || order.of === "results";
  const table = asksResults && !asksItems && (where.isOnResults || allHaveResults) ? "r" : asksResults ? "both" : "i";
  const from = { r: resultsAlone, i: itemsAlone, both: withResults }[table];
  const own = table === "r" ? "r" : "i";
  const { text, values } = where;
  const found = await db.query<{ position: number }>(
    `select ${own}.position from ${from}${text} order by ${order.by.replace(/\bposition$/, `${own}.position`)}
      limit $${values.length + 1} offset $${values.length + 2}`,
    [...values, query.limit, offsetOf(query)],
  );
  const positions = found.map(({ position }) => position);
  // A page that is not full is the last one, so the total is known without another scan.
  const isLast = positions.length < query.limit && (positions.length > 0 || offsetOf(query) === 0);
  const counted = isLast ? offsetOf(query) + positions.length : undefined;
  return { positions, total: counted ?? knownTotal ?? (await countItems(db, shown, where)) };
}

/** In the order of these positions. Undefined: another revision is shown by now, and this one may be partly deleted. */
async function readItems(db: Queryable, shown: Shown, positions: number[]): Promise<ItemRow[] | undefined> {
  const rows = await db.query<ItemRow | { position: null }>(
    `select x.* from rate_comparisons c
       left join (select ${columns} from ${withResults} and i.position = any($3::integer[])) x on true
      where c.id = $1 and coalesce(c.shown_revision, c.revision) = $2`,
    [shown.id, shown.revision, positions],
  );
  if (rows.length === 0) return undefined;
  const byPosition = new Map(rows.flatMap((row) => (row.position === null ? [] : [[row.position, row] as const])));
  return positions.flatMap((position) => byPosition.get(position) ?? []);
}

async function countItems(db: Queryable, shown: Shown, where: Where): Promise<number> {
  const { text, values, isOnItems, isOnResults } = where;
  if (!isOnItems && !isOnResults) return shown.itemCount;
  const from = !isOnItems ? resultsAlone : isOnResults ? withResults : itemsAlone;
  const [row] = await db.query<{ total: number }>(`select count(*) as total from ${from}${text}`, values);
  return row?.total ?? 0;
}

/**
 * The matching items within a range of positions, for exports. The range has an upper bound because the planner would
 * otherwise scan and sort all remaining items of a comparison that is newer than its statistics.
 */
export async function readItemsFrom(
  db: Queryable,
  shown: Shown,
  filter: ItemFilter,
  position: number,
  count: number,
): Promise<ItemRow[]> {
  const { text, values } = whereOf(shown, filter);
  const from = values.push(position);
  const to = values.push(position + count);
  return await db.query<ItemRow>(
    `select ${columns} from ${withResults}${text} and i.position >= $${from} and i.position < $${to} order by i.position`,
    values,
  );
}
