import { fromCents } from "../../core/money.ts";
import type { Scenario } from "../../carriers/rate-card/tariff.ts";
import type { BreakEven } from "./break-even.ts";
import { itemStatuses } from "./rate-items.schemas.ts";
import { presentCard } from "./present-comparison.ts";
import type { ComparisonRow } from "./rate-comparisons.store.ts";
import type { Summary } from "./summary.schemas.ts";
import type { Tally, TopItem, Totals } from "./tally.ts";
import { bucketStarts, sumOf, weightBrackets } from "./tally.ts";

export const percentileShares = [0.05, 0.25, 0.5, 0.75, 0.95];
const maxLanes = 50;

/** The summary as returned by the API. `percentiles` correspond to `percentileShares`, in cents; empty without results. */
export function presentSummary(
  about: ComparisonRow,
  totals: Totals,
  percentiles: number[],
  more: {
    computedAt: string | null;
    scenario: Scenario;
    stale: boolean;
    /** Undefined if the contract is not more expensive. */
    breakEven?: BreakEven | undefined;
    /** An input has changed since the comparison was processed. */
    hasOtherInputs?: boolean;
    /** Tracking numbers of the items in `top`. */
    trackingNumbers: Map<number, string>;
  },
): Summary {
  const { all } = totals;
  const savings = all.source - all.target;
  const presentTop = ({ position, savings: saved }: TopItem) => ({
    index: position,
    trackingNumber: more.trackingNumbers.get(position) ?? "",
    savings: fromCents(saved),
  });
  const [p5 = null, p25 = null, p50 = null, p75 = null, p95 = null] = percentiles.map(fromCents);
  return {
    comparisonId: about.id,
    status: about.status,
    revision: about.revision,
    stale: more.stale,
    currency: about.currency,
    sourceCarrier: about.source_carrier,
    rateCard: presentCard(about),
    scenario: more.scenario,
    computedAt: more.computedAt,
    coverage: coverageOf(about, totals),
    totals: {
      sourceCost: fromCents(all.source),
      targetCost: fromCents(all.target),
      targetLow: fromCents(totals.low),
      targetHigh: fromCents(totals.high),
      savings: fromCents(savings),
      savingsLow: fromCents(all.source - totals.high),
      savingsHigh: fromCents(all.source - totals.low),
      savingsPct: percentOf(savings, all.source),
      sourceAvg: average(all.source, all.items),
      targetAvg: average(all.target, all.items),
      avgSavings: average(savings, all.items),
      medianSavings: p50,
      sourceCostUnrated: fromCents(totals.sourceUnrated),
    },
    outcomes: {
      wins: all.wins,
      losses: all.losses,
      ties: all.ties,
      winPct: percentOf(all.wins, all.items) ?? 0,
      winAmount: fromCents(totals.winAmount),
      lossAmount: fromCents(totals.lossAmount),
    },
    cheapestMix: {
      cost: fromCents(totals.best),
      savings: fromCents(all.source - totals.best),
      savingsPct: percentOf(all.source - totals.best, all.source),
      sourceItems: all.losses + all.ties,
      targetItems: all.wins,
    },
    breakEven: breakEvenOf(all, more.breakEven),
    costBreakdown: costsOf(totals),
    ...breakdownsOf(totals),
    distribution: { buckets: bucketsOf(totals), p5, p25, p50, p75, p95 },
    top: {
      savings: totals.topSavings.map(presentTop),
      losses: totals.topLosses.map(presentTop),
    },
    assumptions: [...assumptionsOf(totals), ...(more.hasOtherInputs ? [otherInputs(about.item_count)] : [])],
  };
}

function percentOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 100;
}

function average(sum: number, items: number): number {
  return items === 0 ? 0 : fromCents(Math.round(sum / items));
}

