import { seededRandom } from "../../core/seeded-random.ts";

/**
 * Invoices made up from nothing but a seed, and what an import has to find in them. The writers beside this file put them into the
 * shapes of carriers. Nothing here is shared with the code that reads such files. Amounts are in cents.
 */
export type BookCharge = {
  kind: "base" | "discount" | "fuel" | "surcharge" | "tax" | "duty" | "adjustment" | "credit" | "fee";
  code: string;
  name: string;
  gross: number;
  off: number;
};

export type BookParcel = {
  tracking: string;
  /** Of a correction: the number of the parcel it is about, if it has one of its own. */
  original?: string;
  /** The first parcel of the shipment. */
  lead?: string;
  /** UPS: the category of its charges, and the detail. Default: SHP. */
  category?: string;
  detail?: string;
  day: string;
  service: string;
  zone: string;
  pounds: number;
  billedPounds: number;
  reference: string;
  fromZip: string;
  toZip: string;
  charges: BookCharge[];
  /** Sides in inches; null: the invoice states none. Default: some. */
  sides?: [number, number, number] | null;
  /** Billed by weight, not by size. */
  isByWeight?: boolean;
  delivered?: string;
};

export type BookInvoice = {
  number: string;
  account: string;
  day: string;
  parcels: BookParcel[];
  /** Charges without a parcel. */
  fees: BookCharge[];
  /** What the carrier states beyond the sum of the lines: a wrong total. */
  error: number;
};

export const netOf = ({ gross, off }: BookCharge): number => gross - off;

export function chargesOf({ parcels, fees }: BookInvoice): BookCharge[] {
  return [...parcels.flatMap(({ charges }) => charges), ...fees];
}

export function sumOf(invoice: BookInvoice): number {
  return chargesOf(invoice).reduce((sum, charge) => sum + netOf(charge), 0);
}

export const statedOf = (invoice: BookInvoice): number => sumOf(invoice) + invoice.error;

export const dollars = (cents: number): string => (cents / 100).toFixed(2);

type BookOptions = { seed: number; invoices?: number; parcels?: number; error?: number };

/** Each invoice corrects parcels of the one before it, three weeks later. */
export function makeBook({ seed, invoices = 3, parcels = 20, error = 0 }: BookOptions): BookInvoice[] {
  const { below: upTo, pick } = seededRandom(seed);
  let serial = seed * 100_000;
  const book: BookInvoice[] = [];
  for (let n = 0; n < invoices; n++) {
    const day = new Date(Date.UTC(2026, 0, 3 + n * 21)).toISOString().slice(0, 10);
    const made = Array.from({ length: parcels }, (): BookParcel => {
      const gross = 900 + upTo(4_000);
      const off = upTo(3) === 0 ? 0 : Math.floor(gross * 0.3);
      const pounds = 1 + upTo(60);
      const charges: BookCharge[] = [
        { kind: "base", code: "3", name: "Ground Residential", gross, off },
        { kind: "fuel", code: "FSC", name: "Fuel Surcharge", gross: Math.floor((gross - off) * 0.18), off: 0 },
      ];
      if (upTo(2) === 0)
        charges.push({ kind: "surcharge", code: "RES", name: "Residential Surcharge", gross: 595, off: 120 });
      // Real: two pieces of the parcel were handled by hand.
      if (upTo(5) === 0) {
        const handling = { kind: "surcharge", code: "AHC", name: "Additional Handling", gross: 1_800, off: 0 } as const;
        charges.push(handling, { ...handling });
      }
      return {
        tracking: `1Z999AA1${String(serial++).padStart(10, "0")}`,
        day: new Date(Date.UTC(2026, 0, 3 + n * 21 - 5)).toISOString().slice(0, 10),
        service: "Ground Residential",
        zone: pick(["2", "4", "5", "8"]),
        pounds,
        billedPounds: pounds + upTo(4),
        reference: pick(["PO 17", 'He said "no"', "line\nbreak", "a;b", "Ä"]) + ` ${serial}`,
        fromZip: "07114",
        toZip: pick(["90210", "10001", "02134"]),
        charges,
      };
    });
    const corrected = (book[n - 1]?.parcels ?? []).slice(0, 4).map((parcel, index): BookParcel => {
      const kind = index % 2 === 0 ? "adjustment" : "credit";
      const gross = kind === "credit" ? -450 : 375;
      return { ...parcel, charges: [{ kind, code: "SCC", name: "Shipping Charge Correction", gross, off: 0 }] };
    });
    const account = pick(["A1B2C3", "X9Y8Z7"]);
    const fees: BookCharge[] = [{ kind: "fee", code: "SVC", name: "Weekly Service Charge", gross: 2_875, off: 0 }];
    const number = `INV${seed}-${n}`;
    book.push({ number, account, day, parcels: [...made, ...corrected], fees, error: n === 0 ? error : 0 });
  }
  return book;
}

/** In another order, the same for the same seed. */
export function shuffled<T>(list: readonly T[], seed: number): T[] {
  const random = seededRandom(seed);
  return list
    .map((value) => ({ value, at: random.below(1_000_000) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
