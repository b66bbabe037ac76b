/** Fields of orders whose values can be counted. */
export const facetFields = [
  "status",
  "tag",
  "holdReason",
  "sku",
  "service",
  "carrier",
  "country",
  "channel",
  "locationId",
  "bridgeId",
  "assigneeId",
  "priority",
  "paymentStatus",
] as const;
export type FacetField = (typeof facetFields)[number];
