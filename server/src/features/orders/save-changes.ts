import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { Order, OrderFields, OrderPatch } from "./order.ts";
import type { FieldChange } from "./order-changes.ts";
import { changesOf, fieldsIn } from "./order-changes.ts";
import type { ChangeKind } from "./order-history.store.ts";
import { insertChanges } from "./order-history.store.ts";
import * as store from "./orders.store.ts";

/** An order, locked, and what is to become of it. `kept`: what its timeline says besides. */
export type Edit = { order: Order; patch: OrderPatch; kept?: FieldChange[] };

export type Saved = { before: Order; order: Order; changes: FieldChange[] };

/** Writes what these edits really change, and their entries in the timelines. Those that change nothing are left out. */
export async function saveChanges(tx: Tx, ctx: Ctx, kind: ChangeKind, edits: Edit[]): Promise<Saved[]> {
  const at = ctx.clock.now();
  const updatedAt = at.toISOString();
  const saved: Saved[] = [];
  const fields = new Set<keyof OrderFields>();
  const entries = edits.flatMap(({ order: before, patch, kept = [] }) => {
    const changes = changesOf(before, patch);
    const version = before.version + (changes.length > 0 ? 1 : 0);
    if (changes.length > 0) saved.push({ before, order: { ...before, ...patch, updatedAt, version }, changes });
    for (const field of fieldsIn(changes)) fields.add(field);
    const shown = [...changes, ...kept];
    return shown.length === 0 ? [] : [{ orderId: before.id, changes: shown, version }];
  });
  const orders = saved.map(({ order }) => order);
  await store.updateOrders(tx, ctx.orgId, orders, fields, updatedAt);
  await insertChanges(tx, ctx.orgId, entries, { ...ctx, kind, at });
  return saved;
}
