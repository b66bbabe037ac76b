import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import type { Actor } from "../../core/actor.ts";
import type { Page } from "../../core/page.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { likePattern, listPage } from "../../db/list-page.ts";
import type { DatedCards, InputStamps } from "../carrier-accounts/tariff-inputs.ts";
import type { Target } from "./rate-targets.schemas.ts";
import type { ComparisonHeader, ComparisonQuery, ComparisonStatus, RatingOptions } from "./rate-comparisons.schemas.ts";
import type { Summary } from "./summary.schemas.ts";

export type ComparisonRow = {
  id: string;
  org_id: string;
  name: string;
  carrier_account_id: string;
  carrier_account_name: string;
  source_carrier: string;
  source_account_id: string | null;
  currency: string;
  status: ComparisonStatus;
  revision: number;
  shown_revision: number | null;
  listed_revision: number | null;
  options: RatingOptions;
  /** Null: one contract. */
  targets: Target[] | null;
  item_count: number;
  processed: number;
  rated: number;
  estimated: number;
  unrateable: number;
  invalid: number;
  excluded: number;
  rate_card_id: string | null;
  rate_card_version: number | null;
  rate_card_name: string | null;
  rate_day: string | null;
  input_stamps: InputStamps | null;
  error: { code: string; message: string } | null;
  created_by: Actor;
  request_id: string | null;
  version: number;
  created_at: Date;
  updated_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
};

/** All columns except the large ones. */
export const comparisonColumns = `id, org_id, name, carrier_account_id, carrier_account_name, source_carrier, source_account_id, currency,
  status, revision, shown_revision, listed_revision, options, targets, item_count, processed, rated, estimated, unrateable,
  invalid, excluded, rate_card_id, rate_card_version, rate_card_name, rate_day, input_stamps, error, created_by, request_id, version,
  created_at, updated_at,
  started_at, finished_at`;

export type NewComparison = {
  id: string;
  header: ComparisonHeader;
  account: { id: string; name: string };
  targets: Target[] | null;
  by: Actor;
  requestId: string;
  at: Date;
};

export async function insertComparison(tx: Tx, orgId: string, made: NewComparison): Promise<void> {
  const { id, header, account, targets, by, requestId, at } = made;
  const { name, sourceCarrier = "", sourceCarrierAccountId = null, options = {} } = header;
  await tx.query(
    `insert into rate_comparisons (id, org_id, name, carrier_account_id, carrier_account_name, source_carrier,
       source_account_id, currency, status, options, item_count, created_by, request_id, created_at, updated_at, targets)
     values ($1, $2, $3, $4, $5, $6, $7, 'USD', 'draft', $8, 0, $9, $10, $11, $11, $12)`,
    [
      id,
      orgId,
      name,
      account.id,
      account.name,
      sourceCarrier,
      sourceCarrierAccountId,
      options,
      by,
      requestId,
      at,
      targets === null ? null : JSON.stringify(targets),
    ],
  );
}

/** Sets the totals after all items were inserted. */
export async function saveItemTotals(
  tx: Tx,
  orgId: string,
  id: string,
  { count, shipDays }: { count: number; shipDays: string[] },
): Promise<ComparisonRow> {
  const [row] = await tx.query<ComparisonRow>(
    `update rate_comparisons set item_count = $3, ship_days = $4 where org_id = $1 and id = $2 returning ${comparisonColumns}`,
    [orgId, id, count, shipDays],
  );
  return row!;
}

export async function listShipDays(db: Queryable, orgId: string, id: string): Promise<string[]> {
  const [row] = await db.query<{ days: string[] }>(
    "select ship_days as days from rate_comparisons where org_id = $1 and id = $2",
    [orgId, id],
  );
  return row?.days ?? [];
}

export async function getComparison(
  db: Queryable,
  orgId: string,
  id: string,
  ending: "" | "for update" = "",
): Promise<ComparisonRow> {
  const text = `select ${comparisonColumns} from rate_comparisons where org_id = $1 and id = $2 ${ending}`;
  const [row] = await db.query<ComparisonRow>(text, [orgId, id]);
  return orNotFound("rate_comparison", row);
}

export async function listComparisons(
  db: Queryable,
  orgId: string,
  query: ComparisonQuery,
): Promise<Page<ComparisonRow>> {
  return await listPage<ComparisonRow>(db, query, {
    select: comparisonColumns,
    from: "rate_comparisons",
    where: [
      ["org_id = ?", orgId],
      ["status = ?", query.status],
      ["name ilike ?", likePattern(query.search)],
    ],
    orderBy: "created_at desc, id desc",
  });
}

/** Locks one finished comparison that was not changed since `before`. */
export async function lockOldComparisonAcrossOrgs(
  tx: Tx,
  before: Date,
): Promise<{ id: string; org_id: string } | undefined> {
  const [row] = await tx.query<{ id: string; org_id: string }>(
    `select id, org_id from rate_comparisons
      where due_at is null and status not in ('queued', 'processing') and updated_at < $1
      order by updated_at limit 1 for update skip locked`,
    [before],
  );
  return row;
}

export async function deleteComparison(tx: Tx, orgId: string, id: string): Promise<void> {
  await tx.query("delete from rate_comparisons where org_id = $1 and id = $2", [orgId, id]);
}

export type Start = {
  options: RatingOptions;
  card: { id: string | null; version: number | null; name: string; card: RateCard };
  sourceCard: RateCard | null;
  datedCards: { target: DatedCards; source: DatedCards } | null;
  cardStamps: InputStamps;
  day: string;
  requestId: string;
  at: Date;
};

/** Starts a new revision; the results of the previous one stay until it is completed. */
export async function startRevision(tx: Tx, orgId: string, id: string, start: Start): Promise<ComparisonRow> {
  const [row] = await tx.query<ComparisonRow>(
    `update rate_comparisons set status = 'queued', revision = revision + 1, processed = 0, rated = 0, estimated = 0,
       unrateable = 0, invalid = 0, excluded = 0, options = $3, rate_card_id = $4, rate_card_version = $5,
       rate_card_name = $6, card = $7, source_card = $8, rate_day = $9, currency = $10, profiles = null, totals = null,
       dated_cards = $13, inputs_digest = null, input_stamps = $14, error = null, request_id = $11, started_at = $12, finished_at = null, updated_at = $12, due_at = now(),
       lease_owner = null, lease_until = null, tries = 0, version = version + 1
      where org_id = $1 and id = $2 returning ${comparisonColumns}`,
    [
      orgId,
      id,
      start.options,
      start.card.id,
      start.card.version,
      start.card.name,
      JSON.stringify(start.card.card),
      start.sourceCard === null ? null : JSON.stringify(start.sourceCard),
      start.day,
      start.card.card.currency ?? "USD",
      start.requestId,
      start.at,
      start.datedCards === null ? null : JSON.stringify(start.datedCards),
      JSON.stringify(start.cardStamps),
    ],
  );
  return row!;
}

export async function findSummary(db: Queryable, orgId: string, id: string): Promise<Summary | null | undefined> {
  const [row] = await db.query<{ summary: Summary | null }>(
    "select summary from rate_comparisons where org_id = $1 and id = $2",
    [orgId, id],
  );
  return row?.summary;
}
