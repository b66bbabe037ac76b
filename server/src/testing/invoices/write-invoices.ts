import dhlNames from "./dhl-columns.json" with { type: "json" };
import fedexNames from "./fedex-columns.json" with { type: "json" };
import type { BookCharge, BookInvoice, BookParcel } from "./invoice-book.ts";
import { dollars, netOf, statedOf, sumOf } from "./invoice-book.ts";
import upsNames from "./ups-columns.json" with { type: "json" };

export type WriteOptions = {
  header?: boolean;
  delimiter?: "," | ";";
  /** 12,50 instead of 12.50. */
  decimalComma?: boolean;
  /** 31/12/2026 instead of 2026-12-31. */
  dayFirst?: boolean;
  /** Without the empty columns at the end of each row. */
  cut?: boolean;
  bom?: boolean;
  order?: (rows: string[][]) => string[][];
  /** FedEx: pairs of charges in the file, and whether their names have numbers. */
  pairs?: number;
  numbered?: boolean;
};

function quoted(cell: string, delimiter: string): string {
  return cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function toFile(header: string[] | undefined, rows: string[][], options: WriteOptions): string {
  const { delimiter = ",", cut = false, bom = false, order = (list) => list } = options;
  const all = [...(header ? [header] : []), ...order(rows)];
  const lines = all.map((cells) => {
    const last = cut ? cells.findLastIndex((cell) => cell !== "") + 1 : cells.length;
    return cells
      .slice(0, last)
      .map((cell) => quoted(cell, delimiter))
      .join(delimiter);
  });
  return `${bom ? "\uFEFF" : ""}${lines.join("\r\n")}\r\n`;
}

function formats({ decimalComma = false, dayFirst = false }: WriteOptions) {
  return {
    money: (cents: number): string => (decimalComma ? dollars(cents).replace(".", ",") : dollars(cents)),
    day: (iso: string): string => (dayFirst ? iso.split("-").toReversed().join("/") : iso),
  };
}

const upsCategories: Partial<Record<BookCharge["kind"], string>> = { adjustment: "ADJ", credit: "ADJ", fee: "MIS" };
const upsClasses: Record<BookCharge["kind"], string> = {
  base: "FRT",
  fuel: "FSC",
  surcharge: "ACC",
  tax: "TAX",
  duty: "GOV",
  adjustment: "FRT",
  credit: "FRT",
  fee: "MSC",
  discount: "MSC",
};

/** A row for each charge, and an information row for each parcel. */
export function writeUps(book: BookInvoice[], options: WriteOptions = {}): string {
  const { money, day } = formats(options);
  const stated = new Map(book.map((invoice) => [invoice, money(statedOf(invoice))]));
  const rowOf = (invoice: BookInvoice, charge: BookCharge, parcel?: BookParcel): string[] => {
    const isBase = charge.kind === "base";
    const given: Record<string, string> = {
      Version: "2.1",
      "Recipient Number": invoice.account,
      "Account Number": invoice.account,
      "Account Country": "US",
      "Invoice Date": day(invoice.day),
      "Invoice Number": invoice.number,
      "Invoice Type Code": "E",
      "Invoice Currency Code": "USD",
      "Invoice Amount": stated.get(invoice)!,
      "Transaction Date": day(invoice.day),
      "Package Quantity": isBase ? "1" : "0",
      "Lead Shipment Number": parcel?.lead ?? "",
      "Tracking Number": parcel?.tracking ?? "",
      "Package Reference Number 1": parcel?.reference ?? "",
      "Entered Weight": isBase ? String(parcel?.pounds) : "",
      "Entered Weight Unit of Measure": isBase ? "L" : "",
      "Billed Weight": isBase ? String(parcel?.billedPounds) : "",
      "Billed Weight Unit of Measure": isBase ? "L" : "",
      "Billed Weight Type": isBase ? (parcel?.isByWeight ? "1" : "2") : "",
      "Package Dimensions": isBase ? upsSides(parcel?.sides) : "",
      "Shipment Delivery Date": parcel?.delivered ? day(parcel.delivered) : "",
      Zone: parcel ? `00${parcel.zone}` : "",
      "Charge Category Code": upsCategories[charge.kind] ?? parcel?.category ?? "SHP",
      "Charge Category Detail Code": parcel?.detail ?? "",
      "Charge Classification Code": upsClasses[charge.kind],
      "Charge Description Code": charge.code,
      "Charge Description": charge.name,
      "Transaction Currency Code": "USD",
      "Incentive Amount": money(charge.off),
      "Net Amount": money(netOf(charge)),
      "Sender Postal": parcel?.fromZip ?? "",
      "Sender Country": parcel ? "US" : "",
      "Receiver Name": parcel ? "Jane Doe" : "",
      "Receiver Postal": parcel?.toZip ?? "",
      "Receiver Country": parcel ? "US" : "",
      "Shipment Date": parcel ? day(parcel.day) : "",
      "Original tracking number": parcel?.original ?? "",
    };
    return upsNames.map((name) => given[name] ?? "");
  };
  const rows = book.flatMap((invoice) => [
    ...invoice.parcels.flatMap((parcel) => [
      ...parcel.charges.map((charge) => rowOf(invoice, charge, parcel)),
      informationRow(rowOf(invoice, parcel.charges[0]!, parcel)),
    ]),
    ...invoice.fees.map((charge) => rowOf(invoice, charge)),
  ]);
  return toFile(options.header ? upsNames : undefined, rows, options);
}

function upsSides(sides: BookParcel["sides"] = [12, 9, 7]): string {
  return sides === null ? "" : sides.map((side) => side.toFixed(1)).join("x  ");
}

function informationRow(row: string[]): string[] {
  return row.map((cell, index) => (upsNames[index] === "Charge Classification Code" ? "INF" : cell));
}

/** A row for each parcel, with its other charges in pairs; a discount of the transport is a pair of its own. */
export function writeFedex(book: BookInvoice[], options: WriteOptions = {}): string {
  const { pairs = 25, numbered = false } = options;
  const { money } = formats(options);
  const stated = new Map(book.map((invoice) => [invoice, money(statedOf(invoice))]));
  const first = fedexNames.indexOf("Tracking ID Charge Description");
  const pairNames = Array.from({ length: pairs }, (_, n) => {
    const behind = numbered && n > 0 ? ` (${n + 1})` : "";
    return [`Tracking ID Charge Description${behind}`, `Tracking ID Charge Amount${behind}`];
  }).flat();
  const names = [...fedexNames.slice(0, first), ...pairNames, "Shipment Notes"];
  const rowOf = (invoice: BookInvoice, charges: BookCharge[], parcel?: BookParcel): string[] => {
    const [base] = charges.filter(({ kind }) => kind === "base");
    const others: [string, number][] = charges.flatMap((charge): [string, number][] =>
      charge.kind === "base"
        ? charge.off === 0
          ? []
          : [["Performance Pricing", -charge.off]]
        : [[charge.name, netOf(charge)]],
    );
    const given: Record<string, string> = {
      "Bill to Account Number": invoice.account,
      "Invoice Date": invoice.day.replaceAll("-", ""),
      "Invoice Number": invoice.number,
      "Original Amount Due": stated.get(invoice)!,
      "Current Balance": "0.00",
      "Ground Tracking ID Prefix": parcel ? parcel.tracking.slice(0, 6) : "",
      "Express or Ground Tracking ID": parcel ? parcel.tracking.slice(6) : "",
      "Transportation Charge Amount": base ? money(base.gross) : "",
      "Net Charge Amount": money(charges.reduce((sum, charge) => sum + netOf(charge), 0)),
      "Service Type": parcel?.service ?? "",
      "Shipment Date": parcel?.day.replaceAll("-", "") ?? "",
      "Actual Weight Amount": parcel ? String(parcel.pounds) : "",
      "Actual Weight Units": "L",
      "Rated Weight Amount": parcel ? String(parcel.billedPounds) : "",
      "Rated Weight Units": "L",
      ...(parcel?.sides && {
        "Dim Length": String(parcel.sides[0]),
        "Dim Width": String(parcel.sides[1]),
        "Dim Height": String(parcel.sides[2]),
        "Dim Unit": "I",
      }),
      "POD Delivery Date": parcel?.delivered?.replaceAll("-", "") ?? "",
      "Recipient Name": parcel ? "Jane Doe" : "",
      "Recipient Zip Code": parcel?.toZip ?? "",
      "Recipient Country/Territory": parcel ? "US" : "",
      "Shipper Zip Code": parcel?.fromZip ?? "",
      "Original Customer Reference": parcel?.reference ?? "",
      "Zone Code": parcel ? `0${parcel.zone}` : "",
    };
    const paired = Array.from({ length: pairs }, (_, n) => {
      const [name = "", amount] = others[n] ?? [];
      return [name, amount === undefined ? "" : money(amount)];
    }).flat();
    return [...fedexNames.slice(0, first).map((name) => given[name] ?? ""), ...paired, ""];
  };
  const rows = book.flatMap((invoice) => [
    ...invoice.parcels.map((parcel) => rowOf(invoice, parcel.charges, parcel)),
    ...invoice.fees.map((charge) => rowOf(invoice, [charge])),
  ]);
  return toFile(names, rows, options);
}

/** A row with the totals of each invoice, and one for each shipment with up to nine extra charges. */
export function writeDhl(book: BookInvoice[], options: WriteOptions = {}): string {
  const { money, day } = formats(options);
  const fill = (given: Record<string, string>): string[] => dhlNames.map((name) => given[name] ?? "");
  const common = (invoice: BookInvoice): Record<string, string> => ({
    "Billing Country": "US",
    "Invoice Number": invoice.number,
    "Invoice Date": day(invoice.day),
    "Billing Account": invoice.account,
    Currency: "USD",
  });
  const rows = book.flatMap((invoice) => [
    fill({
      "Line Type": "I",
      ...common(invoice),
      "Total Amount": money(statedOf(invoice)),
      "Total Charge": money(sumOf(invoice)),
      "Invoice Fee": money(invoice.fees.reduce((sum, charge) => sum + netOf(charge), 0)),
    }),
    ...invoice.parcels.map((parcel) => {
      const base = parcel.charges.find(({ kind }) => kind === "base");
      const total = parcel.charges.reduce((sum, charge) => sum + netOf(charge), 0);
      const extras = parcel.charges.filter(({ kind }) => kind !== "base");
      const given: Record<string, string> = {
        "Line Type": "S",
        ...common(invoice),
        "Shipment Number": parcel.tracking,
        "Shipment Date": day(parcel.day),
        "Shipment Reference 1": parcel.reference,
        "Product Name": parcel.service,
        "Orig Country Code": "US",
        "Senders Postcode": parcel.fromZip,
        "Dest Country Code": "US",
        "Receivers Name": "Jane Doe",
        "Receivers Postcode": parcel.toZip,
        "Cust Scale Weight (kg)": String(parcel.pounds),
        "Weight (kg)": String(parcel.billedPounds),
        "Total Amount": money(total),
        "Total Charge": money(total),
        "Weight Charge": base ? money(base.gross) : "",
        "Discount 1": base && base.off > 0 ? "Contract" : "",
        "Discount 1 Amount": base && base.off > 0 ? money(base.off) : "",
      };
      for (const [index, charge] of extras.entries()) {
        given[`XC${index + 1} Code`] = charge.code === "FSC" ? "FF" : charge.code;
        given[`XC${index + 1} Name`] = charge.name;
        given[`XC${index + 1} Charge`] = money(charge.gross);
        given[`XC${index + 1} Discount`] = charge.off === 0 ? "" : money(charge.off);
      }
      return fill(given);
    }),
  ]);
  return toFile(options.header ? dhlNames : undefined, rows, options);
}
