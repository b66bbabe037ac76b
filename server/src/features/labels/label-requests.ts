import type { SoldLabel, VoidAnswer } from "../../carriers/seam/labels.ts";
import { amountOf } from "../../carriers/seam/money.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { Happening, NewEvent } from "../../events/event-catalogue.ts";
import { recordEvents } from "../../events/record-event.ts";
import type { CarrierRequest, CarrierOrFailure } from "../carrier-accounts/carrier-requests.ts";
import { sendAndSettle, carrierWork, nowOf } from "../carrier-accounts/carrier-requests.ts";
import { today } from "../organizations/organizations.ts";
import { shippingProblem } from "../orders/order-rules.ts";
import { readOrders } from "../orders/orders.ts";
import { recordParcel, voidParcel } from "../shipments/shipments.ts";
import { updateLabelExceptions } from "./label-exceptions.ts";
import type { ShipmentLabel } from "./label.ts";
import { effectKeyOf, isAwaiting, move, parcelsOf, requestedParcels, touched } from "./label.ts";
import * as store from "./labels.store.ts";
import type { Sold } from "./sold-label.ts";
import { readSold } from "./sold-label.ts";

export async function lock(tx: Tx, ctx: Ctx, id: string): Promise<ShipmentLabel> {
  return orNotFound("label", await store.lockLabel(tx, ctx.orgId, id));
}

/** Saves a changed label, records the event and updates its exceptions. */
export async function save(tx: Tx, ctx: Ctx, label: ShipmentLabel, what: Happening<"label">): Promise<ShipmentLabel> {
  await store.updateLabel(tx, ctx.orgId, label);
  record(tx, ctx, [label], what);
  await updateLabelExceptions(tx, ctx, label, what);
  if (label.runId !== null && !isAwaiting(label)) await ctx.signals.publish(tx, "label_ended", label.id);
  return label;
}

export function record(tx: Tx, ctx: Ctx, labels: ShipmentLabel[], what: Happening<"label">): void {
  const events = labels.map((label): NewEvent => {
    const { status, carrier, service, orderId, shipmentId, trackingNumber, costCents, currency, version } = label;
    const cost = costCents === null ? null : amountOf(costCents, currency ?? "USD");
    const data = { status, carrier, service, orderId, shipmentId, trackingNumber, cost, version };
    return { type: `label.${what}`, objectId: label.id, data };
  });
  recordEvents(tx, ctx, events);
}

const common: Pick<CarrierRequest<ShipmentLabel, never>, "effects" | "lock" | "noResponse"> = {
  effects: store.labelEffects,
  lock,
  noResponse: (tx, ctx, current, { retryAfterMs }) =>
    save(tx, ctx, touched(current, nowOf(ctx), retryAfterMs), "response_missing"),
};

export const purchase: CarrierRequest<ShipmentLabel, Sold> = {
  ...common,
  operation: "createLabel",
  effectKey: effectKeyOf,
  async send(ctx, carrier, call, label) {
    const { service, from, to, options, reference } = label;
    // Carriers reject a ship date that has passed while the request was retried.
    const day = await today(ctx);
    const shipDate = label.shipDate === null || label.shipDate < day ? day : label.shipDate;
    const parcels = requestedParcels(label);
    const request = { service, from, to, parcels, options, shipDate, ...(reference !== null && { reference }) };
    const sold = await readSold(ctx, label, shipDate, await carrier.createLabel!(call, request));
    if (!("problem" in sold)) return sold;
    ctx.log.error({ labelId: label.id, problem: sold.problem }, "a carrier sold a label that cannot be stored");
    const message = "The carrier may have sold the label, but its response is invalid. Contact the carrier about it.";
    throw new RemoteError("unexpected_response", message);
  },
  isPending: ({ status }) => status === "requested",
  async done(tx, ctx, current, sold) {
    const { label, shipDate, shipments, files, lack } = sold;
    const { service, charge, carrierData = null } = label;
    const now = nowOf(ctx);
    // The lines of the order belong to the lead parcel.
    const recorded: Awaited<ReturnType<typeof recordParcel>>[] = [];
    for (const [index, shipment] of shipments.entries()) {
      const lines = index === 0 ? current.lines : [];
      recorded.push(await recordParcel(tx, ctx, shipment, { lines, carrierData }));
    }
    const obstacle = recorded.find((one) => one.obstacle)?.obstacle;
    const sizes = new Map(files.map(({ kind, position, content }) => [`${kind} ${position}`, content.length]));
    const parcels = parcelsOf(current).map((parcel, index) => ({
      ...parcel,
      trackingNumber: label.parcels[index]!.trackingNumber,
      shipmentId: recorded[index]!.parcel.id,
      contentType: label.parcels[index]!.file?.contentType ?? null,
      contentBytes: sizes.get(`parcel ${index}`) ?? null,
    }));
    const [lead] = parcels;
    // The order was cancelled while the carrier was called; the label is paid for all the same.
    const doubt = obstacle && {
      code: obstacle.code,
      message: `${obstacle.message} The order does not list the parcel.`,
    };
    const bought: ShipmentLabel = {
      ...move(current, "purchased", now),
      shipmentId: lead!.shipmentId,
      trackingNumber: lead!.trackingNumber,
      parcels,
      shipDate,
      service,
      costCents: charge?.cents ?? null,
      currency: charge?.currency ?? null,
      chargeLines: charge?.lines ?? [],
      transitDays: label.transitDays ?? null,
      deliverBy: label.deliverBy ?? null,
      contentType: lead!.contentType,
      contentBytes: lead!.contentBytes,
      documents: (label.documents ?? []).map(({ kind, file }, index) => ({
        kind,
        contentType: file.contentType,
        contentBytes: sizes.get(`document ${index}`) ?? null,
      })),
      carrierData,
      failure: lack ?? doubt ?? null,
      purchasedAt: now,
    };
    await save(tx, ctx, bought, "purchased");
    await store.keepFiles(tx, ctx.orgId, current.id, files);
    return bought;
  },
  rejected: (tx, ctx, current, failure) => save(tx, ctx, { ...move(current, "failed", nowOf(ctx)), failure }, "failed"),
};

