import { RemoteError } from "../../core/remote-error.ts";

/** Currencies without decimals that carriers bill in. */
const wholeUnits = new Set(["CLP", "ISK", "JPY", "KRW", "VND"]);

/**
 * Cents of an amount as carriers write it: "5.93", 5.93, "1,234.50". Floats are read by their shortest decimal form, so that 5.93 is 593
 * cents; further decimals are rounded half up. Throws if it is no amount.
 */
export function centsOf(amount: unknown, currency: string): number {
  const text = typeof amount === "number" ? plainDecimal(amount) : typeof amount === "string" ? amount.trim() : "";
  const match = /^(-?)(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) throw new RemoteError("unexpected_response", `The carrier's amount "${text.slice(0, 30)}" is no number.`);
  const [, sign, whole = "", fraction = ""] = match;
  const decimals = wholeUnits.has(currency) ? 0 : 2;
  const digits = `${whole.replaceAll(",", "")}${fraction.padEnd(decimals, "0").slice(0, decimals)}`;
  const rounded = Number(digits) + (Number(fraction[decimals] ?? "0") >= 5 ? 1 : 0);
  if (!Number.isSafeInteger(rounded))
    throw new RemoteError("unexpected_response", "The carrier's amount is too large.");
  return sign === "-" && rounded > 0 ? -rounded : rounded;
}

/** The amount in whole units: 593 cents are 5.93 USD, 593 of a currency without decimals stay 593. */
export function amountOf(cents: number, currency: string): number {
  return wholeUnits.has(currency) ? cents : cents / 100;
}

/** Without an exponent: 1e-7 is 0. */
function plainDecimal(amount: number): string {
  return Number.isFinite(amount) && /e/.test(String(amount)) ? amount.toFixed(10) : String(amount);
}
