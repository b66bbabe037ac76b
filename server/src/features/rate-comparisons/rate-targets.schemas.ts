import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { serviceLevels } from "../../carriers/rate-card/service-level.ts";
import { Count, Id, Name, Nullable, OneOf, Strict } from "../../core/schema.ts";
import { Weight } from "../../core/weight.ts";
import { ScenarioShape } from "../carrier-accounts/carrier-accounts.schemas.ts";

export const maxTargets = 10;

const minParcels = Type.Integer({ minimum: 1, maximum: 250_000, description: "Parcels committed to, of this upload" });
const minRevenue = Type.Number({
  minimum: 0.01,
  maximum: 1_000_000_000,
  description: "Amount committed to, at the prices of the target, for this upload",
});

export const TargetRequest = Strict({
  carrierAccountId: Type.String({ format: "uuid" }),
  rateCardId: Type.Optional(
    Type.String({
      format: "uuid",
      description: "This rate card of the account for all parcels, also a draft. Default: the card in effect",
    }),
  ),
  name: Type.Optional({ ...Name, description: "Default: the names of the account and of the chosen card" }),
  minParcels: Type.Optional(minParcels),
  minRevenue: Type.Optional(minRevenue),
});
export type TargetRequest = Static<typeof TargetRequest>;

export const TargetRequests = Type.Array(TargetRequest, {
  minItems: 1,
  maxItems: maxTargets,
  description:
    "Several contracts to compare with, numbered from 1. The first is that of `carrierAccountId`, which may be left out then",
});

const TargetNumber = Type.Integer({
  minimum: 1,
  maximum: maxTargets,
  description: "Number of the target, from 1, in the order of `targets`",
});

export const Target = Type.Object({
  target: TargetNumber,
  name: Type.String(),
  carrierAccountId: Id,
  carrierAccountName: Type.String(),
  rateCardId: Nullable(Id),
  minParcels: Nullable(Count),
  minRevenue: Nullable(Type.Number()),
});
export type Target = Static<typeof Target>;

const Change = (description: string) => Type.Optional(Type.Number({ minimum: -100, maximum: 1_000, description }));

const terms = {
  ...ScenarioShape.properties,
  increasePercent: Change("General increase of all list prices; negative: a decrease"),
  surchargePercents: Type.Optional(
    Type.Record(Type.String({ minLength: 1, maxLength: 40 }), Type.Number({ minimum: -100, maximum: 1_000 }), {
      maxProperties: 60,
      description: "Increase of single surcharges, by code; -100: free",
    }),
  ),
  minimumChange: Type.Optional(
    Type.Number({
      minimum: -1_000,
      maximum: 1_000,
      description: "Added to the minimum of each service that has one; negative: a reduction",
    }),
  ),
};

const Terms = Strict({ target: Type.Optional({ ...TargetNumber, description: "Default: all targets" }), ...terms });
/** The terms of one target in a scenario. */
export const TargetTerms = Type.Object(terms);

const Rule = Strict({
  target: TargetNumber,
  serviceTypes: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      minItems: 1,
      maxItems: 100,
      description: "Services as the items name them; case-insensitive",
    }),
  ),
  carriers: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 1,
      maxItems: 20,
      description: "Carriers whose names the services of the items begin with, such as USPS; case-insensitive",
    }),
  ),
  serviceLevels: Type.Optional(Type.Array(OneOf(serviceLevels), { minItems: 1, maxItems: 20 })),
  zones: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 10 }), {
      minItems: 1,
      maxItems: 100,
      description: "Zones of this target",
    }),
  ),
  weightOver: Type.Optional({ ...Weight, description: "Heavier than this; the weight of the parcel itself" }),
  weightUpTo: Type.Optional({ ...Weight, description: "At most this heavy" }),
});
export type Rule = Static<typeof Rule>;

const Commitment = Strict({
  target: TargetNumber,
  minParcels: Type.Optional(minParcels),
  minRevenue: Type.Optional(minRevenue),
});
export type Commitment = Static<typeof Commitment>;

const definition = {
  terms: Type.Optional(
    Type.Array(Terms, {
      maxItems: 20,
      description: "Other terms of the contracts; for the same field the last entry that names the target counts",
    }),
  ),
  rules: Type.Optional(
    Type.Array(Rule, {
      maxItems: 50,
      description:
        "A mix by rules. The first rule that matches a parcel and whose target has a price for it decides; without one the " +
        "cheapest target. A rule without conditions matches all parcels",
    }),
  ),
  commitments: Type.Optional(
    Type.Array(Commitment, { maxItems: maxTargets, description: "Default: those of the targets" }),
  ),
  keepSource: Type.Optional(
    Type.Boolean({ description: "The mixes may also leave a parcel with the carrier that was paid. Default false" }),
  ),
};

export const ScenarioRequest = Strict(
  { name: Name, ...definition },
  {
    examples: [
      {
        name: "Increase of 2027",
        terms: [{ increasePercent: 5.9 }, { target: 1, fuelPercent: 16 }],
        rules: [{ target: 1, weightUpTo: { value: 5, unit: "lb" } }],
        commitments: [{ target: 1, minParcels: 1 }],
      },
    ],
  },
);
export type ScenarioRequest = Static<typeof ScenarioRequest>;
export const Definition = Type.Object(definition);
export type Definition = Static<typeof Definition>;
