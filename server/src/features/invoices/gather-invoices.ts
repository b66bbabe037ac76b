import { hash as hashText } from "node:crypto";
import type { CellError } from "../../core/csv/sheet.ts";
import { formatMicros } from "./invoice-amounts.ts";
import type { InvoiceHead, InvoiceLine, ReadRow } from "./invoice-line.ts";
import { noFacts, withoutMeasures } from "./invoice-line.ts";

/** Rows that are named where an invoice does not add up. */
const maxNamed = 20;

/** An invoice while its file is read. Amounts are in millionths. */
export type Gathered = {
  id: string;
  number: string;
  account: string | null;
  date: string | null;
  currency: string;
  /** As stated; null until a row states it. */
  stated: number | null;
  charged: number;
  lineCount: number;
  /** Sums of two halves of the hashes of its lines: equal for the same lines in any order, however often each occurs. */
  hash: [number, number];
  /** It was imported before: its lines are compared, not stored. */
  isKnown: boolean;
  /** Net amounts by tracking number, to say what differs from the stored invoice. */
  byParcel: Map<string, number>;
  /** Rows that do not add up themselves. */
  doubtful: CellError[];
  variances: Set<string>;
};

/** A line, and the invoice and position to store it at. */
export type PlacedLine = { invoice: Gathered; position: number; line: InvoiceLine };

/** The invoices of a file, as its rows come. */
export function gatherInvoices(newId: () => string) {
  const invoices = new Map<string, Gathered>();
  return {
    all: (): Gathered[] => [...invoices.values()],
    /** The lines of a row. */
    add(read: ReadRow & { row: number }): PlacedLine[] {
      const invoice = openInvoice(invoices, read.head, newId);
      const { facts, row } = read;
      let sum = 0;
      const placed: PlacedLine[] = [];
      for (const [index, charge] of read.charges.entries()) {
        sum += charge.net;
        // One line of a parcel has its weight: usually the transport, which comes first.
        placed.push(place(invoice, { ...(index === 0 ? facts : withoutMeasures(facts)), ...charge, row }));
      }
      if (read.stated !== undefined && read.stated !== sum) doubt(invoice, row, read.stated, sum);
      for (const charge of read.head.variances ?? []) {
        if (invoice.variances.has(charge.code!)) continue;
        invoice.variances.add(charge.code!);
        const own = { ...noFacts, account: invoice.account, currency: invoice.currency };
        placed.push(place(invoice, { ...own, ...charge, row }));
      }
      return placed;
    },
  };
}

function openInvoice(invoices: Map<string, Gathered>, head: InvoiceHead, newId: () => string): Gathered {
  const known = invoices.get(head.number);
  if (known) {
    known.account ??= head.account;
    known.date ??= head.date;
    known.stated ??= head.amount;
    return known;
  }
  const { number, account, date, currency, amount } = head;
  const invoice: Gathered = {
    id: newId(),
    number,
    account,
    date,
    currency,
    stated: amount,
    charged: 0,
    lineCount: 0,
    hash: [0, 0],
    isKnown: false,
    byParcel: new Map(),
    doubtful: [],
    variances: new Set(),
  };
  invoices.set(number, invoice);
  return invoice;
}

function place(invoice: Gathered, line: InvoiceLine): PlacedLine {
  const position = invoice.lineCount++;
  if (line.currency === invoice.currency) invoice.charged += line.net;
  else if (invoice.doubtful.length < maxNamed) {
    const message = `The charge is in ${line.currency}, the invoice in ${invoice.currency}.`;
    invoice.doubtful.push({ row: line.row, column: null, code: "other_currency", message });
  }
  addHash(invoice, line);
  const parcel = parcelOf(line) ?? "";
  invoice.byParcel.set(parcel, (invoice.byParcel.get(parcel) ?? 0) + line.net);
  return { invoice, position, line };
}

function doubt({ doubtful }: Gathered, row: number, stated: number, sum: number): void {
  if (doubtful.length >= maxNamed) return;
  const message = `The row states ${formatMicros(stated)}; its charges add up to ${formatMicros(sum)}.`;
  doubtful.push({ row, column: null, code: "row_total_differs", message });
}

/** The parcel that a charge is about: corrections repeat its number, or name the original one. */
export function parcelOf({ originalTrackingNumber, trackingNumber }: InvoiceLine): string | null {
  return originalTrackingNumber ?? trackingNumber;
}

const half = 2 ** 48;

function addHash({ hash }: Gathered, { row: _row, ...line }: InvoiceLine): void {
  const digest = hashText("sha256", JSON.stringify(line), "buffer");
  hash[0] = (hash[0] + digest.readUIntBE(0, 6)) % half;
  hash[1] = (hash[1] + digest.readUIntBE(6, 6)) % half;
}

/** Without a stated amount, an invoice is what its lines add up to. */
export function amountOf({ stated, charged }: Gathered): number {
  return stated ?? charged;
}

export function digestOf(invoice: Gathered): string {
  const { number, date, currency, lineCount, hash } = invoice;
  return hashText("sha256", JSON.stringify([number, date, currency, amountOf(invoice), lineCount, hash]));
}
