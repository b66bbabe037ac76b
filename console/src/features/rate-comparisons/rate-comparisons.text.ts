import type { Tone } from "../../ui/tone.ts";

export const comparisonTones: Record<string, Tone> = {
  draft: "skip",
  queued: "skip",
  processing: "info",
  completed: "ok",
  completed_with_errors: "warn",
  failed: "bad",
};

export const itemTones: Record<string, Tone> = {
  pending: "skip",
  rated: "ok",
  estimated: "info",
  unrateable: "warn",
  invalid: "bad",
  excluded: "skip",
};

/** Why an item has no price, or an assumed one. */
const reasonTexts: Record<string, string> = {
  zone_unresolved: "zone unknown",
  service_unmatched: "no matching service in the contract",
  not_serviceable: "service not available at the destination",
  over_limit: "too large or too heavy for the service",
  weight_missing: "weight unknown",
  no_rate_cell: "no price for this zone and weight",
  invalid_zip: "invalid ZIP code",
  currency_mismatch: "paid in another currency",
  duplicate: "duplicate tracking number",
  charge_line: "additional charge of another item",
  credit: "a credit",
};
export const reasonText = (reason: string): string => reasonTexts[reason] ?? reason.replaceAll("_", " ");

export const basisTexts: Record<string, string> = {
  weight: "weight of the item",
  shipment: "weight of the shipment with this tracking number",
  flat: "not needed: one price for all weights",
  inferred: "estimated from the amount paid",
  profile: "typical weights; the price is their average",
};

export const zoneSourceTexts: Record<string, string> = {
  chart: "from the zone chart of the account",
  distance: "by distance",
  state: "by the center of the state",
  flat: "the rate card has one zone",
};

export const lineNames: Record<string, string> = {
  base: "Base price",
  discount: "Discount",
  minimum: "Raised to the minimum",
  fuel: "Fuel",
};

export const fieldNames: Record<string, string> = {
  trackingNumber: "Tracking number",
  netCost: "Amount paid",
  serviceType: "Service",
  originZip: "From: ZIP",
  originCity: "From: city",
  originState: "From: state",
  destinationZip: "To: ZIP",
  destinationCity: "To: city",
  destinationState: "To: state",
  weight: "Weight",
  weightUnit: "Weight unit",
  length: "Length",
  width: "Width",
  height: "Height",
  dimensionUnit: "Dimension unit",
  residential: "Residential",
  shipDate: "Ship date",
  currency: "Currency",
};

export const sampleCsv = [
  "Tracking Number,Net Charge,Service,Origin ZIP,Destination ZIP,Destination City,Destination State,Weight (lb),Residential,Ship Date",
  "1Z999AA10123456784,14.20,Ground,07114,90210,Beverly Hills,CA,3,yes,2026-03-02",
  "1Z999AA10123456785,11.75,Ground,07114,10001,New York,NY,2.5,no,2026-03-02",
  "",
].join("\n");