/** Voids the label together with its shipment and file. */
export const voiding: CarrierRequest<ShipmentLabel, VoidAnswer> = {
  ...common,
  operation: "voidLabel",
  effectKey: (label) => `${effectKeyOf(label)}:void`,
  async send(_ctx, carrier, call, label) {
    const answer = await carrier.voidLabel!(call, soldLabel(label));
    if (answer.state !== "rejected") return answer;
    throw new RemoteError("void_rejected", answer.message ?? "The carrier rejected the void.");
  },
  isPending: ({ voidRequestedAt }) => voidRequestedAt !== null,
  async done(tx, ctx, current) {
    const now = nowOf(ctx);
    const voided = { ...move(withoutFiles({ ...current, voidRequestedAt: null }), "voided", now), voidedAt: now };
    await save(tx, ctx, voided, "voided");
    await store.removeFiles(tx, ctx.orgId, current.id);
    for (const { shipmentId } of parcelsOf(current)) {
      if (shipmentId !== null) await voidParcel(tx, ctx, shipmentId);
    }
    return voided;
  },
  rejected: (tx, ctx, current, failure) =>
    save(tx, ctx, touched({ ...current, voidRequestedAt: null, attempts: 0, failure }, nowOf(ctx)), "void_rejected"),
};

/** The label as its carrier knows it. */
function soldLabel(label: ShipmentLabel): SoldLabel {
  const { service, purchasedAt, carrierData } = label;
  const trackingNumbers = parcelsOf(label).flatMap(({ trackingNumber }) => trackingNumber ?? []);
  return { trackingNumber: label.trackingNumber!, trackingNumbers, service, purchasedAt: purchasedAt!, carrierData };
}

function withoutFiles(label: ShipmentLabel): ShipmentLabel {
  return {
    ...label,
    contentBytes: null,
    parcels: parcelsOf(label).map((parcel) => ({ ...parcel, contentBytes: null })),
    documents: label.documents.map((document) => ({ ...document, contentBytes: null })),
  };
}

/** Retries a request without a response, with the same key, so that the carrier returns the label it has already sold. */
async function resend(ctx: Ctx, label: ShipmentLabel, opened: CarrierOrFailure, stopping?: AbortSignal): Promise<void> {
  if (label.status !== "requested") await sendAndSettle(ctx, voiding, label, opened, stopping);
  else await sendAndSettle(ctx, purchase, label, (await findObstacle(ctx, label)) ?? opened, stopping);
}

/**
 * A label requested by a run waits for a worker, and its order may have been cancelled meanwhile. Before the first attempt
 * the carrier was not called, so that the request can still be dropped.
 */
async function findObstacle(
  ctx: Ctx,
  { runId, attempts, orderId }: ShipmentLabel,
): Promise<CarrierOrFailure | undefined> {
  if (runId === null || attempts > 1 || orderId === null) return undefined;
  const [order] = await readOrders(ctx.db, ctx.orgId, [orderId]);
  if (!order) return { rejected: { code: "order_not_found", message: "The order was deleted." } };
  const problem = shippingProblem(order);
  return problem && { rejected: { code: problem.code, message: problem.message } };
}

const labels = { leases: store.labelLeases, fromRow: store.toLabel };

/** Retries, and first attempts of labels requested by runs. */
export const labelWork: ReturnType<typeof carrierWork<ShipmentLabel>> = {
  ...carrierWork("labels", 60_000, labels, resend),
  wakeOn: ["clock", "label_requested"],
};
