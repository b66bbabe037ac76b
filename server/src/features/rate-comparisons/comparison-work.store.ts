import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import type { LeasedRow } from "../../queue/leases.ts";
import { leasesOn } from "../../queue/leases.ts";
import type { DatedCards, InputStamps } from "../carrier-accounts/tariff-inputs.ts";
import type { ComparisonRow } from "./rate-comparisons.store.ts";
import { comparisonColumns } from "./rate-comparisons.store.ts";
import type { Summary } from "./summary.schemas.ts";
import type { Totals } from "./tally.ts";
import type { WeightProfile } from "./weight-profile.ts";

type Cards = {
  card: RateCard;
  source_card: RateCard | null;
  /** Cards of days on which others were in effect. */
  dated_cards: { target: DatedCards; source: DatedCards } | null;
  profiles: Record<string, WeightProfile> | null;
};

export type LeasedComparison = LeasedRow & ComparisonRow & Cards & { lease_owner: string };

export const comparisonLeases = leasesOn<LeasedComparison>({
  table: "rate_comparisons",
  columns: `${comparisonColumns}, card, source_card, dated_cards, profiles, lease_owner, tries`,
  attempts: "tries",
  onClaim: () => "status = case t.status when 'queued' then 'processing' else t.status end",
  clock: "database",
  leaseMs: 15_000,
});

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

/** Undefined if it was deleted, restarted or claimed by another worker. */
export async function lockLeased(tx: Tx, row: LeasedComparison): Promise<LockedRow | undefined> {
  const [found] = await tx.query<LockedRow>(
    `select processed, totals, inputs_digest from rate_comparisons
      where org_id = $1 and id = $2 and revision = $3 and lease_owner = $4 for update`,
    [row.org_id, row.id, row.revision, row.lease_owner],
  );
  return found;
}

/** Restarts the revision from the first item with these inputs. */
export async function saveInputs(
  tx: Tx,
  orgId: string,
  id: string,
  { digest, stamps }: { digest: string; stamps: InputStamps },
): Promise<void> {
  await tx.query(
    `update rate_comparisons set inputs_digest = $3, input_stamps = $4, processed = 0, totals = null, rated = 0, estimated = 0,
       unrateable = 0, invalid = 0, excluded = 0 where org_id = $1 and id = $2`,
    [orgId, id, digest, JSON.stringify(stamps)],
  );
}

/** Saves progress and sums with each batch and resets the attempts. */
export function saveProgress(tx: Tx, orgId: string, id: string, processed: number, totals: Totals): void {
  const { rated = 0, estimated = 0, unrateable = 0, invalid = 0, excluded = 0 } = totals.byStatus;
  tx.queue(
    `update rate_comparisons set processed = $3, totals = $4, rated = $5, estimated = $6, unrateable = $7, invalid = $8,
       excluded = $9, tries = 0 where org_id = $1 and id = $2`,
    [orgId, id, processed, JSON.stringify(totals), rated, estimated, unrateable, invalid, excluded],
  );
}

/** Publishes the results. The comparison is due once more, to delete those of earlier revisions. */
export async function completeComparison(
  tx: Tx,
  orgId: string,
  id: string,
  end: { status: "completed" | "completed_with_errors"; summary: Summary; at: Date },
): Promise<number> {
  const [row] = await tx.query<{ version: number }>(
    `update rate_comparisons set status = $3, summary = $4, error = null, shown_revision = revision,
       listed_revision = revision, finished_at = $5, updated_at = $5, due_at = now(), lease_owner = null, lease_until = null, tries = 0, version = version + 1
      where org_id = $1 and id = $2 returning version`,
    [orgId, id, end.status, JSON.stringify(end.summary), end.at],
  );
  return row!.version;
}

export async function failComparison(
  tx: Tx,
  orgId: string,
  id: string,
  error: { code: string; message: string },
  at: Date,
): Promise<number> {
  const [row] = await tx.query<{ version: number }>(
    `update rate_comparisons set status = 'failed', error = $3, finished_at = $4, updated_at = $4, due_at = null,
       lease_owner = null, lease_until = null, version = version + 1 where org_id = $1 and id = $2
       returning version`,
    [orgId, id, error, at],
  );
  return row!.version;
}

export async function endClearing(db: Queryable, row: LeasedComparison): Promise<void> {
  await db.query(
    `update rate_comparisons set due_at = null, lease_owner = null, lease_until = null
      where org_id = $1 and id = $2 and revision = $3 and lease_owner = $4`,
    [row.org_id, row.id, row.revision, row.lease_owner],
  );
}

/** The cards and profiles of the last processing, for scenarios. */
export async function findCards(db: Queryable, orgId: string, id: string): Promise<Cards | undefined> {
  const [row] = await db.query<Cards>(
    "select card, source_card, dated_cards, profiles from rate_comparisons where org_id = $1 and id = $2 and card is not null",
    [orgId, id],
  );
  return row;
}
