import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Address } from "../../core/address.ts";
import { PatchFor } from "../../core/merge-patch.ts";
import { DateTime, Id, Name, Nullable, OneOf, pageQuery, Strict, Version } from "../../core/schema.ts";

const locationTypes = [
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
const CutoffTime = Type.String({
  pattern: "^([01]\\d|2[0-3]):[0-5]\\d$",
  description:
    "Local time, such as 16:00, from which on parcels leave on the next day. Default: that of the organization",
});
const Timezone = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "IANA time zone, such as America/New_York. Default: that of the address, else of the organization",
});
const Metadata = Type.Record(Type.String(), Type.Unknown(), { description: "Anything, up to 16 KB" });

export const LocationRequest = Strict(
  {
    name: Name,
    type: Type.Optional(OneOf(locationTypes, { description: "Default: warehouse" })),
    address: Type.Optional(Address),
    is_default: Type.Optional(
      Type.Boolean({ description: "Exactly one location is the default; the first location always becomes it" }),
    ),
    cutoff_time: Type.Optional(CutoffTime),
    timezone: Type.Optional(Timezone),
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
    cutoff_time: Type.Optional(Nullable(CutoffTime)),
    timezone: Type.Optional(Nullable(Timezone)),
    metadata: Type.Optional(Nullable(Metadata)),
    locked_fields: Type.Optional(
      Type.Array(OneOf(["name", "type", "address", "is_active"]), {
        uniqueItems: true,
        description: "Fields a sync does not change; locally edited fields are added automatically",
      }),
    ),
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
  cutoff_time: Nullable(CutoffTime),
  timezone: Nullable(Timezone),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  bridge_id: Nullable(Id),
  external_id: Nullable(Type.String()),
  locked_fields: Type.Array(Type.String(), { description: "Locally edited fields, which a sync does not change" }),
  last_synced_at: Nullable(DateTime),
  created_at: DateTime,
  updated_at: DateTime,
  version: Version,
});
export type Location = Static<typeof Location>;

export const LocationQuery = pageQuery({
  type: Type.Optional(LocationType),
  is_active: Type.Optional(Type.Boolean()),
  bridge_id: Type.Optional(Id),
  search: Type.Optional(Type.String({ maxLength: 100, description: "Part of the name" })),
});
export type LocationQuery = Static<typeof LocationQuery>;

/** The form of a location from a bridge, after its transformation. */
export const SyncedLocation = Type.Object({
  name: Name,
  type: Type.Optional(LocationType),
  address: Type.Optional(Address),
  is_active: Type.Optional(Type.Boolean()),
});
export type SyncedLocation = Static<typeof SyncedLocation>;

export const SyncQuery = Strict({
  dry_run: Type.Boolean({ default: false, description: "Report the changes without making them" }),
});

const count = Type.Integer({ minimum: 0 });

export const LocationSync = Type.Object({
  bridge_id: Id,
  dry_run: Type.Boolean(),
  started_at: DateTime,
  finished_at: DateTime,
  summary: Type.Object({
    fetched: count,
    created: count,
    updated: count,
    unchanged: count,
    deactivated: count,
    failed: count,
  }),
  changes: Type.Array(
    Type.Object({
      action: OneOf(["created", "updated", "unchanged", "deactivated"]),
      external_id: Type.String(),
      location_id: Nullable(Id),
      name: Type.String(),
      changes: Type.Array(Type.Object({ path: Type.String(), from: Type.Unknown(), to: Type.Unknown() })),
      kept_local: Type.Array(Type.String(), {
        description:
          "Fields that were not synced: locally edited, a name that is in use, or a default that must stay active",
      }),
    }),
  ),
  suggestions: Type.Array(
    Type.Object({
      kind: OneOf(["possible_duplicate"]),
      location_ids: Type.Array(Id),
      score: Type.Number(),
      reasons: Type.Array(Type.String()),
    }),
  ),
  errors: Type.Array(Type.Object({ external_id: Type.String(), code: Type.String(), message: Type.String() })),
});
export type LocationSync = Static<typeof LocationSync>;
