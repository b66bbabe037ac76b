import type { Ctx } from "../../context.ts";
import type { Pipeline } from "../operations/operations.ts";
import { readFacts } from "../operations/operations.ts";
import { findMatching, readFilter, readOrders } from "../orders/orders.ts";
import type { TriggerRequest } from "./automations.schemas.ts";

const atOnce = 1_000;

/**
 * The existing orders that meet the filter now, each with the first of these pipelines whose condition it meets, in the given order.
 * `matched` has a list for each pipeline.
 */
export async function findOrdersFor(
  ctx: Ctx,
  { filter }: TriggerRequest,
  pipelines: readonly Pick<Pipeline, "when" | "asksForCustomers" | "asksForStock">[],
  ids: readonly string[],
): Promise<{ evaluated: number; matched: string[][] }> {
  const compiled = filter && readFilter(ctx, filter, "/trigger/filter");
  const matched: string[][] = pipelines.map(() => []);
  let evaluated = 0;
  for (let from = 0; from < ids.length; from += atOnce) {
    const some = ids.slice(from, from + atOnce);
    const orders = new Map((await readOrders(ctx.db, ctx.orgId, some)).map((order) => [order.id, order]));
    const met = compiled && (await findMatching(ctx.db, ctx.orgId, compiled, [...orders.keys()]));
    const facts = await readFacts(ctx.db, ctx, pipelines, [...orders.values()]);
    evaluated += orders.size;
    for (const id of some) {
      const order = orders.get(id);
      if (order === undefined || met?.has(id) === false) continue;
      const first = pipelines.findIndex(({ when }) => when?.(order, facts) ?? true);
      matched[first]?.push(id);
    }
  }
  return { evaluated, matched };
}
