import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { Order, OrderFields, OrderPatch } from "./order.ts";
import type { FieldChange } from "./order-changes.ts";
import { changesOf, fieldsIn } from "./order-changes.ts";
import type { ChangeKind } from "./order-history.store.ts";
import { insertChanges } from "./order-history.store.ts";
import type { OrderMove } from "./list/order-index.store.ts";
import { updateOrders } from "./update-orders.ts";

/**
 * An order, locked, and what is to become of it. `kept`: what its timeline says besides. `unseen`: fields that count as
 * changed even if they are set to what they were.
 */
export type Edit = { order: Order; patch: OrderPatch; kept?: FieldChange[]; unseen?: readonly string[] };

/** The orders that are other than before, as they are now, and which of their fields. */
export type Saved = { orders: Order[]; fields: Set<keyof OrderFields> };

/** Writes what these edits really change, and their entries in the timelines. */
export async function saveChanges(tx: Tx, ctx: Ctx, kind: ChangeKind, edits: Edit[]): Promise<Saved> {
  const at = ctx.clock.now();
  const updatedAt = at.toISOString();
  const moves: Required<OrderMove>[] = [];
  const fields = new Set<keyof OrderFields>();
  const entries = edits.flatMap(({ order, patch, kept = [], unseen }) => {
    const changes = changesOf(order, patch, unseen);
    const version = order.version + (changes.length > 0 ? 1 : 0);
    if (changes.length > 0) moves.push({ before: order, after: { ...order, ...patch, updatedAt, version } });
    for (const field of fieldsIn(changes)) fields.add(field);
    const shown = [...changes, ...kept];
    return shown.length === 0 ? [] : [{ orderId: order.id, changes: shown, version }];
  });
  await updateOrders(tx, ctx, moves, fields, updatedAt);
  insertChanges(tx, ctx.orgId, entries, { ...ctx, kind, at });
  return { orders: moves.map(({ after }) => after), fields };
}

/** The order as it is then, and what happened to it in the log, if anything did. */
export async function saveOne(tx: Tx, ctx: Ctx, kind: ChangeKind, edit: Edit): Promise<Order> {
  const { orders, fields } = await saveChanges(tx, ctx, kind, [edit]);
  const [updated] = orders;
  if (!updated) return edit.order;
  const { id, number, status, version } = updated;
  const data = { number, fields: [...fields], status, version };
  recordEvent(tx, ctx, { type: "order.updated", objectId: id, data });
  return updated;
}
