import type { Queryable } from "../../db/database.ts";
import { normalizeNumber } from "./order.ts";
import { findSharedNumbers } from "./orders.store.ts";

type UnknownOrder = { code: "order_not_found" | "order_number_ambiguous"; message: string };

const nowhere: UnknownOrder = { code: "order_not_found", message: "There is no order with this id or number." };
const several: UnknownOrder = {
  code: "order_number_ambiguous",
  message: "Several orders, of several bridges, have this number. Name the one you mean by its id.",
};

/** Why each of these names, for which no order was found, stands for none. */
export async function explainUnknown(
  db: Queryable,
  orgId: string,
  refs: string[],
): Promise<(ref: string) => UnknownOrder> {
  const shared = refs.length === 0 ? new Set<string>() : await findSharedNumbers(db, orgId, refs);
  return (ref) => (shared.has(normalizeNumber(ref)) ? several : nowhere);
}
