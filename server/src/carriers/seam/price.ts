import { RemoteError } from "./http.ts";
import type { Charge, ChargeLine } from "./labels.ts";
import { centsOf } from "./money.ts";
import { oneLine } from "./storable.ts";

/** Prices of responses. A price that cannot be read must not fail the reading of a label that was bought. */

type Price = { cents: number; currency: string };

/** Undefined if the amount is missing or unreadable, or its currency is none. */
export function priceOf(amount: unknown, currency: string): Price | undefined {
  if (amount === undefined || amount === null || amount === "" || !/^[A-Z]{3}$/.test(currency)) return undefined;
  try {
    return { cents: centsOf(amount, currency), currency };
  } catch (error) {
    if (error instanceof RemoteError) return undefined;
    throw error;
  }
}

/** A part of a price; none if it is zero or unreadable. `sign`: -1 for discounts. */
export function chargeLine(code: string, label: string, price: Price | undefined, sign = 1): ChargeLine[] {
  if (!price || price.cents === 0) return [];
  return [{ code: oneLine(code) || "other", label: oneLine(label) || "Other", cents: sign * price.cents }];
}

const maxLines = 100;

/** What was paid for a label; null if there is no readable price. */
export function paidCharge(price: Price | undefined, lines: ChargeLine[]): Charge | null {
  if (!price || price.cents < 0) return null;
  return { ...price, lines: lines.slice(0, maxLines) };
}
