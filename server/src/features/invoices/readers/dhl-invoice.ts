import { isInvoiceHeader } from "../../../core/csv/invoice-headers.ts";
import type { Charge, ChargeKind, InvoiceHead, LineFacts, MeasuredWeight } from "../invoice-line.ts";
import { noFacts, plainCharge } from "../invoice-line.ts";
import type { InvoiceCells } from "./invoice-cells.ts";
import { currencyOf, requireNumber } from "./invoice-cells.ts";
import type { InvoiceFormat, OpenFormat, ReaderOptions } from "./invoice-reader.ts";
import { columnFinder } from "./invoice-reader.ts";

/** The columns before the extra charges, in the order of a file without a header. */
const firstColumns =
  "Line Type|Billing Country|Billing Source|Invoice Number|Station Code|Invoice Identifier|Invoice Type|Invoice Date|" +
  "Payment Terms|Due Date|Parent Account|Billing Account|Billing Account Name|Billing Address 1|Billing Address 2|" +
  "Billing Address 3|Billing Postcode|VAT Number|Shipment Number|Shipment Date|Shipment Reference 1|Shipment Reference 2|" +
  "Shipment Reference 3|Product|Product Name|Pieces|Unit Type|Orig Name|Orig Country Code|Orig Country Name|Senders Name|" +
  "Senders Address 1|Senders Address 2|Senders Address 3|Senders Postcode|Destination|Dest Name|Dest Country Code|" +
  "Dest Country Name|Receivers Name|Receivers Address 1|Receivers Address 2|Receivers Address 3|Receivers Postcode|" +
  "Receivers Contact|Cust Scale Weight (kg)|DHL Scale Weight (kg)|Cust Vol Weight (ltr)|DHL Vol Weight (ltr)|Weight Flag|" +
  "Weight (kg)|Currency|Total Amount|Total Charge|Tax Code|Total Tax|Tax Adjustment|Invoice Fee|Weight Charge|" +
  "Weight Tax (VAT)|Other Charges 1|Other Charges 1 Amount|Other Charges 2|Other Charges 2 Amount|Discount 1|" +
  "Discount 1 Amount|Discount 2|Discount 2 Amount|Discount 3|Discount 3 Amount|Total Extra Charges (XC)|Total Extra Charges Tax";
const extraParts = ["Code", "Name", "Charge", "Tax Code", "Tax", "Discount", "Total"];
const extraNumbers = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const allColumns = [
  ...firstColumns.split("|"),
  ...extraNumbers.flatMap((n) => extraParts.map((part) => `XC${n} ${part}`)),
];
/** Up to the weight charge. */
const shortest = 59;

/** DHL Express: a row of type I states the totals of the invoice, a row of type S has the charges of one shipment. */
export const dhlInvoice: InvoiceFormat = {
  name: "dhl_express",
  carrier: "DHL Express",
  isHeader: (folded) => isInvoiceHeader("dhl_express", folded),
  bare: {
    columns: allColumns,
    isRow: (cells) =>
      /^[IS]$/i.test((cells[0] ?? "").trim()) &&
      cells.length >= shortest - 5 &&
      /^(\d{8}|[\d./-]{8,10})$/.test((cells[7] ?? "").trim()),
  },
  open: openDhl,
};

type Find = (name: string) => number | undefined;

function openDhl(columns: readonly string[], { currency: spare }: ReaderOptions): OpenFormat {
  const at = columnFinder(columns);
  const days = ["Invoice Date", "Due Date", "Shipment Date"].map(at).filter((index) => index !== undefined);
  return {
    dateColumns: days,
    read(cells) {
      const type = cells.text(at("Line Type"))?.toUpperCase();
      if (type !== "I" && type !== "S") {
        cells.fail(at("Line Type"), "unknown_line_type", "The line type is neither I (invoice) nor S (shipment).");
        return { skipped: "empty_rows" };
      }
      const head: InvoiceHead = {
        number: requireNumber(cells, at("Invoice Number")),
        account: cells.text(at("Billing Account")),
        date: cells.day(at("Invoice Date")),
        currency: currencyOf(cells.text(at("Currency")), spare),
        amount: null,
      };
      if (type === "I") return readTotals(cells, at, head);
      const charges = chargesOf(cells, at);
      const stated = cells.optionalAmount(at("Total Amount"));
      return { head, facts: factsOf(cells, at, head), charges, ...(stated !== null && { stated }) };
    },
  };
}

