import type { Weight } from "@order-operations-hub/sdk/api-types";
import { sentence } from "../../ui/format.ts";

const formatNames: Record<string, string> = {
  ups: "UPS Billing Data",
  fedex: "FedEx Billing Online",
  dhl_express: "DHL Express",
  easypost: "EasyPost export",
  shipstation: "ShipStation export",
  mapped: "Mapped columns",
};
export const formatName = (format: string): string => formatNames[format] ?? sentence(format);

const kindNames: Record<string, string> = {
  base: "Transport",
  discount: "Discount",
  fuel: "Fuel",
  surcharge: "Surcharge",
  tax: "Tax",
  duty: "Duty and brokerage",
  adjustment: "Adjustment",
  credit: "Credit",
  fee: "Fee",
};
export const kindName = (kind: string): string => kindNames[kind] ?? sentence(kind);
export const kindOptions = Object.entries(kindNames).map(([value, label]) => ({ value, label }));

const basisNames: Record<string, string> = {
  actual: "actual weight",
  dimensional: "by size",
  minimum: "minimum weight",
  other: "other basis",
};
export const basisName = (basis: string): string => basisNames[basis] ?? basis;

const fieldNames: Record<string, string> = {
  kind: "Kind of charge",
  code: "Charge code",
  description: "Charge description",
  netAmount: "Net amount",
  discount: "Discount of the charge",
  reference: "Reference 1",
  reference2: "Reference 2",
  senderZip: "From: ZIP",
  senderCountry: "From: country",
  receiverZip: "To: ZIP",
  receiverCountry: "To: country",
};
export const fieldName = (field: string): string => fieldNames[field] ?? sentence(field);

export const formatTexts = {
  delimiter: { comma: "Comma", semicolon: "Semicolon", tab: "Tab" },
  decimalSeparator: { ".": "Point, as in 12.50", ",": "Comma, as in 12,50" },
  dateOrder: { mdy: "Month first: 12/31/2026", dmy: "Day first: 31/12/2026" },
} as const;

/** Carriers write amounts below a cent; rounded amounts would not add up on screen. */
const exactFormats = new Map<string, Intl.NumberFormat>();

export function formatExact(amount: number, currency: string): string {
  let format = exactFormats.get(currency);
  if (!format) {
    format = new Intl.NumberFormat("en-US", { style: "currency", currency, maximumFractionDigits: 6 });
    exactFormats.set(currency, format);
  }
  return format.format(amount);
}

export const weightText = (weight: Weight | null): string | null => weight && `${weight.value} ${weight.unit}`;
