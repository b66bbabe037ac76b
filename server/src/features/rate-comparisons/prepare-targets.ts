import type { Scenario } from "../../carriers/rate-card/tariff.ts";
import type { Ctx } from "../../context.ts";
import type { Prepared, PreparedRater } from "./prepare-rater.ts";
import { prepareRater } from "./prepare-rater.ts";
import type { ComparisonRow } from "./rate-comparisons.store.ts";
import type { TargetRow } from "./rate-targets.store.ts";
import { listTargets } from "./rate-targets.store.ts";
import type { WeightProfile } from "./weight-profile.ts";

type Profiles = Record<string, WeightProfile>;

/** A target with everything its prices depend on. `about`: the comparison as if this target were its only contract. */
export type PreparedTarget = { number: number; about: ComparisonRow; prepared: PreparedRater };

/**
 * Prepares targets of a comparison, in order; a comparison without targets has one. `scenarioOf` says the terms of a target;
 * undefined: it is left out. All targets use the weight profiles of the first, so that a parcel has the same weights with each.
 */
export async function prepareTargets(
  ctx: Ctx,
  row: Prepared & ComparisonRow,
  scenarioOf: (number: number) => Scenario | undefined,
): Promise<PreparedTarget[]> {
  const rows = row.targets === null ? [] : await listTargets(ctx.db, row.id);
  const all = [toPrepared(row, 1), ...rows.map((target) => toPrepared(ofTarget(row, target), target.number))];
  const targets: PreparedTarget[] = [];
  let profiles: Profiles | null = row.profiles;
  for (const [index, about] of all.entries()) {
    const scenario = scenarioOf(index + 1);
    // The profiles of a comparison that is processed for the first time follow from its first target.
    if (scenario === undefined) continue;
    const prepared = await prepareRater(ctx, { ...about, profiles }, scenario);
    profiles ??= Object.fromEntries(prepared.rater.profiles ?? []);
    targets.push({ number: index + 1, about, prepared });
  }
  return targets;
}

type Whole = Prepared & ComparisonRow;

function ofTarget(row: Whole, target: TargetRow): Whole {
  const { carrierAccountId, carrierAccountName } = row.targets![target.number - 1]!;
  const source = row.dated_cards?.source ?? { cards: [], days: {} };
  const dated = target.dated_cards ?? { cards: [], days: {} };
  return {
    ...row,
    carrier_account_id: carrierAccountId,
    carrier_account_name: carrierAccountName,
    card: target.card,
    dated_cards: source.cards.length + dated.cards.length === 0 ? null : { target: dated, source },
    rate_card_id: target.rate_card_id,
    rate_card_version: target.rate_card_version,
    rate_card_name: target.rate_card_name,
  };
}

/** A chosen card applies on all days. */
function toPrepared(row: Whole, number: number): Whole {
  const isChosen = typeof row.targets?.[number - 1]?.rateCardId === "string";
  if (!isChosen || row.rate_day === null) return row;
  return { ...row, options: { ...row.options, rateDate: row.options.rateDate ?? row.rate_day } };
}
