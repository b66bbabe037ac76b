import type { Queryable } from "../../db/database.ts";
import { normalizeNumber } from "./order.ts";
import { findSharedNumbers } from "./orders.store.ts";

type UnknownOrder = { code: "order_not_found" | "order_number_ambiguous"; message: string };

const notFound: UnknownOrder = { code: "order_not_found", message: "No order has this ID or number." };
const ambiguous: UnknownOrder = {
  code: "order_number_ambiguous",
  message: "Orders of several bridges have this number. Use the order ID.",
};

/** Explains why these refs were not resolved. */
export async function explainUnknown(
  db: Queryable,
  orgId: string,
  refs: string[],
): Promise<(ref: string) => UnknownOrder> {
  const shared = refs.length === 0 ? new Set<string>() : await findSharedNumbers(db, orgId, refs);
  return (ref) => (shared.has(normalizeNumber(ref)) ? ambiguous : notFound);
}
