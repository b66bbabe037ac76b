import type { Said } from "../../carriers/said.ts";
import { notFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { Happening } from "../../events/event-catalogue.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { ShipmentAnswer } from "../shipments/shipment-answers.schemas.ts";
import { findParcel, recordParcel, voidParcel } from "../shipments/shipments.ts";
import type { Sold } from "./ask-seller.ts";
import type { ShipmentLabel } from "./label.ts";
import { move, touched } from "./label.ts";
import * as store from "./labels.store.ts";

/** So often is a carrier asked whether it has sold a label, over some three hours; then somebody has to look there. */
const maxAttempts = 24;

export type Settled = { label: ShipmentLabel; shipment: ShipmentAnswer | null };

export async function lock(tx: Tx, ctx: Ctx, id: string): Promise<ShipmentLabel> {
  const label = await store.lockLabel(tx, ctx.orgId, id);
  if (!label) throw notFound("label");
  return label;
}

/** Writes a changed label and what happened. */
export async function save(tx: Tx, ctx: Ctx, label: ShipmentLabel, what: Happening<"label">): Promise<ShipmentLabel> {
  await store.updateLabel(tx, ctx.orgId, label);
  await record(tx, ctx, label, what);
  return label;
}

export async function record(tx: Tx, ctx: Ctx, label: ShipmentLabel, what: Happening<"label">): Promise<void> {
  const { status, carrier, service, orderId, shipmentId, trackingNumber, costCents, version } = label;
  const cost = costCents === null ? null : costCents / 100;
  const data = { status, carrier, service, orderId, shipmentId, trackingNumber, cost, version };
  await recordEvent(tx, ctx, { type: `label.${what}`, objectId: label.id, data });
}

/** What the carrier said about a purchase, with the parcel that came of it; unless somebody else has written it down. */
export async function settlePurchase(tx: Tx, ctx: Ctx, id: string, said: Said<Sold>): Promise<Settled> {
  const current = await lock(tx, ctx, id);
  if (current.status !== "requested") return { label: current, shipment: await shipmentOf(tx, ctx, current) };
  const now = ctx.clock.now().toISOString();
  if ("done" in said) return await keepSold(tx, ctx, current, said.done, now);
  if ("unknown" in said && current.attempts + 1 < maxAttempts) {
    const waiting = touched({ ...current, attempts: current.attempts + 1 }, now);
    return { label: await save(tx, ctx, waiting, "unanswered"), shipment: null };
  }
  const failure = "refused" in said ? said.refused : { code: "outcome_unknown", message: said.unknown };
  return { label: await save(tx, ctx, { ...move(current, "failed", now), failure }, "failed"), shipment: null };
}

async function keepSold(tx: Tx, ctx: Ctx, label: ShipmentLabel, sold: Sold, now: string): Promise<Settled> {
  const { trackingNumber, service, costCents, contentType, content, lack, parcel } = sold;
  const shipment = await recordParcel(tx, ctx, parcel);
  const bought: ShipmentLabel = {
    ...move(label, "bought", now),
    shipmentId: shipment.id,
    trackingNumber,
    service,
    costCents,
    contentType,
    contentBytes: content?.length ?? null,
    failure: lack,
    boughtAt: now,
  };
  await save(tx, ctx, bought, "bought");
  await store.keepContent(tx, ctx.orgId, label.id, content);
  return { label: bought, shipment };
}

async function shipmentOf(tx: Tx, ctx: Ctx, { shipmentId }: ShipmentLabel): Promise<ShipmentAnswer | null> {
  return shipmentId === null ? null : ((await findParcel(tx, ctx, shipmentId)) ?? null);
}

/** What the carrier said about taking a label back. The parcel goes with it, and what could be printed. */
export async function settleVoid(tx: Tx, ctx: Ctx, id: string, said: Said<void>): Promise<ShipmentLabel> {
  const current = await lock(tx, ctx, id);
  if (current.voidRequestedAt === null) return current;
  const now = ctx.clock.now().toISOString();
  if ("done" in said) {
    const voided = { ...move({ ...current, voidRequestedAt: null }, "voided", now), voidedAt: now, contentBytes: null };
    await save(tx, ctx, voided, "voided");
    await store.keepContent(tx, ctx.orgId, id, null);
    if (current.shipmentId !== null) await voidParcel(tx, ctx, current.shipmentId);
    return voided;
  }
  const attempts = current.attempts + 1;
  if ("unknown" in said && attempts < maxAttempts) {
    return await save(tx, ctx, touched({ ...current, attempts }, now), "unanswered");
  }
  const failure = "refused" in said ? said.refused : { code: "outcome_unknown", message: said.unknown };
  const kept = touched({ ...current, voidRequestedAt: null, attempts: 0, failure }, now);
  return await save(tx, ctx, kept, "void_refused");
}
