import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { resolveForOrders } from "../exceptions/exceptions.ts";
import type { OrderMove } from "./list/order-index.store.ts";
import type { OrderFields } from "./order.ts";
import * as store from "./orders.store.ts";
import { noteParcelAddresses } from "./parcel-address.ts";

/** All updates of existing orders go through here: exceptions that the new status settles are resolved. */
export async function updateOrders(
  tx: Tx,
  ctx: Ctx,
  moves: Required<OrderMove>[],
  fields: ReadonlySet<keyof OrderFields>,
  at: string,
): Promise<void> {
  store.updateOrders(tx, ctx.orgId, moves, fields, at);
  if (fields.has("shippingAddress") || fields.has("shipments")) await noteParcelAddresses(tx, ctx, moves);
  if (!fields.has("holds") && !fields.has("status")) return;
  await resolveForOrders(
    tx,
    ctx,
    moves.map(({ after: { id, status, holds } }) => ({ id, status, handles: holds.map(({ handle }) => handle) })),
  );
}
