import { isInvoiceHeader } from "../../../core/csv/invoice-headers.ts";
import type { Charge, ChargeKind, LineFacts } from "../invoice-line.ts";
import { plainCharge, withoutMeasures } from "../invoice-line.ts";
import type { InvoiceCells } from "./invoice-cells.ts";
import { currencyOf, requireNumber } from "./invoice-cells.ts";
import type { InvoiceFormat, OpenFormat, ReaderOptions } from "./invoice-reader.ts";
import { columnFinder } from "./invoice-reader.ts";
import { readSides } from "./parcel-sides.ts";

/** The columns that are read, by their place in a file without a header. The file has 250; the last empty ones may be cut. */
const places: Readonly<Record<string, number>> = {
  "Recipient Number": 2,
  "Account Number": 3,
  "Invoice Date": 5,
  "Invoice Number": 6,
  "Invoice Currency Code": 10,
  "Invoice Amount": 11,
  "Transaction Date": 12,
  "Lead Shipment Number": 14,
  "Shipment Reference Number 1": 16,
  "Shipment Reference Number 2": 17,
  "Tracking Number": 21,
  "Package Reference Number 1": 22,
  "Package Reference Number 2": 23,
  "Package Reference Number 3": 24,
  "Package Reference Number 4": 25,
  "Package Reference Number 5": 26,
  "Entered Weight": 27,
  "Entered Weight Unit of Measure": 28,
  "Billed Weight": 29,
  "Billed Weight Unit of Measure": 30,
  "Billed Weight Type": 32,
  "Package Dimensions": 33,
  Zone: 34,
  "Charge Category Code": 35,
  "Charge Category Detail Code": 36,
  "Charge Classification Code": 44,
  "Charge Description Code": 45,
  "Charge Description": 46,
  "Transaction Currency Code": 51,
  "Incentive Amount": 52,
  "Net Amount": 53,
  "Tax Variance Amount": 60,
  "Currency Variance Amount": 61,
  "Sender Postal": 73,
  "Sender Country": 74,
  "Receiver Postal": 81,
  "Receiver Country": 82,
  "Shipment Date": 117,
  "Shipment Delivery Date": 122,
  "Package Dimension Unit Of Measure": 196,
  "Corrected Zone": 198,
  "Original tracking number": 201,
};
const width = 250;
/** A row has at least the columns up to the net amount. */
const shortest = 53;

const classKinds: Readonly<Record<string, ChargeKind>> = {
  FRT: "base",
  FSC: "fuel",
  ACC: "surcharge",
  TAX: "tax",
  EXM: "tax",
  BRK: "duty",
  GOV: "duty",
  MSC: "fee",
};
const information = "INF";

const actual = ["1", "6", "8", "17", "19", "20"];
const dimensional = ["2", "7", "9", "10", "11"];
const minimum = ["3", "25", "26"];

/** UPS Billing Data, with or without a header row. A parcel has a row for each charge. */
export const upsInvoice: InvoiceFormat = {
  name: "ups",
  carrier: "UPS",
  isHeader: (folded) => isInvoiceHeader("ups", folded),
  bare: {
    columns: Array.from({ length: width }, (_, index) => nameAt(index + 1)),
    isRow(cells) {
      const at = (place: number): string => (cells[place - 1] ?? "").trim();
      const charge = at(places["Charge Classification Code"]!);
      return (
        cells.length >= shortest && /^\d(?:[.,]\d+)?$/.test(at(1)) && (charge in classKinds || charge === information)
      );
    },
  },
  open: openUps,
};

function nameAt(place: number): string {
  return Object.keys(places).find((name) => places[name] === place) ?? "";
}

