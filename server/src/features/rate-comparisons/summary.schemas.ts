import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Count, DateTime, Id, Nullable, OneOf } from "../../core/schema.ts";
import { ScenarioShape } from "../carrier-accounts/carrier-accounts.schemas.ts";
import { Comparison, comparisonStatuses, Counts } from "./rate-comparisons.schemas.ts";

const Money = Type.Number();
const Percent = Nullable(Type.Number());
const ByName = Type.Record(Type.String(), Count);

const Group = {
  items: Count,
  sharePct: Type.Number(),
  sourceCost: Money,
  targetCost: Money,
  savings: Money,
  savingsPct: Percent,
  sourceAvg: Money,
  targetAvg: Money,
  wins: Count,
  losses: Count,
  ties: Count,
};

const TopItem = Type.Object({ index: Count, trackingNumber: Type.String(), savings: Money });

/** Money with two decimals, computed in integer cents: every breakdown adds up to the totals. */
export const Summary = Type.Object({
  comparisonId: Id,
  status: OneOf(comparisonStatuses),
  revision: Count,
  stale: Type.Boolean(),
  currency: Type.String(),
  sourceCarrier: Type.String(),
  rateCard: Comparison.properties.rateCard,
  scenario: ScenarioShape,
  computedAt: Nullable(DateTime),
  coverage: Type.Object({
    items: Type.Integer({ minimum: 0, description: "All items, including additional charges, duplicates and credits" }),
    parcels: Type.Integer({ minimum: 0, description: "Items that are not `excluded`" }),
    compared: Type.Integer({ minimum: 0, description: "Parcels with a price" }),
    ...Counts.properties,
    ratedPct: Type.Number({ description: "Share of the parcels with a price" }),
    byReason: ByName,
    byBasis: ByName,
    byZoneSource: ByName,
    borderlineZones: Count,
  }),
  totals: Type.Object({
    sourceCost: Money,
    targetCost: Money,
    targetLow: Money,
    targetHigh: Money,
    savings: Money,
    savingsLow: Money,
    savingsHigh: Money,
    savingsPct: Percent,
    sourceAvg: Money,
    targetAvg: Money,
    avgSavings: Money,
    medianSavings: Nullable(Money),
    sourceCostUnrated: Money,
  }),
  outcomes: Type.Object({
    wins: Count,
    losses: Count,
    ties: Count,
    winPct: Type.Number(),
    winAmount: Money,
    lossAmount: Money,
  }),
  cheapestMix: Type.Object({
    cost: Money,
    savings: Money,
    savingsPct: Percent,
    sourceItems: Count,
    targetItems: Count,
  }),
  breakEven: Type.Object({
    discountPct: {
      ...Percent,
      description:
        "If the new contract is more expensive: the additional discount on list prices (`extraDiscountPercent`) at which both " +
        "cost the same, or null if there is none. Negative: how much more it could cost",
    },
    description: Type.String(),
  }),
  costBreakdown: Type.Object({
    source: Type.Object({ net: Money }),
    target: Type.Object({
      base: Money,
      discount: Money,
      minimum: Money,
      surcharges: Type.Record(Type.String(), Money),
      fuel: Money,
      total: Money,
    }),
    targetShares: Type.Record(Type.String(), Type.Number()),
  }),
  zoneBreakdown: Type.Array(Type.Object({ zone: Type.String(), ...Group, avgDistanceMiles: Nullable(Type.Integer()) })),
  serviceBreakdown: Type.Array(
    Type.Object({
      serviceType: Type.String(),
      serviceLevel: Type.String(),
      targetService: Type.String(),
      ...Group,
    }),
  ),
  weightBreakdown: Type.Array(Type.Object({ bracket: Type.String(), ...Group })),
  stateBreakdown: Type.Array(Type.Object({ destinationState: Type.String(), ...Group })),
  laneBreakdown: Type.Array(Type.Object({ originState: Type.String(), destinationState: Type.String(), ...Group }), {
    description: "The 50 largest, and the sum of all others",
  }),
  distribution: Type.Object({
    buckets: Type.Array(Type.Object({ from: Nullable(Money), to: Nullable(Money), items: Count, savings: Money }), {
      description: "By savings per item; both ends inclusive",
    }),
    p5: Nullable(Money),
    p25: Nullable(Money),
    p50: Nullable(Money),
    p75: Nullable(Money),
    p95: Nullable(Money),
  }),
  top: Type.Object({ savings: Type.Array(TopItem), losses: Type.Array(TopItem) }),
  assumptions: Type.Array(Type.Object({ code: Type.String(), items: Count, message: Type.String() })),
});
export type Summary = Static<typeof Summary>;
