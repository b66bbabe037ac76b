import type { Column, SheetField, SheetPreset } from "../../../core/csv/csv-columns.ts";
import type { SheetKind } from "../../../core/csv/sheet.ts";
import { weightUnitInName } from "../../../core/weight.ts";
import type { Charge, ChargeKind, LineFacts } from "../invoice-line.ts";
import { chargeKinds, plainCharge } from "../invoice-line.ts";
import type { InvoiceCells } from "./invoice-cells.ts";
import { currencyOf } from "./invoice-cells.ts";
import { easypostPreset } from "./easypost-invoice.ts";
import type { OpenFormat, ReaderOptions } from "./invoice-reader.ts";
import { shipstationPreset } from "./shipstation-invoice.ts";
import { readSides, sidesOf } from "./parcel-sides.ts";

/** Columns with the amount of one kind of charge, for files with a row for each parcel. */
const amountFields: [field: string, kind: ChargeKind, description: string, names: string][] = [
  ["baseAmount", "base", "Transportation", "baseamount basecharge freight freightcharge transportationcharge postage"],
  ["discountAmount", "discount", "Discount", "discountamount incentive incentiveamount"],
  ["fuelAmount", "fuel", "Fuel surcharge", "fuelamount fuel fuelsurcharge"],
  ["surchargeAmount", "surcharge", "Surcharges", "surchargeamount surcharges accessorials othercharges"],
  ["insuranceAmount", "surcharge", "Insurance", "insuranceamount insurancecost insurancefee"],
  ["taxAmount", "tax", "Tax", "taxamount tax vat"],
  ["dutyAmount", "duty", "Duties", "dutyamount duty duties"],
  ["adjustmentAmount", "adjustment", "Adjustment", "adjustmentamount adjustment"],
  ["feeAmount", "fee", "Fee", "feeamount labelfee"],
];

const fields: SheetField[] = [
  ["invoiceNumber", "invoicenumber invoice invoiceno invoiceid"],
  ["invoiceDate", "invoicedate billingdate"],
  ["invoiceAmount", "invoiceamount invoicetotal"],
  ["account", "account accountnumber billingaccount"],
  ["trackingNumber", "trackingnumber tracking trackingid trackingcode"],
  ["originalTrackingNumber", "originaltrackingnumber"],
  ["leadTrackingNumber", "leadtrackingnumber leadshipmentnumber mastertrackingnumber"],
  ["transactionDate", "transactiondate"],
  ["shipDate", "shipdate shipmentdate shippeddate"],
  ["deliveryDate", "deliverydate delivered"],
  ["kind", "kind chargekind"],
  ["code", "code chargecode"],
  ["description", "description chargedescription charge chargetype"],
  ["netAmount", "netamount net netcharge amount cost"],
  ["discount", "discount"],
  ...amountFields.map(([field, , , names]): SheetField => [field, names]),
  ["currency", "currency currencycode"],
  ["carrier", "carrier carriername provider"],
  ["service", "service servicetype servicename"],
  ["zone", "zone"],
  ["enteredWeight", "enteredweight actualweight"],
  ["billedWeight", "billedweight ratedweight weight"],
  ["weightUnit", "weightunit"],
  ["dimensions", "dimensions"],
  ["length", "length"],
  ["width", "width"],
  ["height", "height"],
  ["dimensionUnit", "dimensionunit"],
  ["reference", "reference ordernumber"],
  ["reference2", "reference2"],
  ["senderZip", "senderzip originzip fromzip"],
  ["senderCountry", "sendercountry origincountry fromcountry"],
  ["receiverZip", "receiverzip destinationzip tozip"],
  ["receiverCountry", "receivercountry destinationcountry tocountry"],
];

export const sheetPresets: readonly SheetPreset[] = [easypostPreset, shipstationPreset];

/** Files of no known carrier: each column is the field that the mapping, or its name, says. */
export const invoiceSheet: SheetKind = { noun: "Invoices", fields, presets: sheetPresets };

const dateFields = ["invoiceDate", "transactionDate", "shipDate", "deliveryDate"];

/** Whether these columns say what was charged. */
export function hasAmounts(columns: readonly Column[]): boolean {
  const amounts = ["netAmount", ...amountFields.map(([field]) => field)];
  return columns.some(({ field }) => field !== null && amounts.includes(field));
}

export const hasInvoiceNumber = (columns: readonly Column[]): boolean =>
  columns.some(({ field }) => field === "invoiceNumber");

type SheetInvoiceOptions = ReaderOptions & {
  /** Of the invoice, where the file names none. */
  number: string;
  /** Of weights, where neither the file nor the name of the column says it. */
  weightUnit: "lb" | "oz";
};

