import type { CarrierData } from "../../../carriers/carrier.ts";
import type { Queryable, Tx } from "../../../db/database.ts";
import type { Asking } from "./tracking-turns.ts";

/**
 * A parcel that its carrier is about to be asked about. It counts as asked about from then on, so that nobody else asks
 * meanwhile; what a process that dies leaves behind has its turn again like any other.
 */
export type Turn = {
  id: string;
  trackingNumber: string;
  shippedAt: Date;
  carrierData: CarrierData | null;
  /** As they were before, for giving the turn back. */
  lastPolledAt: Date | null;
  trackAt: Date | null;
};

/** Null when there is nothing to ask this carrier about. */
export async function findFirstTurn(db: Queryable, orgId: string, carrierKey: string): Promise<Date | null> {
  const [row] = await db.query<{ first: Date | null }>(
    "select min(track_at) as first from shipments where org_id = $1 and carrier_key = $2",
    [orgId, carrierKey],
  );
  return row!.first;
}

/** When the next turn is counted from: later where nothing was heard since `quietSince`. */
const nextTurn = ([at, quietSince, quietTurnAt]: [string, string, string]): string =>
  `case when coalesce(s.last_event_at, s.shipped_at) < ${quietSince}::timestamptz
     then ${quietTurnAt}::timestamptz else ${at}::timestamptz end`;

/** The conditions belong to the statement that locks: of two at the same time, the second looks at them again. */
const takeTurns = (which: string): string => `with turns as (
    select id, last_polled_at, track_at from shipments where org_id = $1 and ${which})
  update shipments s set last_polled_at = $2, track_at = ${nextTurn(["$2", "$3", "$4"])}
    from turns t where s.org_id = $1 and s.id = t.id
  returning s.id, s.tracking_number as "trackingNumber", s.shipped_at as "shippedAt", s.carrier_data as "carrierData",
    t.last_polled_at as "lastPolledAt", t.track_at as "trackAt"`;

/** The parcels that the carrier was asked about longest ago; two nodes get different ones. */
export async function takeDueTurns(
  db: Queryable,
  orgId: string,
  asked: Asking,
  wanted: { carrierKey: string; dueBefore: Date; limit: number },
): Promise<Turn[]> {
  return await db.query<Turn>(
    takeTurns("carrier_key = $5 and track_at <= $6 order by track_at, id limit $7 for update skip locked"),
    [orgId, asked.at, asked.quietSince, asked.quietTurnAt, wanted.carrierKey, wanted.dueBefore, wanted.limit],
  );
}

/** Nothing when it is not open any more, or when the carrier is being asked at this moment. */
export async function takeTurn(
  db: Queryable,
  orgId: string,
  asked: Asking,
  { id, askedBefore }: { id: string; askedBefore: Date },
): Promise<Turn | undefined> {
  // A clock that was set back leaves times behind that have not come yet.
  const isFree = "(last_polled_at is null or last_polled_at <= $6 or last_polled_at > $2)";
  const [turn] = await db.query<Turn>(takeTurns(`id = $5 and track_at is not null and ${isFree} for update`), [
    orgId,
    asked.at,
    asked.quietSince,
    asked.quietTurnAt,
    id,
    askedBefore,
  ]);
  return turn;
}

/** For those about whom nobody was asked in the end, unless somebody else took the turn since. */
export async function giveBackTurns(db: Queryable, orgId: string, turns: Turn[], takenAt: string): Promise<void> {
  await db.query(
    `update shipments s set last_polled_at = t.last_polled_at, track_at = case when s.track_at is null then null else t.track_at end
       from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[]) as t (id, last_polled_at, track_at)
      where s.org_id = $1 and s.id = t.id and s.last_polled_at = $5`,
    [
      orgId,
      turns.map(({ id }) => id),
      turns.map(({ lastPolledAt }) => lastPolledAt),
      turns.map(({ trackAt }) => trackAt),
      takenAt,
    ],
  );
}

/** The carrier was asked about them and had no news. */
export async function markAsked(tx: Tx, orgId: string, ids: string[], asked: Asking): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `update shipments s set last_polled_at = $3, track_at = case when s.track_at is null then null
         else ${nextTurn(["$3", "$4", "$5"])} end where s.org_id = $1 and s.id = any($2::uuid[])`,
    [orgId, ids, asked.at, asked.quietSince, asked.quietTurnAt],
  );
}

/** What the carrier wants back when it is asked about the parcel. */
export async function keepCarrierData(tx: Tx, orgId: string, id: string, data: CarrierData): Promise<void> {
  await tx.query("update shipments set carrier_data = $3 where org_id = $1 and id = $2", [
    orgId,
    id,
    JSON.stringify(data),
  ]);
}