function coverageOf(about: ComparisonRow, totals: Totals): Summary["coverage"] {
  const counts = Object.fromEntries(itemStatuses.map((status) => [status, totals.byStatus[status] ?? 0]));
  const done = Object.values(totals.byStatus).reduce((sum, count) => sum + count, 0);
  const compared = totals.all.items;
  const parcels = about.item_count - (totals.byStatus.excluded ?? 0);
  return {
    items: about.item_count,
    parcels,
    compared,
    ...(counts as Record<(typeof itemStatuses)[number], number>),
    pending: about.item_count - done,
    ratedPct: percentOf(compared, parcels) ?? 0,
    byReason: totals.byReason,
    byBasis: totals.byBasis,
    byZoneSource: totals.byZoneSource,
    borderlineZones: totals.borderline,
  };
}

function breakEvenOf({ source, target, items }: Tally, found: BreakEven | undefined): Summary["breakEven"] {
  const pct = percentOf(target - source, target);
  if (items === 0 || pct === null) return { discountPct: null, description: "No items have been compared yet." };
  if (!found)
    return { discountPct: pct, description: `The new contract could cost ${-pct} % more before it is more expensive.` };
  const { discountPct, isSampled } = found;
  if (discountPct === null) {
    const description =
      "No discount makes the new contract cost the same, because of its minimums, fuel and surcharges.";
    return { discountPct, description };
  }
  const basis = isSampled ? " Estimated from a sample of the items." : "";
  const description = `An additional discount of ${discountPct} % on list prices would make both contracts cost the same.${basis}`;
  return { discountPct, description };
}

function costsOf({ lines, all }: Totals): Summary["costBreakdown"] {
  const { base = 0, discount = 0, minimum = 0, fuel = 0, ...surcharges } = lines;
  const shares = Object.entries(lines).map(([code, sum]) => [code, percentOf(sum, all.target) ?? 0]);
  return {
    source: { net: fromCents(all.source) },
    target: {
      base: fromCents(base),
      discount: fromCents(discount),
      minimum: fromCents(minimum),
      surcharges: Object.fromEntries(Object.entries(surcharges).map(([code, sum]) => [code, fromCents(sum)])),
      fuel: fromCents(fuel),
      total: fromCents(all.target),
    },
    targetShares: Object.fromEntries(shares),
  };
}

type Breakdowns = Pick<
  Summary,
  "zoneBreakdown" | "serviceBreakdown" | "weightBreakdown" | "stateBreakdown" | "laneBreakdown"
>;

function breakdownsOf(totals: Totals): Breakdowns {
  const group = (tally: Tally) => presentTally(tally, totals.all.items);
  const byItems = ([a, x]: [string, Tally], [b, y]: [string, Tally]): number => y.items - x.items || (a < b ? -1 : 1);
  const entries = (groups: Record<string, Tally>): [string, Tally][] => Object.entries(groups).toSorted(byItems);
  return {
    zoneBreakdown: Object.entries(totals.zones)
      .toSorted(([a], [b]) => compareZones(a, b))
      .map(([zone, tally]) => ({
        zone,
        ...group(tally),
        avgDistanceMiles: tally.milesItems === 0 ? null : Math.round(tally.miles / tally.milesItems),
      })),
    serviceBreakdown: entries(foldCase(totals.services)).map(([key, tally]) => {
      const [serviceType = "", serviceLevel = "", targetService = ""] = key.split("\u001F");
      return { serviceType, serviceLevel, targetService, ...group(tally) };
    }),
    weightBreakdown: weightBrackets.flatMap((bracket) => {
      const tally = totals.weights[bracket];
      return tally ? [{ bracket, ...group(tally) }] : [];
    }),
    stateBreakdown: entries(totals.states).map(([destinationState, tally]) => ({ destinationState, ...group(tally) })),
    laneBreakdown: withOthers(entries(totals.lanes)).map(([key, tally]) => {
      const [originState = "", destinationState = ""] = key.split("\u001F");
      return { originState, destinationState, ...group(tally) };
    }),
  };
}

