import { errorsAt, HubError, validationFailed } from "../../core/errors.ts";
import { mergePatch } from "../../core/merge-patch.ts";
import { maskErrors } from "../../core/mask-person.ts";
import { orNotFound } from "../../core/resources.ts";
import { failAt, toError } from "../../core/row-failure.ts";
import { createFinder } from "../../core/validation.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { refuseDuplicate } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { Order } from "../orders/order.ts";
import { correctListedShipment, lockOrders, takeBackListedShipment } from "../orders/orders.ts";
import { deliverOrders } from "./deliver-orders.ts";
import { presentTo } from "./present-shipment.ts";
import type { ShipmentAnswer } from "./shipment-answers.schemas.ts";
import { changed, changeEvent } from "./shipment-changes.ts";
import { ruleErrors, toPromise } from "./shipment-fields.ts";
import { addToStats } from "./shipment-stats.store.ts";
import type { Shipment, ShipmentFacts } from "./shipment.ts";
import type { ShipmentPatch, ShipmentRequest } from "./shipments.schemas.ts";
import { ShipmentRequest as ShipmentRequestShape } from "./shipments.schemas.ts";
import * as store from "./shipments.store.ts";

const findErrors = createFinder(ShipmentRequestShape, "body");

export async function updateShipment(
  ctx: Ctx,
  id: string,
  patch: ShipmentPatch,
  ifMatch: IfMatch,
): Promise<ShipmentAnswer> {
  requirePatch(patch);
  const now = ctx.clock.now().toISOString();
  return await change(ctx, async (tx) => {
    const { before, order } = await lockToChange(tx, ctx, id);
    checkVersion(before, ifMatch);
    const { after } = changed(before, changesFrom(before, patch, now), now);
    await refuseDuplicate(store.updateShipments(tx, ctx.orgId, [after]), "shipments_tracking_key", numberTaken);
    const data = { trackingNumber: after.trackingNumber, fields: Object.keys(patch), version: after.version };
    recordEvent(tx, ctx, { type: "shipment.updated", objectId: id, data });
    if (order) await correctListedShipment(tx, ctx, order, id, after);
    await addToStats(tx, ctx.orgId, [{ before, after }]);
    return presentTo(ctx, after);
  });
}

/** The patched fields in the form of a create request, validated like one. */
function changesFrom(before: Shipment, patch: ShipmentPatch, now: string): Partial<ShipmentFacts> {
  const names = Object.keys(patch) as (keyof ShipmentPatch)[];
  const present = Object.fromEntries(names.map((name) => [name, before[name]]));
  const request = mergePatch(present, patch) as ShipmentRequest;
  const shapeErrors = findErrors(request);
  const errors =
    shapeErrors.length > 0
      ? shapeErrors
      : [...ruleErrors(request, now), ...errorsAt("/destination", maskErrors(patch.destination))];
  if (errors.length > 0) throw validationFailed(errors);
  const changes: Record<string, unknown> = {};
  for (const name of names) changes[name] = request[name] ?? (name === "metadata" ? {} : null);
  if (request.shippedAt !== undefined) changes.shippedAt = new Date(request.shippedAt).toISOString();
  if ("promisedAt" in patch || "promisedDate" in patch) {
    Object.assign(changes, toPromise(request.promisedAt, request.promisedDate));
  }
  return changes;
}

/** Voids a shipment whose label was not used and removes it from its order. Idempotent. */
export async function voidShipment(ctx: Ctx, id: string, ifMatch: IfMatch): Promise<ShipmentAnswer> {
  return await change(ctx, async (tx) => {
    const { before, order } = await lockToChange(tx, ctx, id);
    checkVersion(before, ifMatch);
    if (before.voidedAt !== null) return presentTo(ctx, before);
    if (before.acceptedAt !== null || before.status === "delivered" || before.status === "returned") {
      const message = `The carrier already has the parcel (status ${before.status}); it can no longer be voided.`;
      throw new HubError("invalid_state", message);
    }
    return presentTo(ctx, await voidLocked(tx, ctx, { before, order }));
  });
}

export async function voidLocked(tx: Tx, ctx: Ctx, { before, order }: Locked): Promise<Shipment> {
  const now = ctx.clock.now().toISOString();
  const change = changed(before, { voidedAt: now }, now);
  await store.updateShipments(tx, ctx.orgId, [change.after]);
  recordEvent(tx, ctx, changeEvent(change));
  if (order) await takeBackListedShipment(tx, ctx, order, before.id);
  // It may have been the only undelivered shipment of the order.
  if (order) await deliverOrders(tx, ctx, [order.id]);
  await addToStats(tx, ctx.orgId, [change]);
  return change.after;
}

type Locked = { before: Shipment; order: Order | undefined };

export async function lockToChange(tx: Tx, ctx: Ctx, id: string): Promise<Locked> {
  const known = orNotFound("shipment", await store.findShipment(tx, ctx.orgId, id));
  // Lock order: order, then shipment, as in runs.
  const [order] = known.orderId === null ? [] : await lockOrders(tx, ctx.orgId, [known.orderId]);
  const [before] = await store.lockShipments(tx, ctx.orgId, [id]);
  return { before: orNotFound("shipment", before), order };
}

function numberTaken(): HubError {
  return toError(
    failAt("/trackingNumber", "shipment_exists", "Another shipment has this carrier and tracking number."),
  );
}
