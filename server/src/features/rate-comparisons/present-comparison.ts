import { fromCents } from "../../core/money.ts";
import { fromMg } from "../../carriers/rate-card/measures.ts";
import type { Comparison } from "./rate-comparisons.schemas.ts";
import type { Item } from "./rate-items.schemas.ts";
import type { ComparisonRow } from "./rate-comparisons.store.ts";
import type { StoredInput } from "./rate-items.store.ts";
import { inputAt } from "./rate-items.store.ts";
import type { ItemRow } from "./rate-item-list.store.ts";

export function presentComparison(row: ComparisonRow, stale: boolean): Comparison {
  const done = row.rated + row.estimated + row.unrateable + row.invalid + row.excluded;
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    carrierAccountId: row.carrier_account_id,
    carrierAccountName: row.carrier_account_name,
    sourceCarrier: row.source_carrier,
    sourceCarrierAccountId: row.source_account_id,
    currency: row.currency,
    revision: row.revision,
    itemCount: row.item_count,
    progress: {
      processed: row.processed,
      total: row.item_count,
      percent: row.item_count === 0 ? 0 : Math.floor((row.processed / row.item_count) * 1000) / 10,
    },
    counts: {
      pending: row.item_count - done,
      rated: row.rated,
      estimated: row.estimated,
      unrateable: row.unrateable,
      invalid: row.invalid,
      excluded: row.excluded,
    },
    rateCard: presentCard(row),
    stale,
    options: row.options,
    ...(row.targets === null ? {} : { targets: row.targets }),
    error: row.error,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
    version: row.version,
  };
}

export function presentCard(row: ComparisonRow): Comparison["rateCard"] {
  const { rate_card_id: id, rate_card_version: version, rate_card_name: name } = row;
  return name === null ? null : { id, version, name };
}

/** `sumsCharges`: the charges of a parcel are summed. */
export function presentItem(row: ItemRow, sumsCharges: boolean): Item {
  const { position, input, netCents, savingsCents: savings, sourceService, residential, ...rest } = row;
  const { targetCents, lowCents, highCents, ratedMg, breakEvenMg, ...same } = rest;
  const money = (cents: number | null): number | null => (cents === null ? null : fromCents(cents));
  const given = JSON.parse(input) as StoredInput;
  const chargedCents = sumsCharges ? (given[inputAt.chargedCents] ?? undefined) : undefined;
  const sourceCents = row.reason === "charge_line" ? 0 : (chargedCents ?? netCents);
  const weight = (mg: number | null) => (mg === null ? null : fromMg(mg, "lb"));
  return {
    ...same,
    ...(sumsCharges ? {} : ownPlaces(given)),
    ...measuresOf(given, sumsCharges, residential),
    serviceType: sourceService ?? row.serviceType,
    index: position,
    netCost: fromCents(netCents),
    status: row.status ?? "pending",
    reason: row.reason as Item["reason"],
    borderline: row.alternativeZone !== null,
    serviceLevel: row.serviceLevel as Item["serviceLevel"],
    ratedWeight: weight(ratedMg),
    sourceCost: fromCents(sourceCents),
    targetCost: money(targetCents),
    targetLow: money(lowCents),
    targetHigh: money(highCents),
    savings: money(savings),
    savingsPct: savings === null || sourceCents === 0 ? null : Math.round((savings / sourceCents) * 10_000) / 100,
    outcome: savings === null ? null : savings > 0 ? "win" : savings < 0 ? "loss" : "tie",
    breakEvenWeight: weight(breakEvenMg),
    lines: (row.lines ?? []).map(([code, cents]) => ({ code, amount: fromCents(cents) })),
  };
}

/** The places of the line itself, without those of other lines of the parcel. */
function ownPlaces(input: StoredInput): Pick<Item, `${"origin" | "destination"}${"Zip" | "State"}`> {
  return {
    originZip: input[inputAt.originZip],
    originState: input[inputAt.originState],
    destinationZip: input[inputAt.destinationZip],
    destinationState: input[inputAt.destinationState],
  };
}

type Measures = Pick<Item, "weight" | "dimensions" | "residential" | "shipDate" | "currency" | "foreignCountry">;

/** The values used for rating: completed from other lines of the parcel. */
function measuresOf(input: StoredInput, sumsCharges: boolean, pricedAs: boolean | null): Measures {
  const facts = (sumsCharges ? input[inputAt.facts] : undefined) ?? {};
  const [value, unit] = [input[inputAt.weightValue], input[inputAt.weightUnit]];
  const [sides, sizeUnit] = [input[inputAt.dimensions], input[inputAt.dimensionUnit]];
  const weight = value === null || unit === null ? null : { value, unit };
  return {
    weight: weight && weight.value > 0 ? weight : (facts.weight ?? weight),
    dimensions:
      sides === null || sizeUnit === null
        ? (facts.dimensions ?? null)
        : { length: sides[0], width: sides[1], height: sides[2], unit: sizeUnit },
    residential: input[inputAt.residential] ?? facts.residential ?? pricedAs,
    shipDate: input[inputAt.shipDate] ?? facts.shipDate ?? null,
    currency: input[inputAt.currency] ?? facts.currency ?? null,
    foreignCountry: input[inputAt.foreignCountry] ?? facts.foreignCountry ?? null,
  };
}
