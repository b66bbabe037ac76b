import { foldColumnName, isInvoiceHeader } from "../../../core/csv/invoice-headers.ts";
import type { Charge, ChargeKind, LineFacts } from "../invoice-line.ts";
import { plainCharge } from "../invoice-line.ts";
import type { InvoiceCells } from "./invoice-cells.ts";
import { currencyOf, requireNumber } from "./invoice-cells.ts";
import type { InvoiceFormat, OpenFormat, ReaderOptions } from "./invoice-reader.ts";
import { columnFinder } from "./invoice-reader.ts";
import { sidesOf } from "./parcel-sides.ts";

/** FedEx Billing Online, all columns: one row for each tracking number and invoice, with pairs of a charge and its amount. */
export const fedexInvoice: InvoiceFormat = {
  name: "fedex",
  carrier: "FedEx",
  isHeader: (folded) => isInvoiceHeader("fedex", folded),
  open: openFedex,
};

function openFedex(columns: readonly string[], { currency: spare }: ReaderOptions): OpenFormat {
  const at = columnFinder(columns);
  const pairs = pairsOf(columns);
  const referenceNames = [
    "Original Customer Reference",
    "Original Ref#2",
    "Original Ref#3/PO Number",
    "Original Department Reference Description",
    "Updated Customer Reference",
    "Updated Ref#2",
    "Updated Ref#3/PO Number",
    "RMA#",
  ];
  const references = referenceNames.map(at);
  const days = ["Invoice Date", "Shipment Date", "POD Delivery Date"].map(at).filter((index) => index !== undefined);
  return {
    dateColumns: days,
    read(cells) {
      const currency = currencyOf(cells.text(at("Currency")) ?? cells.text(at("Invoice Currency")), spare);
      const head = {
        number: requireNumber(cells, at("Invoice Number")),
        account: cells.text(at("Bill to Account Number")),
        date: cells.day(at("Invoice Date")),
        currency,
        amount: cells.optionalAmount(at("Original Amount Due")),
      };
      const trackingNumber = withPrefix(
        cells.text(at("Ground Tracking ID Prefix"), 20),
        cells.text(at("Express or Ground Tracking ID"), 80),
      );
      const charges = chargesOf(cells, trackingNumber !== null, at("Transportation Charge Amount"), pairs);
      const stated = cells.optionalAmount(at("Net Charge Amount"));
      // An adjustment or fee has only a total.
      if (charges.length === 0 && stated !== null && stated !== 0) {
        const kind = stated < 0 ? "credit" : trackingNumber === null ? "fee" : "adjustment";
        charges.push(plainCharge(kind, null, cells.text(at("Shipment Notes")) ?? "Net charge", stated));
      }
      const isEmpty = trackingNumber === null && charges.length === 0;
      if (isEmpty) return { skipped: "empty_rows" };
      const facts = { ...factsOf(cells, at), trackingNumber, currency, references: cells.references(references) };
      return { head, facts, charges, ...(stated !== null && { stated }) };
    },
  };
}

type Find = (name: string) => number | undefined;

function factsOf(cells: InvoiceCells, at: Find): Omit<LineFacts, "trackingNumber" | "currency" | "references"> {
  const enteredWeight = cells.weight(at("Actual Weight Amount"), at("Actual Weight Units"), "lb");
  const billedWeight = cells.weight(at("Rated Weight Amount"), at("Rated Weight Units"), "lb");
  const sides = ["Dim Length", "Dim Width", "Dim Height"].map((name) => cells.number(at(name)));
  const dimensions = sidesOf(sides, cells.text(at("Dim Unit")), cells.text(at("Rated Weight Units")));
  // Weights are rounded up to a whole unit before they are compared.
  const isHeavier =
    billedWeight !== null && enteredWeight !== null && billedWeight.value > Math.ceil(enteredWeight.value);
  const crossReference = withPrefix(
    cells.text(at("CrossRefTrackingID Prefix"), 20),
    cells.text(at("CrossRefTrackingID"), 80),
  );
  return {
    account: cells.text(at("Bill to Account Number")),
    leadTrackingNumber: cells.text(at("TDMasterTrackingID"), 100),
    originalTrackingNumber: crossReference,
    transactionDate: cells.day(at("Invoice Date")),
    shipDate: cells.day(at("Shipment Date")),
    deliveryDate: cells.day(at("POD Delivery Date")),
    service: cells.text(at("Service Type")) ?? cells.text(at("Ground Service")),
    zone: cells.text(at("Zone Code"), 20)?.replace(/^0+(?=.)/, "") ?? null,
    enteredWeight,
    billedWeight,
    weightBasis: billedWeight === null ? null : isHeavier ? (dimensions ? "dimensional" : "other") : "actual",
    dimensions,
    senderZip: cells.text(at("Shipper Zip Code"), 20),
    senderCountry: cells.country(at("Shipper Country/Territory")),
    receiverZip: cells.text(at("Recipient Zip Code"), 20),
    receiverCountry: cells.country(at("Recipient Country/Territory")),
  };
}

/** Ground numbers may stand without the prefix that makes them unique. */
function withPrefix(prefix: string | null, number: string | null): string | null {
  if (number === null || prefix === null || number.startsWith(prefix)) return number;
  return prefix + number;
}

type Pair = { description: number; amount: number };

/** The same two names again and again, or with numbers behind; each amount belongs to the description before it. */
function pairsOf(columns: readonly string[]): Pair[] {
  const pairs: Pair[] = [];
  let description: number | undefined;
  for (const [index, column] of columns.entries()) {
    const name = foldColumnName(column);
    if (/^trackingidchargedescription\d*$/.test(name)) description = index;
    else if (/^trackingidchargeamount\d*$/.test(name) && description !== undefined) {
      pairs.push({ description, amount: index });
      description = undefined;
    }
  }
  return pairs;
}

function chargesOf(
  cells: InvoiceCells,
  hasParcel: boolean,
  transportation: number | undefined,
  pairs: Pair[],
): Charge[] {
  const charges: Charge[] = [];
  const base = cells.amount(transportation);
  if (base !== 0) charges.push(plainCharge(base < 0 ? "credit" : "base", null, "Transportation", base));
  for (const pair of pairs) {
    const amount = cells.amount(pair.amount);
    const description = cells.text(pair.description);
    if (amount === 0) continue;
    charges.push(
      plainCharge(kindOf(description ?? "", amount, hasParcel), null, description ?? "Unnamed charge", amount),
    );
  }
  return charges;
}

const words: [RegExp, ChargeKind][] = [
  [/\bfuel\b/i, "fuel"],
  [/\b(duty|duties|customs|clearance|brokerage|disbursement|ancillary)\b/i, "duty"],
  [/\b(tax|vat|gst|hst|pst|qst)\b/i, "tax"],
  [/\b(rebill|rerate|(charge|weight|dim) correction|adjustment)\b/i, "adjustment"],
];

function kindOf(description: string, amount: number, hasParcel: boolean): ChargeKind {
  if (amount < 0 && /discount|performance pricing/i.test(description)) return "discount";
  const kind = words.find(([word]) => word.test(description))?.[1];
  if (amount < 0 && kind !== "tax" && kind !== "duty") return "credit";
  return kind ?? (hasParcel ? "surcharge" : "fee");
}
