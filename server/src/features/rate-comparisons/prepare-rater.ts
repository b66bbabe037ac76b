import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import { setsOfCard } from "../../carriers/rate-card/compile-card.ts";
import { mgPer, toMg } from "../../carriers/rate-card/measures.ts";
import { foldService } from "../../carriers/rate-card/service-level.ts";
import type { Scenario, Tariff } from "../../carriers/rate-card/tariff.ts";
import type { Ctx } from "../../context.ts";
import { HubError } from "../../core/errors.ts";
import { getCarrierAccount } from "../carrier-accounts/carrier-accounts.ts";
import type { InputStamps, TariffParts } from "../carrier-accounts/tariff-inputs.ts";
import { loadTariffParts, readInputStamps } from "../carrier-accounts/tariff-inputs.ts";
import type { Rater, RaterParts } from "./rater.ts";
import { createRater } from "./rater.ts";
import { findMatch } from "./match-service.ts";
import type { LeasedComparison } from "./comparison-work.store.ts";
import * as work from "./comparison-work.store.ts";
import * as items from "./rate-items.store.ts";
import type { WeightProfile } from "./weight-profile.ts";
import { profileOfOne, usualProfile } from "./weight-profile.ts";

/** Minimum number of weights for a profile. */
const minProfileItems = 30;

export type Prepared = Pick<
  LeasedComparison,
  | "id"
  | "org_id"
  | "carrier_account_id"
  | "source_account_id"
  | "card"
  | "source_card"
  | "dated_cards"
  | "input_stamps"
  | "options"
  | "rate_day"
> & { profiles: Record<string, WeightProfile> | null };

export type PreparedRater = {
  rater: Rater;
  /** The rater for another scenario. */
  withScenario(scenario: Scenario): Rater;
  /** Stored with the results, to detect later changes. */
  stamps: InputStamps;
  /** Digest of everything the stored cards refer to. */
  digest(): string;
};

/** Loads everything that is the same for all items. Weight profiles are stored, so that a resumed comparison uses the same. */
export async function prepareRater(ctx: Ctx, row: Prepared, scenario: Scenario): Promise<PreparedRater> {
  const { options } = row;
  // Read before the inputs themselves, so that a concurrent change is detected rather than missed.
  const stamps = await stampsOf(ctx, row);
  const target = await loadTariffParts(ctx, row.carrier_account_id, row.card, scenario);
  const source =
    row.source_card && row.source_account_id
      ? await loadTariffParts(ctx, row.source_account_id, row.source_card)
      : undefined;
  const dated = await loadDated(ctx, row);
  const aliases = await aliasesOf(ctx, row);
  const names = { tariff: target.tariff, aliases, fallback: options.serviceFallback ?? ("faster" as const) };
  const parts = {
    ...names,
    source: source?.tariff,
    profiles:
      options.weightPolicy === "strict" ? undefined : new Map(Object.entries(await profilesOf(ctx, row, names))),
    residential: options.residential ?? null,
    duplicates: options.duplicates ?? "sum",
    day: row.rate_day!,
    goesByShipDate: options.rateDate === undefined,
  };
  const make = (tariff: Tariff, as: Scenario): Rater =>
    createRater({ ...parts, tariff, dated: datedRaters(row, dated, { ...parts, tariff }, as) });
  const loaded = [target, source, ...dated.target, ...dated.source];
  return {
    rater: make(target.tariff, scenario),
    withScenario: (other) => make(target.make(other), other),
    stamps,
    digest: () => [...loaded.map((one) => one?.digest() ?? ""), JSON.stringify([...aliases])].join(" "),
  };
}

async function stampsOf(ctx: Ctx, row: Prepared): Promise<InputStamps> {
  const { target, source } = row.dated_cards ?? {};
  const cards = [row.card, row.source_card ?? [], target?.cards ?? [], source?.cards ?? []].flat();
  const accounts = [row.carrier_account_id, row.source_account_id ?? []].flat();
  // The stamps of the cards are those from the start of the processing.
  const chosen = Object.entries(row.input_stamps ?? {}).filter(([name]) => name.startsWith("cards "));
  const read = await readInputStamps(ctx, accounts, [...new Set(cards.flatMap(setsOfCard))]);
  return { ...Object.fromEntries(chosen), ...read };
}

type Dated = { target: TariffParts[]; source: TariffParts[] };

async function loadDated(ctx: Ctx, { dated_cards, carrier_account_id, source_account_id }: Prepared): Promise<Dated> {
  const load = (accountId: string, cards: RateCard[] = []): Promise<TariffParts[]> =>
    Promise.all(cards.map((card) => loadTariffParts(ctx, accountId, card)));
  const target = await load(carrier_account_id, dated_cards?.target.cards);
  return { target, source: await load(source_account_id ?? "", dated_cards?.source.cards) };
}

/** Raters with the cards of other days. Days with the same cards share a rater and its caches. */
function datedRaters(row: Prepared, dated: Dated, parts: RaterParts, scenario: Scenario): Map<string, Rater> {
  const raters = new Map<string, Rater>();
  if (!row.dated_cards) return raters;
  const { target, source } = row.dated_cards;
  const shared = new Map<string, Rater>();
  for (const day of new Set([...Object.keys(target.days), ...Object.keys(source.days)])) {
    const [of, from] = [target.days[day], source.days[day]];
    const key = `${of} ${from}`;
    const rater =
      shared.get(key) ??
      createRater({
        ...parts,
        tariff: of === undefined ? parts.tariff : dated.target[of]!.make(scenario),
        source: from === undefined ? parts.source : dated.source[from]!.tariff,
        dated: new Map(),
      });
    shared.set(key, rater);
    raters.set(day, rater);
  }
  return raters;
}

async function aliasesOf(ctx: Ctx, row: Prepared): Promise<Map<string, string>> {
  const own = await getCarrierAccount(ctx, row.carrier_account_id).catch((error: unknown) => {
    if (error instanceof HubError) return undefined;
    throw error;
  });
  const all = [...Object.entries(own?.serviceAliases ?? {}), ...Object.entries(row.options.serviceMap ?? {})];
  return new Map(all.map(([name, service]) => [foldService(name), service]));
}

/** Weight profiles: of the items of the same service level, else the assumed weight, else the built-in profile. */
async function profilesOf(
  ctx: Ctx,
  row: Prepared,
  names: Pick<Rater, "tariff" | "aliases" | "fallback">,
): Promise<Record<string, WeightProfile>> {
  if (row.profiles) return row.profiles;
  const { assumedWeight } = row.options;
  const profiles: Record<string, WeightProfile> = {
    any: assumedWeight ? profileOfOne(toMg(assumedWeight)) : usualProfile,
  };
  const byLevel = new Map<string, Map<number, number>>();
  for (const { service_type, pounds, items: count } of await items.countWeights(ctx.db, row.id)) {
    const level = findMatch(names, service_type)?.level;
    if (level === undefined) continue;
    const weights = byLevel.get(level) ?? new Map<number, number>();
    weights.set(pounds, (weights.get(pounds) ?? 0) + count);
    byLevel.set(level, weights);
  }
  for (const [level, weights] of byLevel) {
    const all = [...weights].toSorted(([a], [b]) => a - b);
    if (all.reduce((sum, [, count]) => sum + count, 0) < minProfileItems) continue;
    const poundMg = mgPer("lb");
    profiles[level] = { name: level, weights: all.map(([pounds, count]) => [Math.round(pounds * poundMg), count]) };
  }
  await work.saveProfiles(ctx.db, ctx.orgId, row.id, profiles);
  return profiles;
}
