import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import type { ComparisonStatus } from "./rate-comparisons.schemas.ts";
import type { ComparisonRow } from "./rate-comparisons.store.ts";
import { comparisonColumns } from "./rate-comparisons.store.ts";
import type { Summary } from "./summary.schemas.ts";
import type { Totals } from "./tally.ts";
import type { WeightProfile } from "./weight-profile.ts";

/** How long a silent worker is believed to be alive. By the clock of the database, the only one all nodes share. */
const lease = "now() + interval '15 seconds'";

export type ClaimedRow = ComparisonRow & {
  card: RateCard;
  source_card: RateCard | null;
  profiles: Record<string, WeightProfile> | null;
  totals: Totals | null;
};

/** Takes the comparison for this worker, unless another one that is alive has it. */
export async function claimAcrossOrgs(db: Queryable, id: string, worker: string): Promise<ClaimedRow | undefined> {
  const [row] = await db.query<ClaimedRow>(
    `update rate_comparisons set status = 'processing', worker = $2, lease_until = ${lease}
      where id = $1 and status in ('queued', 'processing') and (worker is null or worker = $2 or lease_until < now())
      returning ${comparisonColumns}, card, source_card, profiles, totals`,
    [id, worker],
  );
  return row;
}

export async function saveProfiles(
  db: Queryable,
  orgId: string,
  id: string,
  profiles: Record<string, WeightProfile>,
): Promise<void> {
  await db.query("update rate_comparisons set profiles = $3 where org_id = $1 and id = $2", [
    orgId,
    id,
    JSON.stringify(profiles),
  ]);
}

type LockedRow = { processed: number; totals: Totals | null; inputs_digest: string | null };

/** Locks the comparison for one chunk; undefined when it was deleted, started anew or taken by another worker. */
export async function lockForChunk(
  tx: Tx,
  row: { org_id: string; id: string; revision: number },
  worker: string,
): Promise<LockedRow | undefined> {
  const [found] = await tx.query<LockedRow>(
    `select processed, totals, inputs_digest from rate_comparisons
      where org_id = $1 and id = $2 and revision = $3 and worker = $4 and status = 'processing' for update`,
    [row.org_id, row.id, row.revision, worker],
  );
  return found;
}

/** From the first item on, with these. */
export async function saveInputs(tx: Tx, orgId: string, id: string, digest: string): Promise<void> {
  await tx.query(
    `update rate_comparisons set inputs_digest = $3, processed = 0, totals = null, rated = 0, estimated = 0,
       unrateable = 0, invalid = 0, excluded = 0 where org_id = $1 and id = $2`,
    [orgId, id, digest],
  );
}

/** Progress, sums and lease in one go, with every chunk that is done. */
export async function saveProgress(
  tx: Tx,
  orgId: string,
  id: string,
  processed: number,
  totals: Totals,
): Promise<void> {
  const { rated = 0, estimated = 0, unrateable = 0, invalid = 0, excluded = 0 } = totals.byStatus;
  await tx.query(
    `update rate_comparisons set processed = $3, totals = $4, rated = $5, estimated = $6, unrateable = $7, invalid = $8,
       excluded = $9, lease_until = ${lease} where org_id = $1 and id = $2`,
    [orgId, id, processed, JSON.stringify(totals), rated, estimated, unrateable, invalid, excluded],
  );
}

/** Returns the version that it has by that. */
export async function finishComparison(
  tx: Tx,
  orgId: string,
  id: string,
  end: {
    status: ComparisonStatus;
    summary: Summary | null;
    isListed: boolean;
    error: { code: string; message: string } | null;
    at: Date;
  },
): Promise<number> {
  const [row] = await tx.query<{ version: number }>(
    `update rate_comparisons set status = $3, summary = coalesce($4, summary), error = $5, finished_at = $6,
       shown_revision = case when $4::jsonb is null then shown_revision else revision end,
       listed_revision = case when $7 then revision else listed_revision end,
       updated_at = $6, worker = null, lease_until = null, version = version + 1
      where org_id = $1 and id = $2 returning version`,
    [orgId, id, end.status, end.summary === null ? null : JSON.stringify(end.summary), end.error, end.at, end.isListed],
  );
  return row!.version;
}

/** With what it was worked out; for a scenario over the same items. */
export async function findCards(
  db: Queryable,
  orgId: string,
  id: string,
): Promise<Pick<ClaimedRow, "card" | "source_card" | "profiles"> | undefined> {
  const [row] = await db.query<Pick<ClaimedRow, "card" | "source_card" | "profiles">>(
    "select card, source_card, profiles from rate_comparisons where org_id = $1 and id = $2 and card is not null",
    [orgId, id],
  );
  return row;
}

export async function releaseAcrossOrgs(db: Queryable, id: string, worker: string): Promise<void> {
  await db.query("update rate_comparisons set worker = null, lease_until = null where id = $1 and worker = $2", [
    id,
    worker,
  ]);
}

export async function releaseAllAcrossOrgs(db: Queryable): Promise<void> {
  await db.query(
    "update rate_comparisons set worker = null, lease_until = null where status in ('queued', 'processing')",
  );
}

/** Comparisons that wait for a worker, or whose worker is silent. */
export async function listWaitingAcrossOrgs(db: Queryable): Promise<{ id: string }[]> {
  return await db.query<{ id: string }>(
    `select id from rate_comparisons where status in ('queued', 'processing')
      and (lease_until is null or lease_until < now()) order by created_at limit 20`,
  );
}