function openUps(columns: readonly string[], { currency: spare }: ReaderOptions): OpenFormat {
  const find = columnFinder(columns);
  const at = Object.fromEntries(Object.keys(places).map((name) => [name, find(name)]));
  const references = [
    ...[1, 2].map((n) => at[`Shipment Reference Number ${n}`]),
    ...[1, 2, 3, 4, 5].map((n) => at[`Package Reference Number ${n}`]),
  ];
  const days = ["Invoice Date", "Transaction Date", "Shipment Date", "Shipment Delivery Date"].map((name) => at[name]);
  return {
    dateColumns: days.filter((index) => index !== undefined),
    read(cells) {
      const charge = cells.text(at["Charge Classification Code"])?.toUpperCase() ?? "";
      if (charge === information) return { skipped: "information_rows" };
      const currency = currencyOf(cells.text(at["Invoice Currency Code"]), spare);
      const head = {
        number: requireNumber(cells, at["Invoice Number"]),
        account: cells.text(at["Recipient Number"]) ?? cells.text(at["Account Number"]),
        date: cells.day(at["Invoice Date"]),
        currency,
        amount: cells.optionalAmount(at["Invoice Amount"]),
        variances: variancesOf(cells, at),
      };
      const net = cells.amount(at["Net Amount"]);
      const discount = cells.amount(at["Incentive Amount"]);
      const description = cells.text(at["Charge Description"]) ?? "";
      const category = cells.text(at["Charge Category Code"])?.toUpperCase() ?? "";
      const detail = cells.text(at["Charge Category Detail Code"])?.toUpperCase() ?? "";
      const kind = isReturned(category, detail) ? kindOf("MIS", charge, net) : kindOf(category, charge, net);
      const isTransport = charge === "FRT" && kind !== "fee";
      const facts: LineFacts = {
        account: cells.text(at["Account Number"]),
        trackingNumber: cells.text(at["Tracking Number"], 100),
        leadTrackingNumber: cells.text(at["Lead Shipment Number"], 100),
        originalTrackingNumber: cells.text(at["Original tracking number"], 100),
        transactionDate: cells.day(at["Transaction Date"]),
        shipDate: cells.day(at["Shipment Date"]) ?? cells.day(at["Transaction Date"]),
        deliveryDate: cells.day(at["Shipment Delivery Date"]),
        currency: currencyOf(cells.text(at["Transaction Currency Code"]), currency),
        service: isTransport ? description : null,
        zone: zoneOf(cells.text(at["Corrected Zone"]) ?? cells.text(at.Zone)),
        enteredWeight: cells.weight(at["Entered Weight"], at["Entered Weight Unit of Measure"], "lb"),
        billedWeight: cells.weight(at["Billed Weight"], at["Billed Weight Unit of Measure"], "lb"),
        weightBasis: basisOf(cells.text(at["Billed Weight Type"])),
        dimensions: readSides(
          cells.text(at["Package Dimensions"]),
          cells.text(at["Package Dimension Unit Of Measure"]),
          cells.text(at["Billed Weight Unit of Measure"]),
        ),
        references: cells.references(references),
        senderZip: cells.text(at["Sender Postal"], 20),
        senderCountry: cells.country(at["Sender Country"]),
        receiverZip: cells.text(at["Receiver Postal"], 20),
        receiverCountry: cells.country(at["Receiver Country"]),
      };
      const line: Charge = {
        kind,
        code: cells.text(at["Charge Description Code"], 40),
        description,
        gross: net + discount,
        discount,
        net,
      };
      return { head, facts: isTransport ? facts : withoutMeasures(facts), charges: [line] };
    },
  };
}

/** Corrections and refunds are not what the contract charges for a parcel; taxes on them stay taxes. */
function kindOf(category: string, charge: string, net: number): ChargeKind {
  const kind = classKinds[charge] ?? "fee";
  if (kind === "tax" || kind === "duty") return kind;
  if (net < 0) return "credit";
  if (category === "ADJ") return "adjustment";
  return category === "MIS" ? "fee" : kind;
}

/**
 * The carrier brings an undeliverable parcel back under the same number: another transport, which the contract for the first one does
 * not price. Other returns (labels for customers) are parcels with a number of their own.
 */
function isReturned(category: string, detail: string): boolean {
  return category === "RTN" && (detail === "" || detail === "RTS");
}

function variancesOf(cells: InvoiceCells, at: Readonly<Record<string, number | undefined>>): Charge[] {
  const tax = cells.amount(at["Tax Variance Amount"]);
  const currency = cells.amount(at["Currency Variance Amount"]);
  return [
    ...(tax === 0 ? [] : [plainCharge("adjustment", "TAX_VARIANCE", "Tax variance", tax)]),
    ...(currency === 0 ? [] : [plainCharge("adjustment", "CURRENCY_VARIANCE", "Currency variance", currency)]),
  ];
}

function zoneOf(text: string | null): string | null {
  const zone = text?.replace(/^0+(?=.)/, "") ?? null;
  return zone === "0" ? null : zone;
}

function basisOf(type: string | null): LineFacts["weightBasis"] {
  const code = type?.replace(/^0+(?=.)/, "");
  if (code === undefined || code === "0") return null;
  if (actual.includes(code)) return "actual";
  if (dimensional.includes(code)) return "dimensional";
  return minimum.includes(code) ? "minimum" : "other";
}
