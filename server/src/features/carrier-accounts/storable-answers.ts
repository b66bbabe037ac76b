import type { CarrierData } from "../../carriers/seam/carrier.ts";
import type { Charge } from "../../carriers/seam/labels.ts";
import { linePattern } from "../../core/schema.ts";
import { findUnstorableText } from "../../core/strict-json.ts";

const maxDataBytes = 16 * 1024;
const line = new RegExp(linePattern, "u");

/** Carriers' responses are untrusted input: these checks decide whether a part of one can be stored. */
export function isStorableLine(text: unknown): text is string {
  return typeof text === "string" && text.length <= 100 && line.test(text) && findUnstorableText(text).length === 0;
}

/** Lines may be negative, such as discounts. */
export function isCharge({ cents, currency, lines = [] }: Charge): boolean {
  return (
    Number.isSafeInteger(cents) &&
    cents >= 0 &&
    /^[A-Z]{3}$/.test(currency) &&
    lines.length <= 100 &&
    lines.every((one) => isStorableLine(one.code) && isStorableLine(one.label) && Number.isSafeInteger(one.cents))
  );
}

export function isCarrierData(data: unknown): data is CarrierData | undefined {
  if (data === undefined) return true;
  if (typeof data !== "object" || data === null || Array.isArray(data)) return false;
  return Buffer.byteLength(JSON.stringify(data)) <= maxDataBytes && findUnstorableText(data).length === 0;
}
