import type { CarrierData } from "../../../carriers/seam/carrier-data.ts";
import type { Queryable, Tx } from "../../../db/database.ts";
import type { PollTime } from "./poll-schedule.ts";

/**
 * A parcel claimed for a tracking poll. Claiming sets `last_polled_at`, so that no other process polls it meanwhile; if
 * the process dies, the parcel is polled again after the usual interval.
 */
export type ClaimedParcel = {
  id: string;
  trackingNumber: string;
  shippedAt: Date;
  carrierData: CarrierData | null;
  /** Values before the claim, to release it. */
  lastPolledAt: Date | null;
  trackAt: Date | null;
};

/** Null if this carrier has no parcel to poll. */
export async function findEarliestTrackAt(db: Queryable, orgId: string, carrierKey: string): Promise<Date | null> {
  const [row] = await db.query<{ first: Date | null }>(
    "select min(track_at) as first from shipments where org_id = $1 and carrier_key = $2",
    [orgId, carrierKey],
  );
  return row!.first;
}

/** The next `track_at`: later for parcels without an event since `quietSince`. */
const nextTrackAt = ([at, quietSince, quietTrackAt]: [string, string, string]): string =>
  `case when coalesce(s.last_event_at, s.shipped_at) < ${quietSince}::timestamptz
        then ${quietTrackAt}::timestamptz
        else ${at}::timestamptz
   end`;

/** The conditions are part of the locking statement, so that the second of two concurrent claims evaluates them again. */
const claim = (which: string): string => `with claimed as (
    select id, last_polled_at, track_at
      from shipments
     where org_id = $1 and ${which})
  update shipments s
     set last_polled_at = $2,
         track_at = ${nextTrackAt(["$2", "$3", "$4"])}
    from claimed
   where s.org_id = $1 and s.id = claimed.id
  returning s.id, s.tracking_number as "trackingNumber", s.shipped_at as "shippedAt", s.carrier_data as "carrierData",
            claimed.last_polled_at as "lastPolledAt", claimed.track_at as "trackAt"`;

/** Claims the parcels polled longest ago, by the index shipments_to_track; concurrent workers get different ones. */
export async function claimDueParcels(
  db: Queryable,
  orgId: string,
  asked: PollTime,
  wanted: { carrierKey: string; dueBefore: Date; limit: number },
): Promise<ClaimedParcel[]> {
  return await db.query<ClaimedParcel>(
    claim("carrier_key = $5 and track_at <= $6 order by track_at, id limit $7 for update skip locked"),
    [orgId, asked.at, asked.quietSince, asked.quietTrackAt, wanted.carrierKey, wanted.dueBefore, wanted.limit],
  );
}

/** Claims one parcel. Undefined if its tracking has ended, or if it is being polled right now. */
export async function claimParcel(
  db: Queryable,
  orgId: string,
  asked: PollTime,
  { id, polledBefore }: { id: string; polledBefore: Date },
): Promise<ClaimedParcel | undefined> {
  // After a clock was set back, last_polled_at can be in the future.
  const isFree = "(last_polled_at is null or last_polled_at <= $6 or last_polled_at > $2)";
  const [parcel] = await db.query<ClaimedParcel>(claim(`id = $5 and track_at is not null and ${isFree} for update`), [
    orgId,
    asked.at,
    asked.quietSince,
    asked.quietTrackAt,
    id,
    polledBefore,
  ]);
  return parcel;
}

/** Releases parcels that were not polled after all, unless another process has claimed them since. */
export async function releaseParcels(
  db: Queryable,
  orgId: string,
  parcels: ClaimedParcel[],
  claimedAt: string,
): Promise<void> {
  await db.query(
    `update shipments s
        set last_polled_at = before.last_polled_at,
            track_at = case when s.track_at is null then null else before.track_at end
       from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[]) as before (id, last_polled_at, track_at)
      where s.org_id = $1 and s.id = before.id and s.last_polled_at = $5`,
    [
      orgId,
      parcels.map(({ id }) => id),
      parcels.map(({ lastPolledAt }) => lastPolledAt),
      parcels.map(({ trackAt }) => trackAt),
      claimedAt,
    ],
  );
}

/** For parcels that were polled and had no updates. */
export async function markPolled(tx: Tx, orgId: string, ids: string[], asked: PollTime): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `update shipments s
        set last_polled_at = $3,
            track_at = case when s.track_at is null then null else ${nextTrackAt(["$3", "$4", "$5"])} end
      where s.org_id = $1 and s.id = any($2::uuid[])`,
    [orgId, ids, asked.at, asked.quietSince, asked.quietTrackAt],
  );
}

/** Stores data that the carrier expects back in tracking requests. */
export async function keepCarrierData(tx: Tx, orgId: string, id: string, data: CarrierData): Promise<void> {
  await tx.query("update shipments set carrier_data = $3 where org_id = $1 and id = $2", [
    orgId,
    id,
    JSON.stringify(data),
  ]);
}
