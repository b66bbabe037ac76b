import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import type { ChartRow } from "../../carriers/zones/zone-chart.ts";
import type { Actor } from "../../core/actor.ts";
import type { Page } from "../../core/page.ts";
import { offsetOf, toPage } from "../../core/page.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { RateCardInfo, RateCardQuery, ZoneChartInfo, ZoneChartQuery } from "./carrier-accounts.schemas.ts";

export type CardRow = Omit<RateCardInfo, "isInEffect" | "createdAt"> & { createdAt: Date };
/** A card with its prices. */
export type StoredCard = CardRow & { card: RateCard };

const columns = `id, account_id as "carrierAccountId", number as version, name, currency, effective_from as "effectiveFrom",
  effective_to as "effectiveTo", is_active as "isActive", service_count as "serviceCount", created_at as "createdAt"`;

export async function listCards(
  db: Queryable,
  orgId: string,
  accountId: string,
  query: RateCardQuery,
): Promise<Page<CardRow>> {
  return await listPage<CardRow>(db, query, {
    select: columns,
    from: "rate_cards",
    where: [
      ["org_id = ?", orgId],
      ["account_id = ?", accountId],
      ["is_active = ?", query.isActive],
    ],
    orderBy: "number desc",
  });
}

export async function findCard(
  db: Queryable,
  orgId: string,
  accountId: string,
  id: string,
): Promise<StoredCard | undefined> {
  const [row] = await db.query<StoredCard>(
    `select ${columns}, card from rate_cards where org_id = $1 and account_id = $2 and id = $3`,
    [orgId, accountId, id],
  );
  return row;
}

/** The latest active card with the same name and period. */
export async function findSameCard(
  db: Queryable,
  orgId: string,
  accountId: string,
  { name, effectiveFrom, effectiveTo }: Pick<RateCard, "name" | "effectiveFrom" | "effectiveTo">,
): Promise<CardRow | undefined> {
  const [row] = await db.query<CardRow>(
    `select ${columns} from rate_cards
      where org_id = $1 and account_id = $2 and is_active and lower(name) = lower($3) and effective_from = $4::date
        and effective_to is not distinct from $5::date
      order by number desc limit 1`,
    [orgId, accountId, name, effectiveFrom, effectiveTo ?? null],
  );
  return row;
}

export async function findCardOn(
  db: Queryable,
  orgId: string,
  accountId: string,
  day: string,
): Promise<StoredCard | undefined> {
  const [row] = await db.query<StoredCard>(
    `select ${columns}, card from rate_cards
      where org_id = $1 and account_id = $2 and is_active and effective_from <= $3::date
        and (effective_to is null or effective_to >= $3::date)
      order by effective_from desc, number desc limit 1`,
    [orgId, accountId, day],
  );
  return row;
}

/** Which card of an account is in effect on each of these days; days without one are left out. */
export async function findCardsOnDays(
  db: Queryable,
  orgId: string,
  accountId: string,
  days: string[],
): Promise<{ day: string; id: string }[]> {
  return await db.query<{ day: string; id: string }>(
    `select wanted.day::text as day, card.id
       from unnest($3::date[]) as wanted (day)
       join lateral (${cardInEffect("$2", "wanted.day")}) card on true
      order by wanted.day`,
    [orgId, accountId, days],
  );
}

/** The periods in which cards of these accounts are active. */
export type CardPeriod = { id: string; accountId: string; number: number; from: string; to: string | null };

export async function listActivePeriods(db: Queryable, orgId: string, accountIds: string[]): Promise<CardPeriod[]> {
  return await db.query<CardPeriod>(
    `select id, account_id as "accountId", number, effective_from::text as "from", effective_to::text as "to"
       from rate_cards
      where org_id = $1 and account_id = any($2::uuid[]) and is_active`,
    [orgId, accountIds],
  );
}

/** Upload times of the zone charts of these accounts. */
export async function findChartTimes(
  db: Queryable,
  orgId: string,
  accountIds: string[],
): Promise<{ accountId: string; at: Date }[]> {
  return await db.query<{ accountId: string; at: Date }>(
    `select account_id as "accountId", uploaded_at as at from zone_charts where org_id = $1 and account_id = any($2::uuid[])`,
    [orgId, accountIds],
  );
}

export type CardDay = { accountId: string; day: string };

