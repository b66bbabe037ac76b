import type { Label } from "../../carriers/carrier.ts";
import { labelTypes } from "../../carriers/carrier.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { Happening, NewEvent } from "../../events/event-catalogue.ts";
import { recordEvents } from "../../events/record-event.ts";
import type { CarrierRequest, CarrierOrFailure } from "../carrier-accounts/carrier-requests.ts";
import {
  sendAndSettle,
  carrierWork,
  isCarrierData,
  isCents,
  isStorableLine,
  nowOf,
} from "../carrier-accounts/carrier-requests.ts";
import type { Failure } from "../carrier-accounts/open-carrier.ts";
import { shippingProblem } from "../orders/order-rules.ts";
import { readOrders } from "../orders/orders.ts";
import type { PreparedParcel } from "../shipments/shipments.ts";
import { prepareParcel, recordParcel, voidParcel } from "../shipments/shipments.ts";
import { updateLabelExceptions } from "./label-exceptions.ts";
import type { ShipmentLabel } from "./label.ts";
import { effectKeyOf, isAwaiting, move, touched } from "./label.ts";
import * as store from "./labels.store.ts";

const maxContentBytes = 1024 * 1024;

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
    const { status, carrier, service, orderId, shipmentId, trackingNumber, costCents, version } = label;
    const cost = costCents === null ? null : costCents / 100;
    const data = { status, carrier, service, orderId, shipmentId, trackingNumber, cost, version };
    return { type: `label.${what}`, objectId: label.id, data };
  });
  recordEvents(tx, ctx, events);
}

const common: Pick<CarrierRequest<ShipmentLabel, never>, "lock" | "noResponse"> = {
  lock,
  noResponse: (tx, ctx, current, { retryAfterMs }) =>
    save(tx, ctx, touched(current, nowOf(ctx), retryAfterMs), "response_missing"),
};

/** A purchased label and its shipment. */
type Sold = Omit<Label, "content"> & {
  content: Buffer | null;
  /** Why the purchased label has no file. */
  lack: Failure | null;
  parcel: PreparedParcel;
};

export const purchase: CarrierRequest<ShipmentLabel, Sold> = {
  ...common,
  effectKey: effectKeyOf,
  async send(ctx, carrier, call, label) {
    const { service, from, to, weight, dimensions, reference } = label;
    const spec = { service, from, to, weight, ...(dimensions && { dimensions }), ...(reference && { reference }) };
    const sold = await carrier.createLabel!(call, spec);
    const problem = problemOf(sold);
    const parcel = problem === undefined ? await prepare(ctx, label, sold) : undefined;
    if (parcel?.failures.size === 0) return { ...sold, ...readContent(sold), parcel };
    ctx.log.error({ labelId: label.id, problem }, "a carrier sold a label that cannot be stored");
    const message = "The carrier may have sold the label, but its response is invalid. Contact the carrier about it.";
    throw new RemoteError("unexpected_response", message);
  },
  isPending: ({ status }) => status === "requested",
  async done(tx, ctx, current, sold) {
    const { trackingNumber, service, costCents, contentType, content, lack, parcel, carrierData = null } = sold;
    const now = nowOf(ctx);
    const recorded = await recordParcel(tx, ctx, parcel, { lines: current.lines, carrierData });
    const { obstacle } = recorded;
    // The order was cancelled while the carrier was called; the label is paid for all the same.
    const doubt = obstacle && {
      code: obstacle.code,
      message: `${obstacle.message} The order does not list the parcel.`,
    };
    const bought: ShipmentLabel = {
      ...move(current, "purchased", now),
      shipmentId: recorded.parcel.id,
      trackingNumber,
      service,
      costCents,
      contentType,
      contentBytes: content?.length ?? null,
      carrierData,
      failure: lack ?? doubt ?? null,
      purchasedAt: now,
    };
    await save(tx, ctx, bought, "purchased");
    await store.keepContent(tx, ctx.orgId, current.id, content);
    return bought;
  },
  rejected: (tx, ctx, current, failure) => save(tx, ctx, { ...move(current, "failed", nowOf(ctx)), failure }, "failed"),
};

/** Voids the label together with its shipment and file. */
export const voiding: CarrierRequest<ShipmentLabel, void> = {
  ...common,
  effectKey: (label) => `${effectKeyOf(label)}:void`,
  send: (_ctx, carrier, call, { trackingNumber, carrierData }) =>
    carrier.voidLabel!(call, { trackingNumber: trackingNumber!, carrierData }),
  isPending: ({ voidRequestedAt }) => voidRequestedAt !== null,
  async done(tx, ctx, current) {
    const now = nowOf(ctx);
    const voided = { ...move({ ...current, voidRequestedAt: null }, "voided", now), voidedAt: now, contentBytes: null };
    await save(tx, ctx, voided, "voided");
    await store.keepContent(tx, ctx.orgId, current.id, null);
    if (current.shipmentId !== null) await voidParcel(tx, ctx, current.shipmentId);
    return voided;
  },
  rejected: (tx, ctx, current, failure) =>
    save(tx, ctx, touched({ ...current, voidRequestedAt: null, attempts: 0, failure }, nowOf(ctx)), "void_rejected"),
};

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

/** Carriers' responses are untrusted input. Returns the first field that cannot be stored. */
function problemOf({ trackingNumber, service, costCents, contentType, content, carrierData }: Label) {
  if (!isStorableLine(trackingNumber)) return "trackingNumber";
  if (!isStorableLine(service)) return "service";
  if (costCents !== null && !isCents(costCents)) return "costCents";
  if (!labelTypes.includes(contentType)) return "contentType";
  if (!isCarrierData(carrierData)) return "carrierData";
  return typeof content === "string" ? undefined : "content";
}

function readContent({ content, trackingNumber }: Label): Pick<Sold, "content" | "lack"> {
  const bytes = (content.length / 4) * 3 > maxContentBytes * 2 ? undefined : Buffer.from(content, "base64");
  if (bytes === undefined || bytes.length > maxContentBytes) {
    const message = `The label file is larger than ${maxContentBytes} bytes. Download label ${trackingNumber} from the carrier.`;
    return { content: null, lack: { code: "content_too_large", message } };
  }
  if (bytes.length > 0) return { content: bytes, lack: null };
  const message = `The carrier sent no label file. Download label ${trackingNumber} from the carrier.`;
  return { content: null, lack: { code: "content_missing", message } };
}

async function prepare(ctx: Ctx, label: ShipmentLabel, sold: Label): Promise<PreparedParcel> {
  const { trackingNumber, service, costCents } = sold;
  // Undoing a run may have deleted the order meanwhile; the label is paid for all the same.
  const [order] = label.orderId === null ? [] : await readOrders(ctx.db, ctx.orgId, [label.orderId]);
  return await prepareParcel(ctx, {
    ...(order ? { orderId: order.id } : {}),
    carrier: label.carrier,
    service,
    trackingNumber,
    origin: label.from,
    destination: label.to,
    weight: label.weight,
    ...(costCents === null ? {} : { cost: costCents / 100 }),
    metadata: { labelId: label.id },
  });
}
