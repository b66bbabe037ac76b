import { fromCents } from "../../core/money.ts";
import { fromMg } from "../../carriers/rate-card/measures.ts";
import type { Comparison, Item } from "./rate-comparisons.schemas.ts";
import type { ComparisonRow } from "./rate-comparisons.store.ts";
import type { StoredInput } from "./rate-items.store.ts";
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

/** `sumsCharges`: what was paid for a parcel is all its charges. */
export function presentItem(row: ItemRow, sumsCharges: boolean): Item {
  const { position, input, netCents, savingsCents: savings, sourceService, residential, ...rest } = row;
  const { targetCents, lowCents, highCents, ratedMg, breakEvenMg, ...same } = rest;
  const money = (cents: number | null): number | null => (cents === null ? null : fromCents(cents));
  const given = JSON.parse(input) as StoredInput;
  const chargedCents = sumsCharges ? (given[15] ?? undefined) : undefined;
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

/** Without those that other lines of the parcel have. */
function ownPlaces(input: StoredInput): Pick<Item, `${"origin" | "destination"}${"Zip" | "State"}`> {
  const [, , originZip, originState, destinationZip, destinationState] = input;
  return { originZip, originState, destinationZip, destinationState };
}

type Measures = Pick<Item, "weight" | "dimensions" | "residential" | "shipDate" | "currency" | "foreignCountry">;

/** As they were compared: with what other lines of the parcel say, and whether it went to a home as far as names tell. */
function measuresOf(input: StoredInput, sumsCharges: boolean, pricedAs: boolean | null): Measures {
  const [, , , , , , value, unit, sides, sizeUnit, residential, shipDate, currency, , foreignCountry, , known = {}] =
    input;
  const facts = sumsCharges ? known : {};
  const weight = value === null || unit === null ? null : { value, unit };
  return {
    weight: weight && weight.value > 0 ? weight : (facts.weight ?? weight),
    dimensions:
      sides === null || sizeUnit === null
        ? (facts.dimensions ?? null)
        : { length: sides[0], width: sides[1], height: sides[2], unit: sizeUnit },
    residential: residential ?? facts.residential ?? pricedAs,
    shipDate: shipDate ?? facts.shipDate ?? null,
    currency: currency ?? facts.currency ?? null,
    foreignCountry: foreignCountry ?? facts.foreignCountry ?? null,
  };
}
