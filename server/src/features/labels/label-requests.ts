import type { Label, LabelFile, VoidAnswer } from "../../carriers/seam/labels.ts";
import { labelTypes } from "../../carriers/seam/labels.ts";
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
  isCharge,
  isStorableLine,
  nowOf,
} from "../carrier-accounts/carrier-requests.ts";
import type { Failure } from "../carrier-accounts/open-carrier.ts";
import { today } from "../organizations/organizations.ts";
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
type Sold = Label & {
  trackingNumber: string;
  file: LabelFile | null;
  /** Why the purchased label has no file. */
  lack: Failure | null;
  parcel: PreparedParcel;
};

export const purchase: CarrierRequest<ShipmentLabel, Sold> = {
  ...common,
  operation: "createLabel",
  effectKey: effectKeyOf,
  async send(ctx, carrier, call, label) {
    const { service, from, to, weight, dimensions, reference } = label;
    const sold = await carrier.createLabel!(call, {
      service,
      from,
      to,
      parcels: [{ weight, ...(dimensions && { dimensions }) }],
      options: {},
      shipDate: await today(ctx),
      ...(reference !== null && { reference }),
    });
    const problem = problemOf(sold);
    const parcel = problem === undefined ? await prepare(ctx, label, sold) : undefined;
    const { trackingNumber, file } = sold.parcels[0]!;
    if (parcel?.failures.size === 0) return { ...sold, trackingNumber, ...readFile(file, trackingNumber), parcel };
    ctx.log.error({ labelId: label.id, problem }, "a carrier sold a label that cannot be stored");
    const message = "The carrier may have sold the label, but its response is invalid. Contact the carrier about it.";
    throw new RemoteError("unexpected_response", message);
  },
  isPending: ({ status }) => status === "requested",
  async done(tx, ctx, current, sold) {
    const { trackingNumber, service, charge, file, lack, parcel, carrierData = null } = sold;
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
      costCents: charge?.cents ?? null,
      contentType: file?.contentType ?? null,
      contentBytes: file?.content.length ?? null,
      carrierData,
      failure: lack ?? doubt ?? null,
      purchasedAt: now,
    };
    await save(tx, ctx, bought, "purchased");
    await store.keepContent(tx, ctx.orgId, current.id, file?.content ?? null);
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
    const { service, purchasedAt, carrierData } = label;
    const trackingNumber = label.trackingNumber!;
    const answer = await carrier.voidLabel!(call, {
      trackingNumber,
      trackingNumbers: [trackingNumber],
      service,
      purchasedAt: purchasedAt!,
      carrierData,
    });
    if (answer.state !== "rejected") return answer;
    throw new RemoteError("void_rejected", answer.message ?? "The carrier rejected the void.");
  },
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
function problemOf({ service, charge, parcels, carrierData }: Label) {
  if (!isStorableLine(service)) return "service";
  if (charge !== null && !isCharge(charge)) return "charge";
  if (parcels.length === 0 || !parcels.every((one) => isStorableLine(one.trackingNumber))) return "trackingNumber";
  if (!parcels.every(({ file }) => file === null || labelTypes.includes(file.contentType))) return "contentType";
  return isCarrierData(carrierData) ? undefined : "carrierData";
}

function readFile(file: LabelFile | null, trackingNumber: string): Pick<Sold, "file" | "lack"> {
  const bytes = file?.content.length ?? 0;
  if (bytes > 0 && bytes <= maxContentBytes) return { file, lack: null };
  const [code, problem] =
    bytes > 0
      ? ["content_too_large", `The label file is larger than ${maxContentBytes} bytes.`]
      : ["content_missing", "The carrier sent no label file."];
  return { file: null, lack: { code, message: `${problem} Download label ${trackingNumber} from the carrier.` } };
}

async function prepare(ctx: Ctx, label: ShipmentLabel, sold: Label): Promise<PreparedParcel> {
  const { service, charge } = sold;
  // Undoing a run may have deleted the order meanwhile; the label is paid for all the same.
  const [order] = label.orderId === null ? [] : await readOrders(ctx.db, ctx.orgId, [label.orderId]);
  return await prepareParcel(ctx, {
    ...(order ? { orderId: order.id } : {}),
    carrier: label.carrier,
    service,
    trackingNumber: sold.parcels[0]!.trackingNumber,
    origin: label.from,
    destination: label.to,
    weight: label.weight,
    ...(charge === null ? {} : { cost: charge.cents / 100 }),
    metadata: { labelId: label.id },
  });
}
