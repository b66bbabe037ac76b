import type { Static } from "typebox";
import { Type } from "typebox";
import { Address } from "../../core/address.ts";
import { PatchFor } from "../../core/merge-patch.ts";
import { DateTime, Id, Name, Nullable, OneOf, pageQuery, Strict, Version } from "../../core/schema.ts";

export const locationTypes = [
  "warehouse",
  "fulfillment_center",
  "store",
  "third_party",
  "supplier",
  "returns_center",
  "pickup_point",
  "virtual",
  "other",
] as const;

export const maxMetadataBytes = 16 * 1024;

const LocationType = OneOf(locationTypes);
const Metadata = Type.Record(Type.String(), Type.Unknown(), { description: "Anything, up to 16 KB" });

export const LocationRequest = Strict(
  {
    name: Name,
    type: Type.Optional(OneOf(locationTypes, { description: "Default: warehouse" })),
    address: Type.Optional(Address),
    is_default: Type.Optional(
      Type.Boolean({ description: "There is always one default; the first location becomes it whatever is said here" }),
    ),
    metadata: Type.Optional(Metadata),
  },
  {
    examples: [
      {
        name: "Newark",
        type: "warehouse",
        address: { address1: "1 Port Street", city: "Newark", provinceCode: "NJ", zip: "07114", countryCode: "US" },
        metadata: { dock_doors: 12 },
      },
    ],
  },
);
export type LocationRequest = Static<typeof LocationRequest>;

export const LocationPatch = Strict(
  {
    name: Type.Optional(Name),
    type: Type.Optional(LocationType),
    address: Type.Optional(Nullable(PatchFor(Address))),
    is_default: Type.Optional(Type.Boolean()),
    is_active: Type.Optional(Type.Boolean({ description: "Nothing new can be assigned to an inactive location" })),
    metadata: Type.Optional(Nullable(Metadata)),
  },
  { examples: [{ address: { address2: "Gate 4" } }] },
);
export type LocationPatch = Static<typeof LocationPatch>;

export const Location = Type.Object({
  id: Id,
  name: Type.String(),
  type: LocationType,
  address: Address,
  is_default: Type.Boolean(),
  is_active: Type.Boolean(),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  created_at: DateTime,
  updated_at: DateTime,
  version: Version,
});
export type Location = Static<typeof Location>;

export const LocationQuery = pageQuery({
  type: Type.Optional(LocationType),
  is_active: Type.Optional(Type.Boolean()),
  search: Type.Optional(Type.String({ maxLength: 100, description: "Part of the name" })),
});
export type LocationQuery = Static<typeof LocationQuery>;