/** Numeric zones in ascending order, then the others. */
function compareZones(a: string, b: string): number {
  const [x, y] = [Number(a), Number(b)];
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  return Number.isNaN(x) ? (a < b ? -1 : 1) : x - y;
}

function withOthers(lanes: [string, Tally][]): [string, Tally][] {
  if (lanes.length <= maxLanes) return lanes;
  const others = sumOf(lanes.slice(maxLanes).map(([, tally]) => tally));
  return [...lanes.slice(0, maxLanes), ["other\u001Fother", others]];
}

/** Merges spellings such as "GROUND" and "Ground", as the filter does; the most frequent spelling is shown. */
function foldCase(groups: Record<string, Tally>): Record<string, Tally> {
  const bySpelling = Object.entries(groups).toSorted(([, a], [, b]) => b.items - a.items);
  const folded = Map.groupBy(bySpelling, ([key]) => {
    const [serviceType = "", ...rest] = key.split("\u001F");
    return [serviceType.toLowerCase(), ...rest].join("\u001F");
  });
  return Object.fromEntries([...folded.values()].map((same) => [same[0]![0], sumOf(same.map(([, tally]) => tally))]));
}

function presentTally({ items, source, target, wins, losses, ties }: Tally, allItems: number) {
  return {
    items,
    sharePct: percentOf(items, allItems) ?? 0,
    sourceCost: fromCents(source),
    targetCost: fromCents(target),
    savings: fromCents(source - target),
    savingsPct: percentOf(source - target, source),
    sourceAvg: average(source, items),
    targetAvg: average(target, items),
    wins,
    losses,
    ties,
  };
}

function bucketsOf({ buckets }: Totals): Summary["distribution"]["buckets"] {
  return bucketStarts.map((start, index) => {
    const tally = buckets[index];
    const next = bucketStarts[index + 1];
    return {
      from: start === -Infinity ? null : fromCents(start),
      to: next === undefined ? null : fromCents(next - 1),
      items: tally?.items ?? 0,
      savings: fromCents((tally?.source ?? 0) - (tally?.target ?? 0)),
    };
  });
}

function otherInputs(items: number): Summary["assumptions"][number] {
  const message =
    "A zone chart, condition set or service alias has changed since the comparison was processed, and scenarios use the " +
    "current ones. Process the comparison again before comparing it with a scenario.";
  return { code: "inputs_changed", items, message };
}

function assumptionsOf({ byBasis, byZoneSource, byReason, byAssumption, borderline }: Totals): Summary["assumptions"] {
  const said: [code: string, items: number | undefined, message: string][] = [
    ["weight_profile", byBasis.profile, "Weight unknown; the price is the average over usual weights."],
    ["weight_inferred", byBasis.inferred, "Weight inferred from the amount paid."],
    [
      "zone_distance",
      byZoneSource.distance,
      "Zone computed from the distance; about 96 % match the carrier's chart, the others are in a neighboring zone.",
    ],
    ["zone_state", byZoneSource.state, "ZIP missing; zone computed from the center of the state."],
    ["zone_borderline", borderline, "Close to the next zone; the price range includes it."],
    [
      "sides_missing",
      byAssumption?.sides_missing,
      "Dimensions unknown; the price and its range include neither dimensional weight nor size surcharges.",
    ],
    [
      "card_not_in_effect",
      byAssumption?.card_not_in_effect,
      "No rate card was in effect on the ship date; priced with the card of the day of the comparison.",
    ],
    ["charge_line", byReason.charge_line, "Additional charges of a parcel; counted with its first item."],
    ["duplicate", byReason.duplicate, "Duplicate items; only the first one counts."],
    ["credit", byReason.credit, "Credits for parcels that are not in the comparison; excluded."],
  ];
  return said.flatMap(([code, items, message]) =>
    items === undefined || items === 0 ? [] : [{ code, items, message }],
  );
}
