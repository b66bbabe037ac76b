import { isPlain } from "../../../core/strict-json.ts";
import type { PulledOrder } from "./pulled-order.ts";

type Body = PulledOrder["body"];

/**
 * The body of an order as its source gave it, without what says nothing. Shops send null for every field that is empty, so
 * null means "not given"; only a `hold` of null says something: the order is not on hold there. A line of which nothing is
 * left is no line.
 */
export function settleBody(given: Body): Body {
  const { hold, ...rest } = given;
  const body = withoutNulls(rest) as Body;
  if (hold !== undefined) body.hold = withoutNulls(hold);
  if (!Array.isArray(body.lines)) return body;
  const lines = body.lines.filter((line) => !isPlain(line) || line.quantity !== 0);
  // Shops set the quantities of a cancelled order to 0. What it consisted of is still worth knowing.
  if (lines.length === 0 && body.lines.length > 0 && isCalledOff(body)) delete body.lines;
  else body.lines = lines;
  return body;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((element) => element !== null).map(withoutNulls);
  if (!isPlain(value)) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(entries.map(([name, member]) => [name, withoutNulls(member)]));
}

function isCalledOff({ status, deleted }: Body): boolean {
  return status === "cancelled" || deleted === true;
}

const withoutLines: readonly unknown[] = ["draft", "shipped", "delivered"];

/** An order without lines looks like work that is done: nothing of it could be shipped, and nothing would say so. */
export function hasNoLines(body: Body): boolean {
  const isEmpty = Array.isArray(body.lines) && body.lines.length === 0;
  return isEmpty && !isCalledOff(body) && !withoutLines.includes(body.status);
}
