import type { Queryable } from "../../db/database.ts";
import type { Condition } from "../../db/list-page.ts";
import { meetAll } from "../../db/list-page.ts";
import type { Stored } from "../../db/columns.ts";
import type { ShipmentQuery } from "./shipment-answers.schemas.ts";
import { shipmentColumns } from "./shipment-columns.ts";
import { isDecided, isKept, isLeftOut, outcomeAt, partConditions } from "./delivery-terms.store.ts";
import type { Shipment } from "./shipment.ts";
import { trackingKeyOf } from "./shipment.ts";
import type { LeftOutReason, RiskReason, ShipmentStatus } from "./shipments.states.ts";

/** Totals are counted up to here, to keep long lists fast. */
const maxTotal = 10_000;
/** Up to this many prefix matches are sorted; if there are more, scanning from the newest finds a page soon enough. */
const maxRareHits = 2_500;

export type ShipmentFilter = Omit<ShipmentQuery, "page" | "limit" | "status" | "statusNot" | "leftOut"> & {
  status?: ShipmentStatus[];
  statusNot?: ShipmentStatus[];
  leftOut?: LeftOutReason[];
};

type ListedShipment = Shipment & { orgId: string };
export type Found = { shipments: ListedShipment[]; hasMore: boolean; total: number; totalIsCapped: boolean };
type ListedRow = Stored<Shipment> & { orgId: string };
type Range = { limit: number; offset: number };
type Key = { column: string; direction: "asc" | "desc" };
type Plan = { branches: string[]; values: unknown[]; key: Key };

const { fromRow } = shipmentColumns;
const selected = `${shipmentColumns.selected}, s.org_id as "orgId"`;

const ranges = [
  { name: "created", column: "s.created_at", direction: "desc" },
  { name: "shipped", column: "s.shipped_at", direction: "desc" },
  { name: "delivered", column: "s.delivered_at", direction: "desc" },
  { name: "evaluated", column: outcomeAt, direction: "desc" },
  { name: "atRisk", column: "s.risk_at", direction: "asc" },
  { name: "promised", column: "s.promised_date", direction: "asc" },
] as const;

const reasonConditions: Record<RiskReason, (now: string) => Condition> = {
  late: (now) => ["s.late_at <= ?", now],
  predicted_late: () => "s.is_predicted_late",
  stalled: (now) => ["s.stalled_at <= ?", now],
  exception: () => "s.status = 'exception'",
  attempt_failed: () => "s.status = 'attempt_failed'",
  not_accepted: (now) => ["s.not_accepted_at <= ?", now],
};

/** `orgId` null: all organizations. `isLong`: the total was capped recently, so it is not counted again. */
export async function listShipments(
  db: Queryable,
  orgId: string | null,
  filter: ShipmentFilter,
  now: string,
  range: Range,
  isLong = false,
): Promise<Found> {
  const plan = planShipments(orgId, filter, now);
  if (filter.search !== undefined) {
    const rare = await findRare(db, plan, filter.search, range);
    if (rare) return rare;
    addSearch(plan, filter.search);
  }
  // A search that is not rare has more than `maxRareHits` matches.
  const most = filter.search === undefined ? maxTotal : maxRareHits;
  const isKnown = isLong || filter.search !== undefined;
  const [rows, total] = await Promise.all([readSlice(db, plan, range), isKnown ? most + 1 : countUpTo(db, plan)]);
  const hasMore = rows.length > range.limit;
  const shipments = rows.slice(0, range.limit).map(fromRow);
  return { shipments, hasMore, total: Math.min(total, most), totalIsCapped: total > most };
}

