import type { Finding } from "@order-operations-hub/sdk/api-types";
import { formatDate } from "../../ui/calendar.ts";
import { formatMoney, sentence } from "../../ui/format.ts";
import type { Tone } from "../../ui/tone.ts";
import type { FindingCounts, FindingState } from "./findings.queries.ts";
import { formatExact } from "./invoices.text.ts";

const kindNames: Record<string, string> = {
  base_rate: "Base rate",
  discount: "Discount",
  minimum: "Minimum charge",
  fuel: "Fuel",
  surcharge: "Surcharge",
  zone: "Zone",
  weight: "Weight",
  dimensions: "Dimensional weight",
  residential: "Residential",
  duplicate: "Billed twice",
  voided_label: "Voided label",
  not_shipped: "Not shipped",
  late_delivery: "Late delivery",
  adjustment: "Adjustment",
};
export const findingName = ({ kind, code }: Pick<Finding, "kind"> & { code?: string | null }): string =>
  [kindNames[kind] ?? sentence(kind), code && sentence(code).toLowerCase()].filter(Boolean).join(": ");
export const findingKindOptions = Object.entries(kindNames).map(([value, label]) => ({ value, label }));

export const findingStates = ["open", "claimed", "credited", "rejected"] as const;
const tones: Record<string, Tone> = { open: "info", claimed: "warn", credited: "ok", rejected: "skip" };
export const findingTone = (state: FindingState): Tone => tones[state] ?? "skip";

export const confidenceOptions = [
  { value: "high", label: "High" },
  { value: "medium", label: "Medium" },
  { value: "low", label: "Low" },
];
export const confidenceNotes: Record<string, string> = {
  high: "The contract and the invoice prove it.",
  medium: "The label or the tracking proves it.",
  low: "Check it before you claim it: a fact may be wrong.",
};

/** Why a parcel could not be compared, and what helps. */
const reasonTexts: Record<string, [reason: string, fix: string]> = {
  no_contract: ["no contract chosen", "Audit the invoice against a contract."],
  transport_missing: ["no transport charge", "Import the invoice that has the transport of the parcel."],
  ship_date_missing: ["no ship date", "The invoice does not state when the parcel was shipped."],
  card_not_in_effect: ["no rate card on the ship date", "Upload the rate card that was valid on the ship date."],
  currency_mismatch: ["another currency", "The rate card is in another currency than the invoice."],
  international: ["international", "Rate cards price domestic parcels only."],
  service_unmatched: ["service not in the contract", "Add the name of the service as an alias to the carrier account."],
  priced_together: ["priced together", "Hundredweight and multi-piece prices belong to a shipment, not to a parcel."],
  weight_missing: ["no weight", "Neither the invoice nor a label states the weight."],
  zone_unresolved: ["zone unknown", "Upload the zone chart of the origin to the carrier account."],
  not_serviceable: ["destination not served", "The contract does not offer the service at the destination."],
  no_rate_cell: ["no price for zone and weight", "The rate card has no price for this zone and weight."],
  over_limit: ["over the limits", "The parcel is larger or heavier than the service allows."],
};
export const notAuditedText = (reason: string): string => reasonTexts[reason]?.[0] ?? sentence(reason).toLowerCase();
export const notAuditedFix = (reason: string): string => reasonTexts[reason]?.[1] ?? "";
export const notAuditedOptions = Object.entries(reasonTexts).map(([value, [label]]) => ({
  value,
  label: label.charAt(0).toUpperCase() + label.slice(1),
}));

const chargeNames: Record<string, string> = {
  base: "Transport",
  discount: "Discount and minimum",
};
export const chargeName = ({ charge, label }: { charge: string; label: string }): string =>
  chargeNames[charge] ?? (label === charge ? sentence(charge) : label);

const valueNames: Record<string, string> = {
  percent: "Fuel in the contract",
  billedPercent: "Fuel as billed",
  fuel: "Fuel included",
  ratedPounds: "Priced at",
  ownWeight: "Weight of the label",
  ownSides: "Sides of the label",
  billedSides: "Sides on the invoice",
  lines: "Lines of the invoice",
  contractCodes: "Surcharges of the contract",
  otherFindings: "Other findings of the parcel",
  promiseSource: "Promise from",
  zoneSource: "Zone from",
};
const amounts = new Set(["fuel", "billedNet", "expectedNet", "contractPrice", "billedBefore", "otherFindings"]);
const isDay = (value: unknown): value is string => typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value);

/** The values of the evidence as named facts. */
export function evidenceFacts({ evidence, currency }: Pick<Finding, "evidence" | "currency">): [string, string][] {
  const { unit, ...values } = evidence.values;
  const textOf = (name: string, value: unknown): string => {
    if (typeof value === "boolean") return value ? "Yes" : "No";
    if (isDay(value)) return formatDate(value);
    if (typeof value !== "number") return String(value);
    if (amounts.has(name)) return formatExact(value, currency);
    if (/percent$/i.test(name)) return `${value} %`;
    if (name === "ratedPounds") return `${value} lb`;
    return /weight$/i.test(name) && typeof unit === "string" ? `${value} ${unit}` : String(value);
  };
  return Object.entries(values).flatMap(([name, value]): [string, string][] =>
    value === null || value === undefined || value === ""
      ? []
      : [[valueNames[name] ?? sentence(name), textOf(name, value)]],
  );
}

type Group = FindingCounts["groups"][number];

/** "$120.00 and €12.50": amounts in several currencies are not added. */
export function amountsOf(groups: readonly Pick<Group, "currency" | "amount">[], currency = "USD"): string {
  const byCurrency = Map.groupBy(groups, (group) => group.currency);
  if (byCurrency.size === 0) return formatMoney(0, currency);
  const sum = (of: readonly Pick<Group, "amount">[]): number =>
    Math.round(of.reduce((total, { amount }) => total + amount, 0) * 100) / 100;
  return [...byCurrency].map(([of, some]) => formatMoney(sum(some), of)).join(" and ");
}

export const countOf = (groups: readonly Pick<Group, "findings">[]): number =>
  groups.reduce((sum, { findings }) => sum + findings, 0);
