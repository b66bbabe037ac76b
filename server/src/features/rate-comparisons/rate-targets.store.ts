import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import type { DatedCards } from "../carrier-accounts/tariff-inputs.ts";
import type { Summary } from "./summary.schemas.ts";
import type { Totals } from "./tally.ts";

/** A target from the second on, with its cards at the start of processing. */
export type TargetRow = {
  number: number;
  card: RateCard;
  dated_cards: DatedCards | null;
  rate_card_id: string | null;
  rate_card_version: number | null;
  rate_card_name: string;
};

/** Pins the cards of a new revision. The summaries of the previous one stay until it is completed. */
export async function pinTargets(tx: Tx, comparisonId: string, targets: TargetRow[]): Promise<void> {
  await tx.query(
    `insert into rate_targets (comparison_id, number, card, dated_cards, rate_card_id, rate_card_version, rate_card_name)
     select $1, t.*
       from unnest($2::smallint[], $3::jsonb[], $4::jsonb[], $5::uuid[], $6::integer[], $7::text[]) as t
     on conflict (comparison_id, number) do update
        set card = excluded.card, dated_cards = excluded.dated_cards, rate_card_id = excluded.rate_card_id,
            rate_card_version = excluded.rate_card_version, rate_card_name = excluded.rate_card_name, totals = null`,
    [
      comparisonId,
      targets.map(({ number }) => number),
      targets.map(({ card }) => JSON.stringify(card)),
      targets.map(({ dated_cards: dated }) => (dated === null ? null : JSON.stringify(dated))),
      targets.map((target) => target.rate_card_id),
      targets.map((target) => target.rate_card_version),
      targets.map((target) => target.rate_card_name),
    ],
  );
}

export async function listTargets(db: Queryable, comparisonId: string): Promise<TargetRow[]> {
  return await db.query<TargetRow>(
    `select number, card, dated_cards, rate_card_id, rate_card_version, rate_card_name
       from rate_targets where comparison_id = $1 order by number`,
    [comparisonId],
  );
}

/** In the order of the targets; null: nothing is counted yet. */
export async function readTotals(tx: Tx, comparisonId: string): Promise<(Totals | null)[]> {
  const rows = await tx.query<{ totals: Totals | null }>(
    "select totals from rate_targets where comparison_id = $1 order by number",
    [comparisonId],
  );
  return rows.map(({ totals }) => totals);
}

export async function resetTotals(tx: Tx, comparisonId: string): Promise<void> {
  await tx.query("update rate_targets set totals = null where comparison_id = $1", [comparisonId]);
}

/** `totals` and `summaries` in the order of the targets, from the second on. */
export async function saveTotals(tx: Tx, comparisonId: string, totals: Totals[]): Promise<void> {
  await saveEach(tx, comparisonId, "totals", totals);
}

export async function saveSummaries(tx: Tx, comparisonId: string, summaries: Summary[]): Promise<void> {
  await saveEach(tx, comparisonId, "summary", summaries);
}

async function saveEach(tx: Tx, comparisonId: string, column: "totals" | "summary", values: unknown[]): Promise<void> {
  if (values.length === 0) return;
  await tx.query(
    `update rate_targets t set ${column} = given.value::json
       from unnest($2::smallint[], $3::text[]) as given (number, value)
      where t.comparison_id = $1 and t.number = given.number`,
    [comparisonId, values.map((_, index) => index + 2), values.map((value) => JSON.stringify(value))],
  );
}

/** The summaries of the last completed revision, from the second target on. */
export async function listSummaries(db: Queryable, comparisonId: string): Promise<(Summary | null)[]> {
  const rows = await db.query<{ summary: Summary | null }>(
    "select summary from rate_targets where comparison_id = $1 order by number",
    [comparisonId],
  );
  return rows.map(({ summary }) => summary);
}
