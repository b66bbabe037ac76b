import type { Static } from "typebox";
import { Id, Nullable, OneOf, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

export const kinds = [
  "order",
  "shipment",
  "operation_run",
  "pipeline",
  "automation",
  "execution",
  "bridge",
  "schedule",
  "transformation",
  "condition_set",
  "location",
  "carrier_account",
  "rate_comparison",
  "invoice",
  "pickup",
  "webhook",
  "user",
] as const;
export type Kind = (typeof kinds)[number];

export const SearchQuery = Strict({
  q: Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      "A number, tracking number or ID, the beginning of words in orders, or any part of the name of other records",
  }),
});
export type SearchQuery = Static<typeof SearchQuery>;

const Hit = Type.Object({
  kind: OneOf(kinds),
  id: Id,
  title: Type.String(),
  detail: Nullable(Type.String({ description: "Status, or another distinguishing field" })),
});
export type Hit = Static<typeof Hit>;

export const SearchResponse = Type.Object({
  data: Type.Array(Hit, { description: "Up to five of each kind, grouped by kind" }),
});
