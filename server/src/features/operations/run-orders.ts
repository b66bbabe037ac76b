import { badField } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { resolveRefs } from "../orders/orders.ts";
import type { Pipeline } from "./evaluate.ts";

const maxOrdersAtOnce = 1_000;

/** The orders a caller named, each once, in the order of the list. */
export type FoundOrders = { refs: string[]; orderIds: (string | null)[]; duplicatesRemoved: number };

/** Names of no order stay in the list: they are failures of the run, not of the request. */
export async function findOrders(ctx: Ctx, refs: string[], pipeline: Pipeline): Promise<FoundOrders> {
  const resolved = await resolveRefs(ctx.db, ctx.orgId, [...new Set(refs)]);
  const seen = new Set<string>();
  const found: FoundOrders = { refs: [], orderIds: [], duplicatesRemoved: 0 };
  for (const ref of refs) {
    const id = resolved.get(ref) ?? null;
    if (seen.has(id ?? ref)) found.duplicatesRemoved++;
    else {
      seen.add(id ?? ref);
      found.refs.push(ref);
      found.orderIds.push(id);
    }
  }
  const whole = pipeline.steps.find(({ action }) => action.applyToAll);
  if (whole && found.refs.length > maxOrdersAtOnce) {
    throw badField(
      "/order_ids",
      "too_many_orders",
      `${whole.action.type} looks at all orders at once; it takes at most ${maxOrdersAtOnce}.`,
    );
  }
  return found;
}
