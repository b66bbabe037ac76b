import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { importRequest, MappingText, Warnings } from "../../core/csv/import-shapes.ts";
import { Count, DateTime, Id, NameList, Nullable, OneOf, optional, pageQuery, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import { Dimensions, Weight } from "../../core/weight.ts";
import { findingKinds } from "./audit/billed-parcel.ts";
import { chargeKinds, weightBases } from "./invoice-line.ts";

const Text = Type.String();
const Day = Type.String({ format: "date" });
const Amount = Type.Number({ description: "In `currency`; with more than two decimals where the carrier writes them" });

export const Invoice = Type.Object({
  id: Id,
  carrier: Text,
  number: Text,
  account: Nullable(Type.String({ description: "The account that is billed" })),
  date: Nullable(Day),
  currency: Text,
  amount: { ...Amount, description: "As the carrier states it; the sum of the lines if the file states none" },
  chargedAmount: { ...Amount, description: "The sum of the lines in the currency of the invoice" },
  difference: { ...Amount, description: "`amount` less `chargedAmount`; other than 0, there is an exception" },
  lineCount: Count,
  format: Type.String({ description: "ups, fedex, dhl_express, easypost, shipstation, or mapped" }),
  createdBy: ActorShape,
  createdAt: DateTime,
});
export type Invoice = Static<typeof Invoice>;

export const Line = Type.Object({
  position: Type.Integer({ minimum: 0, description: "In the order of the file" }),
  row: Type.Integer({ minimum: 1, description: "Of the file, as a spreadsheet counts" }),
  account: Nullable(Text),
  trackingNumber: Nullable(
    Type.String({ description: "null: the charge is not about a parcel, such as a weekly fee" }),
  ),
  leadTrackingNumber: Nullable(Type.String({ description: "Of the shipment that the parcel is part of" })),
  originalTrackingNumber: Nullable(Type.String({ description: "Of the parcel that a correction is about" })),
  transactionDate: Nullable(Day),
  shipDate: Nullable(Day),
  deliveryDate: Nullable(Day),
  kind: OneOf(chargeKinds, {
    description:
      "base: transport. discount: a line that only takes off. adjustment: a correction after delivery. credit: a negative amount. " +
      "fee: not about a parcel. duty: also brokerage",
  }),
  code: Nullable(Type.String({ description: "As the carrier writes it" })),
  description: Text,
  gross: { ...Amount, description: "Before the discount of this line" },
  discount: { ...Amount, description: "Taken off `gross`" },
  net: { ...Amount, description: "`gross` less `discount`: what is paid" },
  currency: Text,
  service: Nullable(Text),
  zone: Nullable(Text),
  enteredWeight: Nullable(Weight),
  billedWeight: Nullable(Weight),
  weightBasis: Nullable(OneOf(weightBases, { description: "Which weight was billed" })),
  dimensions: Nullable(Dimensions),
  references: Type.Array(Text),
  senderZip: Nullable(Text),
  senderCountry: Nullable(Text),
  receiverZip: Nullable(Text),
  receiverCountry: Nullable(Text),
});
export type Line = Static<typeof Line>;

export const InvoiceQuery = pageQuery(
  optional({
    carrier: Type.String({ minLength: 1, maxLength: 100, description: "Case-insensitive" }),
    account: Type.String({ minLength: 1, maxLength: 200 }),
    number: Type.String({ minLength: 1, maxLength: 100 }),
    from: { ...Day, description: "Invoices of this day or later" },
    to: { ...Day, description: "Invoices of this day or earlier" },
    hasDifference: Type.Boolean({ description: "Whether the lines do not add up to the amount" }),
  }),
);
export type InvoiceQuery = Static<typeof InvoiceQuery>;

/** Of invoices; both days are included. */
export const InvoiceDates = Strict({ from: Day, to: Day });
export type InvoiceDates = Static<typeof InvoiceDates>;

export const LineQuery = pageQuery(
  optional({
    trackingNumber: Type.String({
      minLength: 1,
      maxLength: 100,
      description: "Also finds corrections of the parcel under another number",
    }),
    kind: OneOf(chargeKinds),
    code: Type.String({ minLength: 1, maxLength: 40 }),
    finding: {
      ...NameList(findingKinds),
      description: "Charges of parcels with a finding of this kind; or of several, with commas between",
    },
  }),
  { limit: 25, max: 1_000 },
);
export type LineQuery = Static<typeof LineQuery>;

const sums = {
  currency: Text,
  lineCount: Count,
  gross: { ...Amount, description: "Before discounts" },
  discount: Amount,
  net: { ...Amount, description: "What is paid" },
};

export const InvoiceTotals = Type.Object({
  parcelCount: { ...Count, description: "Parcels with a charge on the invoice" },
  kinds: Type.Array(
    Type.Object({
      kind: OneOf(chargeKinds),
      parcelCount: { ...Count, description: "0: not about parcels, such as a weekly fee" },
      ...sums,
    }),
    { description: "One entry for each kind and currency, in the order of `kind`" },
  ),
});
export type InvoiceTotals = Static<typeof InvoiceTotals>;

export const ParcelQuery = Strict({ trackingNumber: Type.String({ minLength: 1, maxLength: 100 }) });
export type ParcelQuery = Static<typeof ParcelQuery>;

export const ParcelCharges = Type.Object({
  trackingNumber: Text,
  totals: Type.Array(Type.Object(sums), { description: "All charges, by currency" }),
  lines: Type.Array(
    Type.Object({
      ...Line.properties,
      invoice: Type.Object({ id: Id, carrier: Text, number: Text, date: Nullable(Day) }),
    }),
    { description: "By the date of the invoice; the first 1,000" },
  ),
});
export type ParcelCharges = Static<typeof ParcelCharges>;

const importOptions = optional({
  preset: Type.String({
    minLength: 1,
    maxLength: 100,
    description: "Name or ID of an import preset for invoices: its mapping and settings",
  }),
  carrier: Type.String({
    minLength: 1,
    maxLength: 100,
    description: "Who sent the invoice, for files that are read by a mapping",
  }),
  number: Type.String({
    minLength: 1,
    maxLength: 100,
    description: "Of the invoice, for files that do not name it; default: the first and last day of its parcels",
  }),
  currency: Type.String({ pattern: "^[A-Z]{3}$", description: "For amounts without a currency; default: USD" }),
  carrierAccountId: {
    ...Id,
    description:
      "The account whose rate cards are the contract of the audit. Default: that of the last audit of the same carrier and billed account",
  },
});

const {
  csv,
  mapping,
  dryRun: _dryRun,
  ...readingOptions
} = importRequest({
  csv: "The file as the carrier sends it",
  mapping:
    "Column to field, such as netAmount or trackingNumber; null: ignore the column. Without it, known files are detected",
});

export const InvoiceImportQuery = Strict({ ...importOptions, ...readingOptions, mapping: Type.Optional(MappingText) });
export type InvoiceImportQuery = Static<typeof InvoiceImportQuery>;

export const InvoiceImportRequest = Strict(
  { csv: { ...csv, maxLength: 128 * 1024 * 1024 }, mapping, ...readingOptions, ...importOptions },
  {
    examples: [
      {
        carrier: "Regional Parcel",
        csv: "invoice number,tracking number,ship date,service,net amount\nR-17,RP0001,2026-07-15,Ground,9.80\n",
      },
    ],
  },
);
export type InvoiceImportRequest = Static<typeof InvoiceImportRequest>;

export const InvoiceImportAnswer = Type.Object({
  invoices: Type.Array(
    Type.Object({
      id: Id,
      number: Text,
      amount: Amount,
      lineCount: Count,
      difference: { ...Amount, description: "Other than 0: the lines do not add up to the amount" },
      status: OneOf(["created", "unchanged"], {
        description: "unchanged: it was imported before, with the same lines",
      }),
    }),
  ),
  carrier: Text,
  format: Text,
  warnings: Warnings,
});
export type InvoiceImportAnswer = Static<typeof InvoiceImportAnswer>;
