import type { Sides } from "../../../carriers/rate-card/measures.ts";
import type { BilledLine } from "./parcel-bill.ts";

export const findingKinds = [
  "base_rate",
  "discount",
  "minimum",
  "fuel",
  "surcharge",
  "zone",
  "weight",
  "dimensions",
  "residential",
  "duplicate",
  "voided_label",
  "not_shipped",
  "late_delivery",
  "adjustment",
] as const;
export type FindingKind = (typeof findingKinds)[number];

export const confidences = ["high", "medium", "low"] as const;
export type Confidence = (typeof confidences)[number];

/** What the invoice says about a parcel, from the line of its transport. */
export type BilledFacts = {
  service: string | null;
  zone: string | null;
  shipDate: string | null;
  deliveryDate: string | null;
  currency: string;
  lead: string | null;
  enteredMg: number | null;
  billedMg: number | null;
  basis: string | null;
  sides: Sides | undefined;
  senderZip: string | null;
  receiverZip: string | null;
  /** ISO codes of the countries of sender and receiver; null: the United States with the territories, or not stated. */
  countries: { sender: string | null; receiver: string | null };
};

/** What the organization itself knows about a parcel. */
export type OwnParcel = {
  /** The organization bought the label through the hub. */
  isLabel: boolean;
  isVoided: boolean;
  /** The carrier has scanned it. */
  isScanned: boolean;
  weightMg: number | null;
  sides: Sides | undefined;
  residential: boolean | null;
  /** Given with the shipment, not derived from the order or the service. */
  promise: { day: string; source: string } | null;
  /** Of the first attempt to deliver it. */
  deliveredDay: string | null;
};

/** Charges of the same parcel on invoices that were imported before. */
export type EarlierBilling = {
  invoiceNumber: string;
  net: number;
  hasTransport: boolean;
  shipDate: string | null;
  /** That were not credited since. */
  surcharges: (BilledLine & { invoiceNumber: string })[];
};

export type BilledParcel = {
  number: string;
  /** Undefined: no invoice has its transport. */
  facts: BilledFacts | undefined;
  lines: BilledLine[];
  earlier: EarlierBilling | undefined;
  /** Parcels of its shipment; null: the invoice does not state it. */
  pieces: number | null;
  own: OwnParcel | undefined;
};

/** What leads to a finding: the rule in words, both amounts and the values it was applied to. */
export type Evidence = {
  rule: string;
  billed: number;
  expected: number;
  values: Record<string, string | number | boolean | null>;
};

/** Amounts are in millionths. `code`: the surcharge, for kinds that a parcel can have several of. */
export type NewFinding = {
  kind: FindingKind;
  code: string;
  amount: number;
  confidence: Confidence;
  evidence: Evidence;
};

/** Carriers round each line, and fuel of each line: differences up to two cents are no finding. */
export const tolerance = 20_000;

export const centMicros = 10_000;

export const notAuditedReasons = [
  "no_contract",
  "transport_missing",
  "ship_date_missing",
  "card_not_in_effect",
  "currency_mismatch",
  "international",
  "service_unmatched",
  "priced_together",
  "weight_missing",
  "zone_unresolved",
  "not_serviceable",
  "no_rate_cell",
  "over_limit",
] as const;
export type NotAuditedReason = (typeof notAuditedReasons)[number];
