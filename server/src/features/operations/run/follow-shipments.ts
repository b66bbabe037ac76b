import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import type { OrderShipment } from "../../orders/order.ts";
import type { OrderShipmentsChange } from "../../shipments/shipments.ts";
import { findRecordedShipments, syncOrderShipments, listedFields } from "../../shipments/shipments.ts";
import type { Evaluation } from "../evaluate.ts";

/**
 * Updates shipment records after a run changed the shipments listed in its orders. Derived from the changes, not from the actions, so
 * that undo, retry and new actions are covered.
 */
export async function followShipments(tx: Tx, ctx: Ctx, evaluations: Evaluation[]): Promise<void> {
  const changed = evaluations.flatMap(changeOf);
  if (changed.length > 0) await syncOrderShipments(tx, ctx, changed);
}

/** Before anything is written: a shipment that is already recorded, such as by its label, is listed with its record. */
export async function listRecordedShipments(tx: Tx, ctx: Ctx, evaluations: Evaluation[]): Promise<void> {
  const changed = evaluations.flatMap(changeOf).filter(({ added }) => added.length > 0);
  const recorded = changed.length === 0 ? undefined : await findRecordedShipments(tx, ctx, changed);
  if (!recorded || recorded.size === 0) return;
  const replace = (value: unknown): OrderShipment[] =>
    (value as OrderShipment[]).map((listed) => recorded.get(listed.id) ?? listed);
  for (const evaluation of evaluations) {
    if (!evaluation.order.shipments.some(({ id }) => recorded.has(id))) continue;
    evaluation.order = { ...evaluation.order, shipments: replace(evaluation.order.shipments) };
    for (const step of evaluation.steps) {
      step.changes &&= step.changes.map((change) =>
        change.path === "/shipments" ? { ...change, from: replace(change.from), to: replace(change.to) } : change,
      );
    }
  }
}

function changeOf({ before, order }: Evaluation): OrderShipmentsChange[] {
  if (order.shipments === before.shipments) return [];
  const known = new Map(before.shipments.map((shipment) => [shipment.id, shipment]));
  const listed = new Set(order.shipments.map(({ id }) => id));
  const added = order.shipments.filter(({ id }) => !known.has(id));
  const corrected = order.shipments.filter(
    (shipment) => known.has(shipment.id) && isOther(known.get(shipment.id)!, shipment),
  );
  const removedIds = before.shipments.map(({ id }) => id).filter((id) => !listed.has(id));
  return added.length + corrected.length + removedIds.length === 0 ? [] : [{ order, added, corrected, removedIds }];
}

function isOther(before: OrderShipment, after: OrderShipment): boolean {
  return before !== after && listedFields.some((field) => before[field] !== after[field]);
}