/** The other amounts of the row are sums over its shipments. */
function readTotals(cells: InvoiceCells, at: Find, head: InvoiceHead) {
  const fee = cells.amount(at("Invoice Fee"));
  const adjusted = cells.amount(at("Tax Adjustment"));
  const charges = [
    ...(fee === 0 ? [] : [plainCharge("fee", null, "Invoice fee", fee)]),
    ...(adjusted === 0 ? [] : [plainCharge("tax", null, "Tax adjustment", adjusted)]),
  ];
  const facts = { ...noFacts, account: head.account, transactionDate: head.date, currency: head.currency };
  return { head: { ...head, amount: cells.optionalAmount(at("Total Amount")) }, facts, charges };
}

function factsOf(cells: InvoiceCells, at: Find, head: InvoiceHead): LineFacts {
  const kilograms = (name: string): MeasuredWeight | null => cells.weight(at(name), undefined, "kg");
  const billedWeight = kilograms("Weight (kg)");
  const volumes = [kilograms("Cust Vol Weight (ltr)"), kilograms("DHL Vol Weight (ltr)")];
  const scales = [kilograms("DHL Scale Weight (kg)"), kilograms("Cust Scale Weight (kg)")];
  const isOneOf = (weights: (MeasuredWeight | null)[]): boolean =>
    weights.some((weight) => weight !== null && weight.value === billedWeight?.value);
  const basis = isOneOf(scales) ? "actual" : isOneOf(volumes) ? "dimensional" : "other";
  return {
    ...noFacts,
    account: head.account,
    trackingNumber: cells.text(at("Shipment Number"), 100),
    transactionDate: head.date,
    shipDate: cells.day(at("Shipment Date")),
    currency: head.currency,
    service: cells.text(at("Product Name")) ?? cells.text(at("Product")),
    enteredWeight: scales[1]!,
    billedWeight,
    weightBasis: billedWeight === null ? null : basis,
    references: cells.references([1, 2, 3].map((n) => at(`Shipment Reference ${n}`))),
    senderZip: cells.text(at("Senders Postcode"), 20),
    senderCountry: cells.country(at("Orig Country Code")),
    receiverZip: cells.text(at("Receivers Postcode"), 20),
    receiverCountry: cells.country(at("Dest Country Code")),
  };
}

function chargesOf(cells: InvoiceCells, at: Find): Charge[] {
  const charges: Charge[] = [];
  const add = (kind: ChargeKind, code: string | null, description: string, net: number): void => {
    if (net !== 0) charges.push(plainCharge(net < 0 && kind !== "discount" ? "credit" : kind, code, description, net));
  };
  const hasParcel = cells.text(at("Shipment Number")) !== null;
  add(hasParcel ? "base" : "fee", cells.text(at("Product"), 40), "Weight charge", cells.amount(at("Weight Charge")));
  add("tax", null, "Tax on weight charge", cells.amount(at("Weight Tax (VAT)")));
  for (const n of [1, 2]) {
    const name = cells.text(at(`Other Charges ${n}`));
    add(hasParcel ? "surcharge" : "fee", null, name ?? "Other charge", cells.amount(at(`Other Charges ${n} Amount`)));
  }
  for (const n of [1, 2, 3]) {
    const off = cells.amount(at(`Discount ${n} Amount`));
    // Files write discounts with and without a sign.
    add("discount", null, cells.text(at(`Discount ${n}`)) ?? "Discount", -Math.abs(off));
  }
  for (const n of extraNumbers) charges.push(...extraCharge(cells, at, n));
  return charges;
}

function extraCharge(cells: InvoiceCells, at: Find, n: number): Charge[] {
  const gross = cells.amount(at(`XC${n} Charge`));
  const discount = Math.abs(cells.amount(at(`XC${n} Discount`)));
  const tax = cells.amount(at(`XC${n} Tax`));
  const code = cells.text(at(`XC${n} Code`), 40);
  const description = cells.text(at(`XC${n} Name`)) ?? code ?? "Extra charge";
  const net = gross - discount;
  const kind = net < 0 ? "credit" : kindOf(code ?? "", description);
  return [
    ...(gross === 0 && discount === 0 ? [] : [{ kind, code, description, gross, discount, net }]),
    ...(tax === 0 ? [] : [plainCharge("tax", code, `Tax on ${description}`, tax)]),
  ];
}

function kindOf(code: string, name: string): ChargeKind {
  if (/\b(charge|weight) correction\b/i.test(name)) return "adjustment";
  if (code === "FF" || /\bfuel\b/i.test(name)) return "fuel";
  return code === "DD" || /\b(duty|duties|duties & taxes|import)\b/i.test(name) ? "duty" : "surcharge";
}
