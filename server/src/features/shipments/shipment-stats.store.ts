import type { Queryable, Tx } from "../../db/database.ts";
import type { Contribution, Shipment, Sums } from "./shipment.ts";
import { contributionsOf, noSums } from "./shipment.ts";
import type { RiskReason } from "./shipments.states.ts";
import { riskReasons } from "./shipments.states.ts";

/**
 * Updates the sums for changed shipments; new ones have no `before`. Call it last in the transaction: it locks rows that all
 * writers of the organization share.
 */
export async function addToStats(
  tx: Tx,
  orgId: string,
  changes: { before?: Shipment; after: Shipment }[],
): Promise<void> {
  const counts = new Map<string, number>();
  const quarters = new Map<string, Contribution>();
  for (const { before, after } of changes) {
    if (before) addShipment(counts, quarters, before, -1);
    addShipment(counts, quarters, after, 1);
  }
  const countRows = [...counts].filter(([, count]) => count !== 0).map(([status, count]) => ({ status, count }));
  // Sorted, so that concurrent writers lock the rows in the same order.
  countRows.sort((a, b) => (a.status < b.status ? -1 : 1));
  const sumRows = [...quarters.values()].filter((sum) => sumNames.some((name) => sum[name] !== 0));
  sumRows.sort((a, b) => (a.quarter < b.quarter ? -1 : 1));
  if (countRows.length > 0) {
    await tx.query(
      `insert into shipment_counts as c (org_id, status, count)
       select $1, u.status, u.count from jsonb_to_recordset($2::jsonb) as u (status text, count bigint)
       on conflict (org_id, status) do update set count = c.count + excluded.count`,
      [orgId, JSON.stringify(countRows)],
    );
  }
  if (sumRows.length > 0) {
    await tx.query(
      `with told as (
         select * from jsonb_to_recordset($2::jsonb) as u (quarter timestamptz, delivered integer, "transitCount" integer,
           "transitMs" bigint, evaluated integer, "onTime" integer)
       ), quarters as (
         insert into shipment_sums as s (org_id, quarter, ${sumColumns})
         select $1, quarter, delivered, "transitCount", "transitMs", evaluated, "onTime" from told
         on conflict (org_id, quarter) do update set ${addedUp}
       )
       insert into shipment_day_sums as s (org_id, day, ${sumColumns})
       select $1, date_bin('1 day', quarter, 'epoch') as day, sum(delivered), sum("transitCount"), sum("transitMs"), sum(evaluated),
              sum("onTime")
         from told group by day order by day
       on conflict (org_id, day) do update set ${addedUp}`,
      [orgId, JSON.stringify(sumRows)],
    );
  }
}

const sumColumns = "delivered, transit_count, transit_ms, evaluated, on_time";
const addedUp = sumColumns
  .split(", ")
  .map((name) => `${name} = s.${name} + excluded.${name}`)
  .join(", ");
const sumNames = Object.keys(noSums) as (keyof Sums)[];

function addShipment(
  counts: Map<string, number>,
  quarters: Map<string, Contribution>,
  shipment: Shipment,
  sign: 1 | -1,
): void {
  counts.set(shipment.status, (counts.get(shipment.status) ?? 0) + sign);
  for (const { quarter, ...sums } of contributionsOf(shipment)) {
    const sum = quarters.getOrInsertComputed(quarter, () => ({ quarter, ...noSums }));
    for (const name of sumNames) sum[name] += sign * sums[name];
  }
}

export async function readStatusCounts(
  db: Queryable,
  orgId: string | null,
): Promise<{ status: Shipment["status"]; count: number }[]> {
  return await db.query(
    `select status, sum(count)::bigint as count from shipment_counts where $1::uuid is null or org_id = $1
      group by status`,
    [orgId],
  );
}

/** A time range; `before` is exclusive. */
export type Span = { from: string; before: string };

const summed = `coalesce(sum(delivered), 0)::bigint as delivered, coalesce(sum(transit_count), 0)::bigint as "transitCount",
  coalesce(sum(transit_ms), 0)::bigint as "transitMs", coalesce(sum(evaluated), 0)::bigint as evaluated,
  coalesce(sum(on_time), 0)::bigint as "onTime"`;

