import type { Other } from "../../core/condition-comparison.ts";
import { showShift } from "../../core/condition-operands.ts";
import type { Operator } from "../../core/condition-shape.ts";
import { showTimeSpan } from "../../core/time-spans.ts";
import { titleOf } from "./form-hints.ts";

const maxShown = 5;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** `shippingAddress.countryCode` is the country code of the shipping address. */
export function nameOfPath(path: string): string {
  const [last = "", ...around] = path.split(".").toReversed();
  if (around.at(-1) === "customFields" && around.length === 1) return `custom field ${last}`;
  return [last, ...around].map((name) => titleOf(name).toLowerCase().replace(/^sku$/, "SKU")).join(" of the ");
}

/** A value as text; moments in the time zone of the organization. */
function showValue(value: unknown, timeZone: string): string {
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  if (typeof value !== "string" || !instant.test(value)) return String(value);
  try {
    const local = Temporal.Instant.from(value).toZonedDateTimeISO(timeZone);
    return `${local.toPlainDate().toString()} ${local.toPlainTime().toString().slice(0, 5)}`;
  } catch {
    return value;
  }
}

export function showValues(values: readonly unknown[], timeZone: string): string {
  const shown = values.slice(0, maxShown).map((value) => showValue(value, timeZone));
  if (values.length > maxShown) shown.push(`${values.length - maxShown} more`);
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} and ${last}`;
}

/** The other side of a comparison, with its value: the country code of the billing address (US). */
export function showOther(other: Other<unknown>, values: readonly unknown[], timeZone: string): string {
  if ("constant" in other) return showValue(other.constant, timeZone);
  const found = values.length === 0 ? "empty" : showValues(values, timeZone);
  const { label, shift } = { label: other.side.label, shift: other.shift };
  if (label !== "now") return `the ${nameOfPath(label)}${showShift(shift)} (${found})`;
  const span = typeof shift.plus === "object" ? shift.plus : undefined;
  if (!span || span.count === 0) return `now (${found})`;
  return `${showTimeSpan(span)} ${span.count < 0 ? "ago" : "from now"} (${found})`;
}

/** The words of an operator when it is met and when it is not. Moments are before and after, not less and greater. */
export function wordsOf(op: Operator, isMoment: boolean): [met: string, notMet: string] {
  const not = (verb: string, rest: string): [string, string] => [`${verb} ${rest}`, `${verb} not ${rest}`];
  const does = (verb: string, plain: string): [string, string] => [verb, `does not ${plain}`];
  switch (op) {
    case "has_tag":
      return ["include", "do not include"];
    case "contains":
      return does("contains", "contain");
    case "starts_with":
      return does("starts with", "start with");
    case "ends_with":
      return does("ends with", "end with");
    case "matches":
      return does("matches the pattern", "match the pattern");
    case "in":
      return ["is one of", "is none of"];
    case "in_set":
      return not("is", "in the set");
    case "empty":
      return not("is", "empty");
    case "gt":
      return not("is", isMoment ? "after" : "greater than");
    case "gte":
      return isMoment ? ["is not before", "is before"] : not("is", "at least");
    case "lt":
      return not("is", isMoment ? "before" : "less than");
    case "lte":
      return isMoment ? ["is not after", "is after"] : not("is", "at most");
    case "between":
      return not("is", "between");
    default:
      return ["is", "is not"];
  }
}
