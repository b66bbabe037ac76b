import type { RateCard, Weight } from "@order-operations-hub/sdk/api-types";
import { formatDate } from "../../ui/calendar.ts";

/** By ISO weekday number, from 1. */
export const dayNames = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const weight = (given: Weight | undefined): string | undefined => given && `${given.value} ${given.unit}`;

export const zoneSchemes: Array<{ value: RateCard["zoneScheme"]; label: string }> = [
  { value: "ups", label: "UPS zones, by distance" },
  { value: "fedex", label: "FedEx zones, by distance" },
  { value: "usps", label: "USPS zones, by distance" },
  { value: "chart", label: "Zone chart of the account only" },
  { value: "bands", label: "Distance bands of the card" },
  { value: "flat", label: "One zone" },
];
export const schemeName = (scheme: string): string =>
  zoneSchemes.find(({ value }) => value === scheme)?.label ?? scheme;

type Surcharge = NonNullable<RateCard["surcharges"]>[number];

/** Amount and condition of a surcharge in words. */
export function surchargeText({ kind, amount, percent, amountByZone, weightUnit, when = {} }: Surcharge): string {
  const takes =
    kind === "percent"
      ? `${percent ?? 0} % of the base after discount`
      : `${amountByZone ? "by zone" : (amount ?? 0).toFixed(2)}${kind === "per_weight" ? ` for each ${weightUnit ?? "lb"}` : ""}`;
  const conditions = [
    when.residential === undefined ? "" : when.residential ? "to homes" : "to businesses",
    when.destinationSet && `to ${when.destinationSet}`,
    when.originSet && `from ${when.originSet}`,
    when.destinationStates && `to ${when.destinationStates.join(", ")}`,
    when.zones && `in zones ${when.zones.join(", ")}`,
    when.services && `with ${when.services.join(", ")}`,
    when.weightOver && `over ${weight(when.weightOver)}`,
    when.longestSideOver && `longer than ${when.longestSideOver} in`,
    when.secondLongestSideOver && `second side over ${when.secondLongestSideOver} in`,
    when.lengthPlusGirthOver && `length and girth over ${when.lengthPlusGirthOver} in`,
    when.volumeOver && `over ${when.volumeOver} cubic inches`,
    when.from && `from ${formatDate(when.from)}`,
    when.to && `until ${formatDate(when.to)}`,
    when.requires && `only together with ${when.requires}`,
  ].filter(Boolean);
  return [takes, ...conditions].join(", ");
}

export function fuelText(fuel: RateCard["fuel"]): string {
  if (!fuel) return "none";
  const of = { base_list: "the list price", base_net: "the price after discount", subtotal: "price and surcharges" };
  const share = fuel.table ? `by date, ${fuel.table.at(-1)?.percent ?? 0} % at last` : `${fuel.percent ?? 0} %`;
  return `${share} of ${of[fuel.appliesTo]}`;
}

export const sampleCard = [
  "Service,Weight (lb),Zone 2,Zone 3,Zone 4,Zone 5,Zone 6,Zone 7,Zone 8",
  "GROUND,1,9.50,9.85,10.40,10.95,11.30,11.80,12.40",
  "GROUND,5,11.00,11.60,12.50,14.00,15.10,16.20,17.50",
  "GROUND,10,13.00,13.90,15.20,18.00,19.80,21.70,24.00",
  "",
].join("\n");