/** Reads whole UTC days from the daily sums and the rest at both ends from the quarter-hour sums. */
export async function sumSpan(db: Queryable, orgId: string | null, { from, before }: Span): Promise<Sums> {
  const end = Date.parse(before);
  const wholeFrom = Math.min(Math.ceil(Date.parse(from) / dayMs) * dayMs, end);
  const wholeBefore = Math.max(Math.floor(end / dayMs) * dayMs, wholeFrom);
  const edges = [from, new Date(wholeFrom).toISOString(), new Date(wholeBefore).toISOString(), before];
  const [row] = await db.query<Sums>(
    `select ${summed} from (
       select ${sumColumns} from shipment_sums where ${forOrg(orgId)} and quarter >= $2 and quarter < $3
       union all
       select ${sumColumns} from shipment_day_sums where ${forOrg(orgId)} and day >= $3 and day < $4
       union all
       select ${sumColumns} from shipment_sums where ${forOrg(orgId)} and quarter >= $4 and quarter < $5
     ) as parts`,
    [orgId, ...edges],
  );
  return row!;
}

type KeyedSums = Sums & { key: string };
type SpanUpTo = Span & { now: string };

/**
 * Each day of the window, including days without data. `begins`: the start of each day, and of the day after the last.
 * Shipments without a delivery attempt count on the day their promise ended.
 */
export async function sumDays(
  db: Queryable,
  orgId: string | null,
  days: string[],
  begins: string[],
  now: string,
): Promise<KeyedSums[]> {
  const isOfUtc = begins.every((moment) => Date.parse(moment) % dayMs === 0);
  const [table, column] = isOfUtc ? ["shipment_day_sums", "day"] : ["shipment_sums", "quarter"];
  const isWithin = (moment: string): string =>
    `${moment} >= ($3::timestamptz[])[1] and ${moment} < ($3::timestamptz[])[cardinality($3)]`;
  return await db.query<KeyedSums>(
    `select w.day as key, ${summed}
       from unnest($2::text[]) with ordinality as w (day, place)
       left join (
         select width_bucket(${column}, $3::timestamptz[]) as place, ${sumColumns}
           from ${table}
          where ${forOrg(orgId)} and ${isWithin(column)}
         union all
         select width_bucket(late_at, $3::timestamptz[]), 0, 0, 0, 1, 0
           from shipments
          where ${forOrg(orgId)} and ${isWithin("late_at")} and ${isOverdue("$4")}
       ) as s using (place)
      group by w.place, w.day order by w.place`,
    [orgId, days, begins, now],
  );
}

const dayMs = 86_400_000;

/** No delivery attempt although the promised day is over. */
function isOverdue(now: string): string {
  return `late_at <= ${now} and first_attempt_at is null`;
}

/** Shipments without a delivery attempt whose promised day ended in this span. */
export async function countOverdue(
  db: Queryable,
  orgId: string | null,
  { from, before, now }: SpanUpTo,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*) as count from shipments where ${forOrg(orgId)} and late_at >= $2 and late_at < $3 and ${isOverdue("$4")}`,
    [orgId, from, before, now],
  );
  return row?.count ?? 0;
}

/** $2 is now. `since`: when the reason began; the carrier's own reports have no time of their own in the index. */
const risks: Record<RiskReason, { where: string; since: string }> = {
  late: { where: "late_at <= $2", since: "late_at" },
  stalled: { where: "stalled_at <= $2", since: "stalled_at" },
  not_accepted: { where: "not_accepted_at <= $2", since: "not_accepted_at" },
  exception: { where: "status = 'exception'", since: "risk_at" },
  attempt_failed: { where: "status = 'attempt_failed'", since: "risk_at" },
  predicted_late: { where: "is_predicted_late", since: "risk_at" },
};

export type RiskCounts = { total: number } & Record<RiskReason, number>;

export async function countRisks(db: Queryable, orgId: string | null, now: string): Promise<RiskCounts> {
  const counts = riskReasons.map((reason) => `count(*) filter (where ${risks[reason].where}) as ${reason}`);
  const [row] = await db.query<RiskCounts>(
    `select count(*) as total, ${counts.join(", ")} from shipments where ${forOrg(orgId)} and risk_at <= $2`,
    [orgId, now],
  );
  return row!;
}

/** Since when the oldest shipment at risk has each reason. Reads the index shipments_at_risk. */
export async function findOldestRisks(
  db: Queryable,
  orgId: string,
  now: string,
): Promise<Record<RiskReason, Date | null>> {
  const oldest = riskReasons.map((reason) => {
    const { where, since } = risks[reason];
    return `min(${since}) filter (where ${where}) as ${reason}`;
  });
  const [row] = await db.query<Record<RiskReason, Date | null>>(
    `select ${oldest.join(", ")} from shipments where org_id = $1 and risk_at <= $2`,
    [orgId, now],
  );
  return row!;
}

/** Uses $1 in both cases: PostgreSQL must be able to infer the type of each parameter. */
function forOrg(orgId: string | null): string {
  return orgId === null ? "$1::uuid is null" : "org_id = $1";
}
