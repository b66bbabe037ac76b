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
 * A locked order and its patch. `kept`: further timeline entries. `unseen`: fields that count as changed even if their value is
 * the same.
 */
export type Edit = { order: Order; patch: OrderPatch; kept?: FieldChange[]; unseen?: readonly string[] };

/** The changed orders with their changed fields. */
export type Saved = { orders: Order[]; fields: Set<keyof OrderFields> };

/** Writes actual changes and their timeline entries. */
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

/** Saves one order; records an event if it changed. */
export async function saveOne(tx: Tx, ctx: Ctx, kind: ChangeKind, edit: Edit): Promise<Order> {
  const { orders, fields } = await saveChanges(tx, ctx, kind, [edit]);
  const [updated] = orders;
  if (!updated) return edit.order;
  const { id, number, status, version } = updated;
  const data = { number, fields: [...fields], status, version };
  recordEvent(tx, ctx, { type: "order.updated", objectId: id, data });
  return updated;
}
