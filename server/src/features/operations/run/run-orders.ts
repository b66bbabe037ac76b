import { badField } from "../../../core/errors.ts";
import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { resolveRefs } from "../../orders/orders.ts";
import type { Pipeline } from "../evaluate.ts";
import { wholeStepOf } from "../evaluate.ts";
import type { OrderSource } from "../operations.schemas.ts";
import { maxOrdersAtOnce } from "../selections.ts";
import type { Unfinished } from "./run-results.store.ts";
import { listNamesInChain } from "./run-results.store.ts";

/** Exactly one of order_ids, filter and selection_id is required. */
export function sourceOf(request: OrderSource): OrderSource {
  const ways = ["order_ids", "filter", "selection_id"] as const;
  const given = ways.filter((way) => request[way] !== undefined);
  if (given.length === 1) return request;
  const message = "Exactly one of order_ids, filter and selection_id is required.";
  throw given.length === 0
    ? badField("/order_ids", "required", message)
    : badField(`/${given[1]}`, "one_of", message, { allowed: [given[0]] });
}

/** The orders of a request without duplicates, in the order of the list. */
export type FoundOrders = { refs: string[]; orderIds: (string | null)[]; duplicatesRemoved: number };

/** Unknown IDs and numbers stay in the list: they fail in the run, not the request. */
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
  const whole = wholeStepOf(pipeline);
  if (whole && found.refs.length > maxOrdersAtOnce) {
    const message = `${whole.action.type} needs all orders at once and takes at most ${maxOrdersAtOnce}.`;
    throw badField("/order_ids", "too_many_orders", message);
  }
  return found;
}

/**
 * For a retry: an unknown number may belong to a new order now. Orders that the chain already lists under another ref are left out, or
 * they would be processed twice.
 */
export async function findUnknown(tx: Tx, ctx: Ctx, rootRunId: string, failed: Unfinished[]): Promise<Unfinished[]> {
  const unknown = failed.filter(({ order_id }) => order_id === null).map(({ ref }) => ref);
  if (unknown.length === 0) return failed;
  const resolved = await resolveRefs(tx, ctx.orgId, unknown);
  const listed = await listNamesInChain(tx, rootRunId, [...resolved.values()]);
  const names = Map.groupBy(listed, ({ order_id }) => order_id);
  return failed.flatMap((one) => {
    const found = one.order_id === null ? resolved.get(one.ref) : undefined;
    if (found === undefined) return [one];
    const isThere = names.get(found)?.some(({ ref }) => ref !== one.ref) ?? false;
    return isThere ? [] : [{ ...one, order_id: found }];
  });
}
