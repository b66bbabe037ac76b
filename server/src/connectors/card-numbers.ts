import { hideCardNumbers } from "../core/card-number.ts";

/** Shorter numbers are left as they are: in texts of buyers and extensions they are more likely phone numbers. */
const longNumbers = /(?<!\d)(?:\d[ -]?){13,18}\d(?!\d)/g;

/** Texts that buyers and extensions write. IDs and addresses are not among them. */
const textMembers: ReadonlySet<string> = new Set(["value", "display_value", "transaction_id", "paymentId"]);

/** A record of a shop without the card numbers that extensions write into it, since records are stored for samples and retries. */
export function withoutCardNumbers<T>(record: T): T;
export function withoutCardNumbers(record: unknown): unknown {
  return hideIn(record, "");
}

function hideIn(value: unknown, name: string): unknown {
  if (typeof value === "string") {
    return textMembers.has(name) ? value.replaceAll(longNumbers, (found) => hideCardNumbers(found)) : value;
  }
  if (Array.isArray(value)) return value.map((element) => hideIn(element, name));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, hideIn(inner, member)]));
}
