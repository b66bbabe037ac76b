import type { Location } from "./locations.queries.ts";

const types = [
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
export type LocationType = (typeof types)[number];
export const typeOptions = types.map((value) => ({
  value,
  label: value.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase()),
}));

export function addressText({ address }: Pick<Location, "address">): string {
  const { address1, city, provinceCode, zip, countryCode } = address;
  return [address1, city, [provinceCode, zip].filter(Boolean).join(" "), countryCode].filter(Boolean).join(", ");
}
