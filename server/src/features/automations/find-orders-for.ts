import type { Ctx } from "../../context.ts";
import type { Pipeline } from "../operations/operations.ts";
import { findMatching, readFilter, readOrders } from "../orders/orders.ts";
import type { TriggerRequest } from "./automations.schemas.ts";

const atOnce = 1_000;

/** The existing orders that meet filter and condition now, in the given order. */
export async function findOrdersFor(
  ctx: Ctx,
  { filter }: TriggerRequest,
  { when }: Pipeline,
  ids: readonly string[],
): Promise<{ evaluated: number; matched: string[] }> {
  const compiled = filter && readFilter(ctx, filter, "/trigger/filter");
  const matched: string[] = [];
  let evaluated = 0;
  for (let from = 0; from < ids.length; from += atOnce) {
    const some = ids.slice(from, from + atOnce);
    const orders = new Map((await readOrders(ctx.db, ctx.orgId, some)).map((order) => [order.id, order]));
    const met = compiled && (await findMatching(ctx.db, ctx.orgId, compiled, [...orders.keys()]));
    evaluated += orders.size;
    matched.push(
      ...some.filter((id) => {
        const order = orders.get(id);
        return order !== undefined && (met?.has(id) ?? true) && (when?.(order) ?? true);
      }),
    );
  }
  return { evaluated, matched };
}