function planShipments(orgId: string | null, filter: ShipmentFilter, now: string): Plan {
  const values: unknown[] = [];
  let key: Key = { column: "s.created_at", direction: "desc" };
  const where: Condition[] = [
    ["s.org_id = ?", orgId],
    ["s.order_id = ?", filter.orderId],
    ...partConditions(filter, "s"),
    ["s.status <> all(?)", filter.statusNot],
    ["s.tracking_key = ?", filter.trackingNumber === undefined ? undefined : trackingKeyOf(filter.trackingNumber)],
  ];
  const isRiskRange = filter.atRiskFrom !== undefined || filter.atRiskTo !== undefined;
  if (filter.atRisk !== undefined || filter.riskReason !== undefined || isRiskRange) {
    // One without any risk to come is not at risk either.
    where.push([filter.atRisk === false ? "(s.risk_at is null or s.risk_at > ?)" : "s.risk_at <= ?", now]);
    if (filter.atRisk !== false) key = { column: "s.risk_at", direction: "asc" };
    if (filter.riskReason !== undefined) where.push(reasonConditions[filter.riskReason](now));
  }
  if (filter.leftOut !== undefined) {
    where.push(isLeftOut(filter.leftOut, now));
  } else if (filter.onTime !== undefined || filter.evaluatedFrom !== undefined || filter.evaluatedTo !== undefined) {
    where.push([isDecided("?"), now]);
    if (filter.onTime !== undefined) where.push([`${isKept} = ?`, filter.onTime]);
    key = { column: outcomeAt, direction: "desc" };
  }
  for (const { name, column, direction } of ranges.toReversed()) {
    const [from, to] = [filter[`${name}From`], filter[`${name}To`]];
    // The end of a range of days is inclusive, that of a range of times exclusive.
    where.push([`${column} >= ?`, from], [`${column} ${name === "promised" ? "<=" : "<"} ?`, to]);
    if (from !== undefined || to !== undefined) key = { column, direction };
  }
  const shared = meetAll(where, values);
  // One branch per status: the index shipments_by_status is sorted within each status, but not across several.
  const branches = filter.status?.map((status) => `${shared} and s.status = $${values.push(status)}`) ?? [shared];
  return { branches, values, key };
}

/** Prefixes of tracking numbers and order numbers. */
function beginnings(text: string): { column: string; from: string }[] {
  const tracking = trackingKeyOf(text);
  const order = text.trim().toUpperCase();
  return [
    { column: "s.tracking_key", from: tracking },
    { column: "s.order_key", from: order },
  ].filter(({ from }) => from !== "");
}

const lastCharacter = "\u{10FFFF}";

function startsWith(plan: Plan, text: string): string[] {
  return beginnings(text).map(({ column, from }) => {
    const [first, last] = [plan.values.push(from), plan.values.push(from + lastCharacter)];
    return `${column} >= $${first} and ${column} < $${last}`;
  });
}

function addSearch(plan: Plan, text: string): void {
  const match = startsWith(plan, text).map((condition) => `(${condition})`);
  plan.branches = plan.branches.map(
    (where) => `${where} and ${match.length === 0 ? "false" : `(${match.join(" or ")})`}`,
  );
}

/** Undefined: too many matches to sort all of them. */
async function findRare(db: Queryable, plan: Plan, text: string, range: Range): Promise<Found | undefined> {
  const values = [...plan.values];
  const matches = startsWith({ ...plan, values }, text);
  if (matches.length === 0) return { shipments: [], hasMore: false, total: 0, totalIsCapped: false };
  const parts = plan.branches.flatMap((where) =>
    matches.map(
      (match) =>
        `(select s.id, ${plan.key.column} as k from shipments s where ${where} and ${match} limit ${maxRareHits + 1})`,
    ),
  );
  const { direction } = plan.key;
  const [row] = await db.query<{ total: number; ids: string[] }>(
    `with hits as materialized (${parts.join(" union ")})
     select (select count(*) from hits) as total,
       array(select id from hits order by k ${direction}, id ${direction} limit ${range.limit} offset ${range.offset}) as ids`,
    values,
  );
  const { total, ids } = row!;
  if (total > maxRareHits) return undefined;
  const rows = await db.query<ListedRow>(
    `select ${selected} from unnest($1::uuid[]) with ordinality as p (id, n) join shipments s on s.id = p.id order by p.n`,
    [ids],
  );
  return { shipments: rows.map(fromRow), hasMore: total > range.offset + range.limit, total, totalIsCapped: false };
}

/** The shipments of the page, plus one more if there is a next page. */
async function readSlice(
  db: Queryable,
  { branches, values, key }: Plan,
  { limit, offset }: Range,
): Promise<ListedRow[]> {
  const { column, direction } = key;
  const end = offset + limit + 1;
  const parts = branches.map(
    (where) =>
      `(select s.id, ${column} as k from shipments s where ${where} order by ${column} ${direction}, s.id ${direction} limit ${end})`,
  );
  return await db.query<ListedRow>(
    `select ${selected} from (
       select * from (${parts.join(" union all ")}) u order by k ${direction}, id ${direction} limit ${limit + 1} offset ${offset}) p
       join shipments s on s.id = p.id order by p.k ${direction}, p.id ${direction}`,
    values,
  );
}

async function countUpTo(db: Queryable, { branches, values }: Plan): Promise<number> {
  const parts = branches.map((where) => `select 1 from shipments s where ${where}`);
  const [row] = await db.query<{ total: number }>(
    `select count(*) as total from (${parts.join(" union all ")} limit ${maxTotal + 1}) c`,
    values,
  );
  return row?.total ?? 0;
}
