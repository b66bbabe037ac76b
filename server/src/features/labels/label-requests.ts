import type { CarrierData } from "../../carriers/seam/carrier-data.ts";
import { RemoteError } from "../../core/remote-error.ts";
import type { Ctx } from "../../context.ts";
import type { CarrierRequest, CarrierOrFailure } from "../carrier-accounts/carrier-requests.ts";
import { sendAndSettle, carrierWork, nowOf } from "../carrier-accounts/carrier-requests.ts";
import { today } from "../organizations/organizations.ts";
import { shippingProblem } from "../orders/order-rules.ts";
import { readOrders } from "../orders/orders.ts";
import { recordParcel } from "../shipments/shipments.ts";
import { voidCheck } from "./carrier-voids.ts";
import type { ShipmentLabel } from "./label.ts";
import { effectKeyOf, isReturnLabel, move, parcelsOf, requestedParcels } from "./label.ts";
import * as store from "./labels.store.ts";
import { readPromiseTerms } from "./promise-terms.ts";
import { common, save } from "./save-label.ts";
import type { Sold } from "./sold-label.ts";
import { readSold } from "./sold-label.ts";
import { refundCheck, voiding } from "./void-requests.ts";

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
    const quote = quoteToUse(label, shipDate, nowOf(ctx));
    const request = {
      service,
      from,
      to,
      parcels,
      options,
      shipDate,
      ...(reference !== null && { reference }),
      ...(quote && { quote }),
    };
    const terms = await readPromiseTerms(ctx, label, shipDate, nowOf(ctx));
    const sold = await readSold(ctx, label, terms, await carrier.createLabel!(call, request));
    if (!("problem" in sold)) return sold;
    ctx.log.error({ labelId: label.id, problem: sold.problem }, "a carrier sold a label that cannot be stored");
    // Not a rejection: a second purchase could be paid twice.
    throw new RemoteError("outcome_unknown", `${sold.message} Check with the carrier before you buy another one.`);
  },
  isPending: ({ status }) => status === "requested",
  async done(tx, ctx, current, sold) {
    const { label, shipDate, shipments, files, lack } = sold;
    const { service, charge, carrierData = null } = label;
    const now = nowOf(ctx);
    // The lines of the order belong to the lead parcel. A return ships none of them.
    const recorded: Awaited<ReturnType<typeof recordParcel>>[] = [];
    for (const [index, shipment] of shipments.entries()) {
      const lines = index === 0 && !isReturnLabel(current) ? current.lines : [];
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

/** A quote holds for its day and until it expires. Without one the carrier sells at its current price. */
function quoteToUse({ quote, shipDate }: ShipmentLabel, day: string, now: string): CarrierData | null {
  if (quote === null || shipDate !== day) return null;
  return quote.expiresAt !== null && Date.parse(quote.expiresAt) <= Date.parse(now) ? null : quote.carrierData;
}

/** Retries a request without a response, with the same key, so that the carrier returns the label it has already sold. */
async function resend(
  worker: Ctx,
  label: ShipmentLabel,
  opened: CarrierOrFailure,
  stopping?: AbortSignal,
): Promise<void> {
  // What the response changes must not trigger the automation that requested the label.
  const ctx = { ...worker, cause: label.cause ?? undefined };
  if (label.status === "voided") await sendAndSettle(ctx, refundCheck, label, opened, stopping);
  else if (label.status === "purchased" && label.voidRequestedAt === null)
    await sendAndSettle(ctx, voidCheck, label, opened, stopping);
  else if (label.status !== "requested") await sendAndSettle(ctx, voiding, label, opened, stopping);
  else await sendAndSettle(ctx, purchase, label, (await findObstacle(ctx, label)) ?? opened, stopping);
}

/**
 * A label requested by a run waits for a worker, and its order may have been cancelled meanwhile. Before the first attempt
 * the carrier was not called, so that the request can still be dropped.
 */
async function findObstacle(ctx: Ctx, label: ShipmentLabel): Promise<CarrierOrFailure | undefined> {
  const { runId, attempts, orderId } = label;
  if (runId === null || attempts > 1) return undefined;
  // A run requests labels for orders only: without one, the order was deleted.
  const [order] = orderId === null ? [] : await readOrders(ctx.db, ctx.orgId, [orderId]);
  if (!order) return { rejected: { code: "order_not_found", message: "The order was deleted." } };
  const problem = isReturnLabel(label) ? undefined : shippingProblem(order);
  return problem && { rejected: { code: problem.code, message: problem.message } };
}

const labels = { leases: store.labelLeases, fromRow: store.toLabel };

/** Retries, first attempts of labels requested by runs, and checks of refunds. */
export const labelWork: ReturnType<typeof carrierWork<ShipmentLabel>> = {
  ...carrierWork("labels", 60_000, labels, resend),
  wakeOn: ["clock", "label_requested"],
};
