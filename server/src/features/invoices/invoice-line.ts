import type { Weight } from "../../core/weight.ts";

export const chargeKinds = [
  "base",
  "discount",
  "fuel",
  "surcharge",
  "tax",
  "duty",
  "adjustment",
  "credit",
  "fee",
] as const;
export type ChargeKind = (typeof chargeKinds)[number];

export const weightBases = ["actual", "dimensional", "minimum", "other"] as const;
type WeightBasis = (typeof weightBases)[number];

/** Amounts are in millionths (see invoice-amounts.ts); net = gross - discount. */
export type Charge = {
  kind: ChargeKind;
  code: string | null;
  description: string;
  gross: number;
  discount: number;
  net: number;
};

export type MeasuredWeight = { value: number; unit: Weight["unit"] };

/** What a row of a file says about the parcel, the same for all of its charges. */
export type LineFacts = {
  account: string | null;
  trackingNumber: string | null;
  leadTrackingNumber: string | null;
  originalTrackingNumber: string | null;
  transactionDate: string | null;
  shipDate: string | null;
  deliveryDate: string | null;
  currency: string;
  service: string | null;
  zone: string | null;
  enteredWeight: MeasuredWeight | null;
  billedWeight: MeasuredWeight | null;
  weightBasis: WeightBasis | null;
  dimensions: { length: number; width: number; height: number; unit: "in" | "cm" } | null;
  references: string[];
  senderZip: string | null;
  senderCountry: string | null;
  receiverZip: string | null;
  receiverCountry: string | null;
};

export type InvoiceLine = LineFacts & Charge & { row: number };

/** What a row says about its invoice. `amount` is null where the row, or the file, does not state it. */
export type InvoiceHead = {
  number: string;
  account: string | null;
  date: string | null;
  currency: string;
  amount: number | null;
  /** Rounding that belongs to the invoice as a whole; repeated in all of its rows, charged once. */
  variances?: Charge[];
};

/** A row of a file. `stated`: the total of the row according to the carrier, to be compared with its charges. */
export type ReadRow = {
  head: InvoiceHead;
  facts: LineFacts;
  charges: Charge[];
  stated?: number;
};

export const noFacts: LineFacts = {
  account: null,
  trackingNumber: null,
  leadTrackingNumber: null,
  originalTrackingNumber: null,
  transactionDate: null,
  shipDate: null,
  deliveryDate: null,
  currency: "USD",
  service: null,
  zone: null,
  enteredWeight: null,
  billedWeight: null,
  weightBasis: null,
  dimensions: null,
  references: [],
  senderZip: null,
  senderCountry: null,
  receiverZip: null,
  receiverCountry: null,
};

/** Weights and size belong to the transport of a parcel, not to its other charges. */
export function withoutMeasures(facts: LineFacts): LineFacts {
  return { ...facts, enteredWeight: null, billedWeight: null, weightBasis: null, dimensions: null };
}

/** A charge without a discount of its own. */
export function plainCharge(kind: ChargeKind, code: string | null, description: string, net: number): Charge {
  // A discount line takes off what other lines charge.
  if (kind === "discount") return { kind, code, description, gross: 0, discount: -net, net };
  return { kind, code, description, gross: net, discount: 0, net };
}
