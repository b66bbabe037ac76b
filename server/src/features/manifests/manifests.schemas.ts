import type { Static } from "typebox";
import { CalendarDate } from "../../carriers/rate-card/card.schemas.ts";
import { labelTypes } from "../../carriers/seam/labels.ts";
import { Address } from "../../core/address.ts";
import { Count, DateTime, Id, NameList, Nullable, OneOf, pageQuery, Strict, Version } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

const manifestStatuses = ["requested", "created", "failed"] as const;

export const ManifestRequest = Strict(
  {
    carrierAccountId: Id,
    locationId: Type.Optional({ ...Id, description: "Where the parcels are handed over; or `from`" }),
    from: Type.Optional({
      ...Address,
      description: "The sender address of the labels. Default: the address of the location",
    }),
    shipDate: Type.Optional({ ...CalendarDate, description: "The ship date of the labels. Default: today" }),
    labelIds: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: 5_000,
        uniqueItems: true,
        description: "Default: all labels of this account, address and day that are not on a manifest",
      }),
    ),
    group: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          "Where a carrier needs separate manifests, such as the carriers behind one account; an error lists the groups",
      }),
    ),
  },
  {
    examples: [
      {
        carrierAccountId: "01900000-0000-7000-8000-000000000001",
        locationId: "01900000-0000-7000-8000-000000000002",
        shipDate: "2026-03-05",
      },
    ],
  },
);
export type ManifestRequest = Static<typeof ManifestRequest>;

const Text = Type.String();

export const Manifest = Type.Object({
  id: Id,
  status: OneOf(manifestStatuses, {
    description:
      "`requested`: the carrier has not responded yet, or makes the manifest in the background. `failed`: the labels are free for " +
      "another manifest",
  }),
  carrierAccountId: Nullable(Id),
  carrier: Text,
  locationId: Nullable(Id),
  from: Address,
  shipDate: CalendarDate,
  group: Nullable(Text),
  labelCount: { ...Count, description: "`GET /shipments/labels?manifestId=` lists the labels" },
  packageCount: Count,
  number: Nullable({ ...Text, description: "The number of the carrier; null if it assigns none" }),
  contentType: Nullable(OneOf(labelTypes)),
  contentBytes: Nullable(Count),
  failure: Nullable(Type.Object({ code: Text, message: Text })),
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type ManifestAnswer = Static<typeof Manifest>;

export const ManifestQuery = pageQuery({
  status: Type.Optional(NameList(manifestStatuses)),
  carrierAccountId: Type.Optional(Id),
  locationId: Type.Optional(Id),
  shipDate: Type.Optional(CalendarDate),
});
export type ManifestQuery = Static<typeof ManifestQuery>;