/** The IDs of the cards in effect, one for each account and day; null where there is none. */
export async function findCardIdsOn(db: Queryable, orgId: string, wanted: CardDay[]): Promise<(string | null)[]> {
  const rows = await db.query<{ id: string | null }>(
    `select card.id
       from unnest($2::uuid[], $3::date[]) with ordinality as wanted (account_id, day, n)
       left join lateral (${cardInEffect("wanted.account_id", "wanted.day")}) card on true
      order by wanted.n`,
    [orgId, wanted.map(({ accountId }) => accountId), wanted.map(({ day }) => day)],
  );
  return rows.map(({ id }) => id);
}

/** The active card with the latest effective_from, by the index rate_cards_by_account; `$1` is the organization. */
function cardInEffect(accountId: string, day: string): string {
  return `select id
            from rate_cards
           where org_id = $1
             and account_id = ${accountId}
             and is_active
             and effective_from <= ${day}
             and (effective_to is null or effective_to >= ${day})
           order by effective_from desc, number desc
           limit 1`;
}

export async function listCardIds(db: Queryable, orgId: string, accountId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>("select id from rate_cards where org_id = $1 and account_id = $2", [
    orgId,
    accountId,
  ]);
  return rows.map(({ id }) => id);
}

export type NewCard = { id: string; accountId: string; card: RateCard; isActive: boolean; by: Actor; at: Date };

/** The caller has locked the account, so that numbers increase without gaps. */
export async function insertCard(tx: Tx, orgId: string, { id, accountId, card, isActive, by, at }: NewCard) {
  const [row] = await tx.query<CardRow>(
    `insert into rate_cards (id, org_id, account_id, number, name, currency, effective_from, effective_to, is_active,
       card, service_count, created_by, created_at, updated_at)
     values ($1, $2, $3, (select coalesce(max(number), 0) + 1 from rate_cards where account_id = $3),
       $4, $5, $6, $7, $8, $9, $10, $11, $12, $12) returning ${columns}`,
    [
      id,
      orgId,
      accountId,
      card.name,
      card.currency ?? "USD",
      card.effectiveFrom,
      card.effectiveTo ?? null,
      isActive,
      JSON.stringify(card),
      card.services.length,
      by,
      at,
    ],
  );
  return row!;
}

export async function updateCard(tx: Tx, orgId: string, card: StoredCard, at: Date): Promise<void> {
  await tx.query(
    `update rate_cards set effective_from = $3, effective_to = $4, is_active = $5, card = $6, updated_at = $7
      where org_id = $1 and id = $2`,
    [orgId, card.id, card.effectiveFrom, card.effectiveTo, card.isActive, JSON.stringify(card.card), at],
  );
}

export async function saveChart(
  tx: Tx,
  orgId: string,
  accountId: string,
  chart: { name: string; rows: ChartRow[]; at: Date },
): Promise<ZoneChartInfo> {
  const [row] = await tx.query<{ number: number }>(
    `insert into zone_charts (account_id, org_id, name, rows, row_count, number, uploaded_at)
     values ($1, $2, $3, $4, $5, 1, $6)
     on conflict (account_id) do update set name = excluded.name, rows = excluded.rows, row_count = excluded.row_count,
       uploaded_at = excluded.uploaded_at, number = zone_charts.number + 1
     returning number`,
    [accountId, orgId, chart.name, JSON.stringify(chart.rows), chart.rows.length, chart.at],
  );
  return { name: chart.name, version: row!.number, rowCount: chart.rows.length, uploadedAt: chart.at.toISOString() };
}

export async function findChartRows(db: Queryable, orgId: string, accountId: string): Promise<ChartRow[] | undefined> {
  const [row] = await db.query<{ rows: ChartRow[] }>(
    "select rows from zone_charts where org_id = $1 and account_id = $2",
    [orgId, accountId],
  );
  return row?.rows;
}

/** In upload order. */
export async function listChartRows(
  db: Queryable,
  orgId: string,
  accountId: string,
  query: ZoneChartQuery,
): Promise<Page<ChartRow> | undefined> {
  const [chart] = await db.query<{ total: number; rows: ChartRow[] }>(
    `select row_count as total, coalesce((
       select jsonb_agg(e.value order by e.n) from jsonb_array_elements(rows) with ordinality as e (value, n)
        where e.n > $3 and e.n <= $3 + $4), '[]') as rows
       from zone_charts where org_id = $1 and account_id = $2`,
    [orgId, accountId, offsetOf(query), query.limit],
  );
  return chart && toPage(chart.rows, chart.total, query);
}

export async function deleteChart(tx: Tx, orgId: string, accountId: string): Promise<boolean> {
  const rows = await tx.query("delete from zone_charts where org_id = $1 and account_id = $2 returning 1", [
    orgId,
    accountId,
  ]);
  return rows.length > 0;
}
