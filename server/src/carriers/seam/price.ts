import { RemoteError } from "./http.ts";
import { centsOf } from "./money.ts";

/**
 * An amount of a response; undefined if it is missing or unreadable. A price that cannot be read must not fail the reading of a
 * label that was bought.
 */
export function priceOf(amount: unknown, currency: string): { cents: number; currency: string } | undefined {
  if (amount === undefined || amount === null || amount === "") return undefined;
  try {
    return { cents: centsOf(amount, currency), currency };
  } catch (error) {
    if (error instanceof RemoteError) return undefined;
    throw error;
  }
}
