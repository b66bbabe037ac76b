import type { Order } from "@order-operations-hub/sdk/api-types";

/** City, region, and the country unless it is the US. */
export function placeOf(address: Order["shippingAddress"]): string {
  const { city, provinceCode, province, countryCode, zip } = address ?? {};
  const region = provinceCode ?? province;
  const isHome = countryCode === undefined || countryCode === "US";
  return [city ?? zip, region, isHome ? undefined : countryCode].filter(Boolean).join(", ");
}
