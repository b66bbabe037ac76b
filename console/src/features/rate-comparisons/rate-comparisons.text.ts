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
  zone_unresolved: "its zone could not be told",
  service_unmatched: "the contract has no service like it",
  not_serviceable: "the service does not go there",
  over_limit: "too large or too heavy for the service",
  weight_missing: "nothing tells its weight",
  no_rate_cell: "the card has no price for this zone and weight",
  invalid_zip: "its ZIP is none",
  currency_mismatch: "it was paid in another currency",
  duplicate: "the tracking number was there before",
  charge_line: "a charge of another item",
  credit: "a credit",
};
export const reasonText = (reason: string): string => reasonTexts[reason] ?? reason.replaceAll("_", " ");

export const basisTexts: Record<string, string> = {
  weight: "the weight of the item",
  shipment: "the weight of the shipment with its tracking number",
  flat: "no weight: the price is the same for every one",
  inferred: "a weight worked out from what was paid",
  profile: "usual weights: the price is the average over them",
};

export const zoneSourceTexts: Record<string, string> = {
  chart: "by the zone chart of the account",
  distance: "by distance",
  state: "by the middle of the state",
  flat: "the card has one zone",
};

export const lineNames: Record<string, string> = {
  base: "Base price",
  discount: "Discount",
  minimum: "Raised to the minimum",
  fuel: "Fuel",
};

export const fieldNames: Record<string, string> = {
  trackingNumber: "Tracking number",
  netCost: "What was paid",
  serviceType: "Service",
  originZip: "From: ZIP",
  originCity: "From: city",
  originState: "From: state",
  destinationZip: "To: ZIP",
  destinationCity: "To: city",
  destinationState: "To: state",
  weight: "Weight",
  weightUnit: "Unit of the weight",
  length: "Length",
  width: "Width",
  height: "Height",
  dimensionUnit: "Unit of the size",
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
