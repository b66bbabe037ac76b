import { isPlain } from "../../../core/strict-json.ts";
import { settleNegativeLines } from "./negative-lines.ts";
import type { PulledOrder } from "./pulled-order.ts";

type Body = PulledOrder["body"];

/**
 * Normalizes the body of an imported order. Shops send null for empty fields, so null means "not given", except for `hold`, where
 * it means that the order is not on hold at the source. Lines with quantity 0 are dropped, and negative lines become discounts and
 * refunded units.
 */
export function settleBody(given: Body): Body {
  const { hold, ...rest } = given;
  const body = settleNegativeLines(withoutNulls(rest) as Body);
  if (hold !== undefined) body.hold = withoutNulls(hold);
  if (!Array.isArray(body.lines)) return body;
  const lines = body.lines.filter((line) => !isPlain(line) || line.quantity !== 0);
  // Shops set the quantities of a cancelled order to 0; its lines are kept.
  if (lines.length === 0 && body.lines.length > 0 && isCancelled(body)) delete body.lines;
  else body.lines = lines;
  return body;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((element) => element !== null).map(withoutNulls);
  if (!isPlain(value)) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(entries.map(([name, member]) => [name, withoutNulls(member)]));
}

function isCancelled({ status, deleted }: Body): boolean {
  return status === "cancelled" || deleted === true;
}

const withoutLines: readonly unknown[] = ["draft", "shipped", "delivered"];

/** An order without lines would look complete, though nothing of it can be shipped. */
export function hasNoLines(body: Body): boolean {
  const isEmpty = Array.isArray(body.lines) && body.lines.length === 0;
  return isEmpty && !isCancelled(body) && !withoutLines.includes(body.status);
}
