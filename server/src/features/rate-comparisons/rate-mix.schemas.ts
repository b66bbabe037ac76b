import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Count, DateTime, Id, Nullable, Strict, Version } from "../../core/schema.ts";
import { Definition, Target, TargetTerms } from "./rate-targets.schemas.ts";
import { Summary } from "./summary.schemas.ts";

const Money = Type.Number({ description: "With two decimals" });
const Percent = Nullable(Type.Number());

const Share = { parcels: Count, cost: Money };
const TargetShare = Type.Object({ target: Count, ...Share, sharePct: Type.Number() });

const mix = {
  cost: Money,
  savings: Type.Number({ description: "Against the amount paid" }),
  savingsPct: Percent,
  targets: Type.Array(TargetShare),
  source: Type.Object(Share, { description: "Parcels that stay with the carrier that was paid" }),
};

/** Against the cheapest assignment of the same parcels. */
const aboveBest = { aboveBest: Money, aboveBestPct: Percent };

const { rateCard, costBreakdown, zoneBreakdown } = Summary.properties;

const MixTarget = Type.Object({
  ...Target.properties,
  rateCard,
  terms: TargetTerms,
  parcels: Type.Integer({ minimum: 0, description: "Parcels with a price of this target" }),
  sourceCost: Type.Number({ description: "Paid for these parcels" }),
  targetCost: Money,
  savings: Money,
  savingsPct: Percent,
  bestCost: Type.Number({ description: "The cheapest targets for the same parcels; never more than `targetCost`" }),
  commonCost: Type.Number({ description: "For the parcels that every target has a price for" }),
  costBreakdown: costBreakdown.properties.target,
  zoneBreakdown,
});

export const Mix = Type.Object({
  comparisonId: Id,
  revision: Count,
  currency: Type.String(),
  parcels: Type.Integer({ minimum: 0, description: "Parcels with a price of at least one target" }),
  sourceCost: Type.Number({ description: "Paid for them" }),
  common: Type.Object(
    { parcels: Count, sourceCost: Money },
    { description: "Parcels that every target has a price for" },
  ),
  targets: Type.Array(MixTarget),
  bestMix: Type.Object(mix, { description: "The cheapest target for each parcel; of equal ones the first" }),
  ruleMix: Nullable(
    Type.Object({
      ...mix,
      ...aboveBest,
      rules: Type.Array(
        Type.Object({
          target: Count,
          ...Share,
          bestCost: Type.Number({ description: "The cheapest targets for the same parcels" }),
          aboveBest: Money,
        }),
        { description: "In the order of `rules`" },
      ),
      unmatched: Type.Object(Share, { description: "Parcels that no rule decides: the cheapest target" }),
    }),
  ),
  committedMix: Nullable(
    Type.Object({
      ...mix,
      ...aboveBest,
      isOptimal: Type.Boolean({
        description:
          "No cheaper mix meets the commitments. With a committed amount the mix is close to the cheapest, but not proven to be it",
      }),
      commitments: Type.Array(
        Type.Object({
          target: Count,
          minParcels: Nullable(Count),
          minRevenue: Nullable(Money),
          ...Share,
          missingParcels: Count,
          missingRevenue: Money,
          isMet: Type.Boolean(),
        }),
      ),
    }),
  ),
});
export type Mix = Static<typeof Mix>;

export const Scenario = Type.Object({
  id: Id,
  name: Type.String(),
  ...Definition.properties,
  result: Nullable(Mix),
  stale: Type.Boolean({
    description: "The comparison was processed since; run the scenario. One of a draft has no result before",
  }),
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type Scenario = Static<typeof Scenario>;

export const Scenarios = Type.Object({ data: Type.Array(Scenario) });

export const MixExportQuery = Strict({
  scenarioId: Type.Optional(
    Type.String({ format: "uuid", description: "The prices and mixes of this saved scenario" }),
  ),
});
export type MixExportQuery = Static<typeof MixExportQuery>;
