import { HubError } from "../../core/errors.ts";
import { maySeePersonalData } from "../../core/mask-person.ts";
import { fromCents } from "../../core/money.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import { findByRef } from "./change-order.ts";
import { findSameCustomer, readLatest, readTotals } from "./customers.store.ts";
import type { OrderCustomer } from "./order-customer.schemas.ts";

/** The customer of an order by all orders in the organization. */
export async function getOrderCustomer(ctx: Ctx, ref: string): Promise<OrderCustomer> {
  const { id } = await findByRef(ctx.db, ctx, ref);
  requirePersonalData(ctx);
  const same = await findSameCustomer(ctx.db, ctx.orgId, id);
  const totals = await readTotals(ctx.db, ctx.orgId, same);
  const orders = await readLatest(ctx.db, ctx.orgId, same);
  // Nothing is found if the order was deleted in the meantime.
  orNotFound("order", totals[0]);
  const times = totals.flatMap(({ first, last }) => [first, last]).toSorted((a, b) => a.getTime() - b.getTime());
  return {
    orderCount: totals.reduce((sum, { orders }) => sum + orders, 0),
    totalSpent: totals.flatMap(({ currency, cents }) =>
      cents === null ? [] : [{ currency, amount: fromCents(Number(cents)) }],
    ),
    firstOrderAt: times[0]!.toISOString(),
    lastOrderAt: times.at(-1)!.toISOString(),
    orders: orders.map(({ orderedAt, cents, ...order }) => ({
      ...order,
      orderedAt: orderedAt.toISOString(),
      total: cents === null ? null : fromCents(cents),
    })),
  };
}

/** Which orders have the same customer would confirm a guessed e-mail address of a masked order. */
function requirePersonalData(ctx: Ctx): void {
  if (maySeePersonalData(ctx)) return;
  const message = "The orders of a customer are personal data and require the scope pii:read.";
  throw new HubError("insufficient_scope", message, {
    extra: { required: ["pii:read"], granted: [...ctx.principal.scopes] },
  });
}
