import { mgPer, toMg } from "../../carriers/rate-card/measures.ts";
import { foldService } from "../../carriers/rate-card/service-level.ts";
import type { Scenario } from "../../carriers/rate-card/tariff.ts";
import type { Ctx } from "../../context.ts";
import { HubError } from "../../core/errors.ts";
import { getCarrierAccount } from "../carrier-accounts/carrier-accounts.ts";
import { loadTariffParts } from "../carrier-accounts/open-carrier.ts";
import type { Rater } from "./rate-item.ts";
import { createRater, findMatch } from "./rate-item.ts";
import type { LeasedComparison } from "./comparison-work.store.ts";
import * as work from "./comparison-work.store.ts";
import * as items from "./rate-items.store.ts";
import type { WeightProfile } from "./weight-profile.ts";
import { profileOfOne, usualProfile } from "./weight-profile.ts";

/** Fewer weights than this say little about the others. */
const minProfileItems = 30;

export type Prepared = Pick<
  LeasedComparison,
  "id" | "org_id" | "carrier_account_id" | "source_account_id" | "card" | "source_card" | "options" | "rate_day"
> & { profiles: Record<string, WeightProfile> | null };

export type PreparedRater = {
  rater: Rater;
  /** Of everything that the cards refer to and that may be changed while they are kept. */
  digest(): string;
};

/** Everything that is the same for all items. What depends on the items themselves is kept, so that it stays the same. */
export async function prepareRater(ctx: Ctx, row: Prepared, scenario: Scenario): Promise<PreparedRater> {
  const { options } = row;
  const target = await loadTariffParts(ctx, row.carrier_account_id, row.card, scenario);
  const { tariff } = target;
  const source =
    row.source_card && row.source_account_id
      ? await loadTariffParts(ctx, row.source_account_id, row.source_card)
      : undefined;
  const aliases = await aliasesOf(ctx, row);
  const names = { tariff, aliases, fallback: options.serviceFallback ?? ("faster" as const) };
  const rater = createRater({
    ...names,
    source: source?.tariff,
    profiles:
      options.weightPolicy === "strict" ? undefined : new Map(Object.entries(await profilesOf(ctx, row, names))),
    residential: options.residential ?? null,
    duplicates: options.duplicates ?? "sum",
    day: row.rate_day!,
  });
  return { rater, digest: () => [target.digest(), source?.digest() ?? "", JSON.stringify([...aliases])].join(" ") };
}

async function aliasesOf(ctx: Ctx, row: Prepared): Promise<Map<string, string>> {
  const own = await getCarrierAccount(ctx, row.carrier_account_id).catch((error: unknown) => {
    if (error instanceof HubError) return undefined;
    throw error;
  });
  const all = [...Object.entries(own?.serviceAliases ?? {}), ...Object.entries(row.options.serviceMap ?? {})];
  return new Map(all.map(([name, service]) => [foldService(name), service]));
}

/** Which weights are usual: those of the same level in this comparison, or the one that was named, or everybody's. */
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
