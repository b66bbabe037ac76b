import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { CalendarDate } from "../../carriers/rate-card/card.schemas.ts";
import { serviceLevels } from "../../carriers/rate-card/service-level.ts";
import { Count, NameList, Nullable, OneOf, pageQuery, Strict } from "../../core/schema.ts";
import { Dimensions, Weight } from "../../core/weight.ts";

export const itemStatuses = ["pending", "rated", "estimated", "unrateable", "invalid", "excluded"] as const;
const bases = ["weight", "shipment", "flat", "inferred", "profile"] as const;
const itemReasons = [
  "zone_unresolved",
  "service_unmatched",
  "not_serviceable",
  "over_limit",
  "weight_missing",
  "no_rate_cell",
  "invalid_zip",
  "currency_mismatch",
  "duplicate",
  "charge_line",
  "credit",
  "international",
  "amount_out_of_range",
  "sides_implausible",
] as const;

const Text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));
const zip = Text(20);
const city = Text(100);
const state = Text(50);
const country = Type.Optional(Type.String({ maxLength: 60, description: "Code or name. Default: United States" }));

export const ItemRequest = Strict({
  trackingNumber: Type.String({ minLength: 1, maxLength: 100 }),
  netCost: Type.Number({
    minimum: -1_000_000,
    maximum: 1_000_000,
    description:
      "The amount paid; negative for a credit. A parcel may have several items, one per charge; its weight, dimensions, places " +
      "and ship date are taken from the first item that has them",
  }),
  serviceType: Text(100),
  chargeType: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        "Name of the charge, such as Fuel Surcharge. Charges with different names are never duplicates. If no item of a parcel " +
        "has a `serviceType`, the service is detected from the charge names",
    }),
  ),
  originZip: zip,
  originCity: city,
  originState: state,
  originCountry: country,
  destinationZip: zip,
  destinationCity: city,
  destinationState: state,
  destinationCountry: country,
  weight: Type.Optional(Weight),
  dimensions: Type.Optional(Dimensions),
  residential: Type.Optional(Nullable(Type.Boolean())),
  shipDate: Type.Optional(CalendarDate),
  currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$" })),
  leadTrackingNumber: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        "The same for all parcels of a shipment, such as the tracking number of its first parcel. Cards with hundredweight or multi-piece " +
        "prices rate these parcels together",
    }),
  ),
});
export type ItemRequest = Static<typeof ItemRequest>;

const itemFilters = {
  status: Type.Optional(NameList(itemStatuses)),
  zone: Type.Optional(Type.String({ maxLength: 10 })),
  serviceType: Type.Optional(Type.String({ maxLength: 100, description: "Case-insensitive" })),
  search: Type.Optional(Type.String({ maxLength: 100, description: "In tracking numbers, cities, states and ZIPs" })),
  outcome: Type.Optional(OneOf(["win", "loss", "tie"])),
  basis: Type.Optional(NameList(bases)),
  reason: Type.Optional(NameList(itemReasons)),
  minSavings: Type.Optional(Type.Number({ minimum: -1_000_000, maximum: 1_000_000 })),
  destinationState: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 50,
      description:
        "As in `stateBreakdown` of the summary: the given state, else the state of the ZIP, or `unknown`. Additional charges and " +
        "duplicates are left out, unless `reason` or the status `excluded` selects them",
    }),
  ),
  residential: Type.Optional(Type.Boolean({ description: "Rated as residential or commercial" })),
  targetService: Type.Optional(Type.String({ maxLength: 100, description: "Code of the service it was rated with" })),
  charge: Type.Optional(
    Type.String({ maxLength: 100, description: "Code of a line of the target price, such as `fuel` or a surcharge" }),
  ),
  chargeType: Type.Optional(Type.String({ maxLength: 100, description: "Name of the charge; case-insensitive" })),
};

export const ItemQuery = pageQuery(
  {
    ...itemFilters,
    sort: Type.Optional(OneOf(["position", "savings", "-savings", "netCost", "-netCost", "zone"])),
  },
  { limit: 50, max: 500 },
);
export type ItemQuery = Static<typeof ItemQuery>;
export const ExportQuery = Strict(itemFilters);
export type ItemFilter = Static<typeof ExportQuery>;

const Money = Type.Number({ description: "With two decimals" });

export const Item = Type.Object({
  index: Count,
  trackingNumber: Type.String(),
  netCost: Money,
  serviceType: Type.String({
    description:
      "The name by which the service was found: of this item, of another charge of the parcel, or of its shipment",
  }),
  chargeType: Nullable(Type.String()),
  originZip: Nullable(Type.String()),
  originCity: Nullable(Type.String()),
  originState: Nullable(Type.String()),
  destinationZip: Nullable(Type.String()),
  destinationCity: Nullable(Type.String()),
  destinationState: Nullable(Type.String()),
  weight: Nullable(Weight),
  dimensions: Nullable(Dimensions),
  residential: Nullable(Type.Boolean()),
  shipDate: Nullable(CalendarDate),
  currency: Nullable(Type.String()),
  foreignCountry: Nullable(
    Type.String({ description: "Country of origin or destination, if it is not the United States" }),
  ),
  revision: Nullable(Count),
  status: OneOf(itemStatuses),
  reason: Nullable(OneOf(itemReasons)),
  zone: Nullable(Type.String()),
  zoneSource: Nullable(OneOf(["chart", "distance", "state", "flat"])),
  distanceMiles: Nullable(Type.Integer()),
  borderline: Type.Boolean(),
  alternativeZone: Nullable(Type.String()),
  serviceLevel: Nullable(OneOf(serviceLevels)),
  targetService: Nullable(Type.String()),
  basis: Nullable(
    OneOf(bases, {
      description:
        "Source of the weight: the item, the shipment with its tracking number, none needed, inferred from the amount paid, or " +
        "a profile of usual weights",
    }),
  ),
  ratedWeight: Nullable(Weight),
  sourceCost: Type.Number({
    description: "The amount paid for the parcel: all its charges. 0 for its additional charges",
  }),
  targetCost: Nullable(Money),
  targetLow: Nullable(Money),
  targetHigh: Nullable(Money),
  savings: Nullable(Money),
  savingsPct: Nullable(Type.Number()),
  outcome: Nullable(OneOf(["win", "loss", "tie"])),
  breakEvenWeight: Nullable(Weight),
  lines: Type.Array(Type.Object({ code: Type.String(), amount: Money })),
});
export type Item = Static<typeof Item>;