export function openSheetInvoice(
  columns: readonly Column[],
  { currency: spare, number, weightUnit }: SheetInvoiceOptions,
): OpenFormat {
  const places = new Map(columns.flatMap(({ field }, index) => (field === null ? [] : [[field, index] as const])));
  const at = (field: string): number | undefined => places.get(field);
  const spareUnit = (field: string): "lb" | "oz" | "kg" | "g" =>
    weightUnitInName(columns[at(field) ?? -1]?.column ?? "") ?? weightUnit;
  const units = { enteredWeight: spareUnit("enteredWeight"), billedWeight: spareUnit("billedWeight") };
  return {
    dateColumns: dateFields.map(at).filter((index) => index !== undefined),
    read(cells) {
      const currency = currencyOf(cells.text(at("currency")), spare);
      const ownNumber = cells.text(at("invoiceNumber"), 100);
      if (ownNumber === null && at("invoiceNumber") !== undefined) {
        cells.fail(at("invoiceNumber"), "required", "The row has no invoice number.");
      }
      const head = {
        number: ownNumber ?? number,
        account: cells.text(at("account")),
        date: cells.day(at("invoiceDate")),
        currency,
        amount: cells.optionalAmount(at("invoiceAmount")),
      };
      const trackingNumber = cells.text(at("trackingNumber"), 100);
      const charges = chargesOf(cells, at, trackingNumber !== null);
      if (charges.length === 0) return { skipped: "empty_rows" };
      const enteredWeight = cells.weight(at("enteredWeight"), at("weightUnit"), units.enteredWeight);
      const billedWeight = cells.weight(at("billedWeight"), at("weightUnit"), units.billedWeight);
      const facts: LineFacts = {
        account: head.account,
        trackingNumber,
        leadTrackingNumber: cells.text(at("leadTrackingNumber"), 100),
        originalTrackingNumber: cells.text(at("originalTrackingNumber"), 100),
        transactionDate: cells.day(at("transactionDate")),
        shipDate: cells.day(at("shipDate")),
        deliveryDate: cells.day(at("deliveryDate")),
        currency,
        service: serviceOf(cells.text(at("carrier")), cells.text(at("service"))),
        zone: cells.text(at("zone"), 20),
        enteredWeight,
        billedWeight,
        weightBasis: null,
        dimensions: sizeOf(cells, at),
        references: cells.references([at("reference"), at("reference2")]),
        senderZip: cells.text(at("senderZip"), 20),
        senderCountry: cells.country(at("senderCountry")),
        receiverZip: cells.text(at("receiverZip"), 20),
        receiverCountry: cells.country(at("receiverCountry")),
      };
      return { head, facts, charges };
    },
  };
}

type Find = (field: string) => number | undefined;

function chargesOf(cells: InvoiceCells, at: Find, hasParcel: boolean): Charge[] {
  const charges: Charge[] = [];
  const net = cells.amount(at("netAmount"));
  const discount = cells.amount(at("discount"));
  const code = cells.text(at("code"), 40);
  if (net !== 0 || discount !== 0) {
    const description = cells.text(at("description")) ?? "Charge";
    const kind = kindOf(cells, at("kind"), net, hasParcel);
    charges.push({ kind, code, description, gross: net + discount, discount, net });
  }
  for (const [field, kind, description] of amountFields) {
    const amount = cells.amount(at(field));
    if (amount === 0) continue;
    // Files write discounts with and without a sign.
    if (kind === "discount") charges.push(plainCharge(kind, code, description, -Math.abs(amount)));
    else charges.push(plainCharge(amount < 0 ? "credit" : kind, code, description, amount));
  }
  return charges;
}

/** Without a column for it, a charge of a parcel is its transport. */
function kindOf(cells: InvoiceCells, index: number | undefined, net: number, hasParcel: boolean): ChargeKind {
  const text = cells.text(index)?.toLowerCase();
  const known = chargeKinds.find((kind) => kind === text);
  if (text !== undefined && known === undefined) {
    cells.fail(index, "unknown_kind", `The kind of a charge is one of ${chargeKinds.join(", ")}.`);
  }
  return known ?? (net < 0 ? "credit" : hasParcel ? "base" : "fee");
}

/** Sellers name the carrier beside the service; one name without the other is ambiguous. */
function serviceOf(carrier: string | null, service: string | null): string | null {
  if (service === null || carrier === null) return service ?? carrier;
  return service.toLowerCase().startsWith(carrier.toLowerCase()) ? service : `${carrier} ${service}`;
}

function sizeOf(cells: InvoiceCells, at: Find): LineFacts["dimensions"] {
  const [unit, weightUnit] = [cells.text(at("dimensionUnit")), cells.text(at("weightUnit"))];
  const sides = ["length", "width", "height"].map((side) => cells.number(at(side)));
  return readSides(cells.text(at("dimensions")), unit, weightUnit) ?? sidesOf(sides, unit, weightUnit);
}
