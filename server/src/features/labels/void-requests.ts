import type { SoldLabel, VoidAnswer } from "../../carriers/seam/labels.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { cleanText } from "../../core/strict-json.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { CarrierRequest } from "../carrier-accounts/carrier-requests.ts";
import { isCarrierData, nowOf } from "../carrier-accounts/carrier-requests.ts";
import { voidParcel } from "../shipments/shipments.ts";
import type { ShipmentLabel } from "./label.ts";
import { effectKeyOf, move, parcelsOf, refundCheckAt, touched } from "./label.ts";
import * as store from "./labels.store.ts";
import { common, lock, save } from "./save-label.ts";

/** Voids the label together with its shipment and file. */
export const voiding: CarrierRequest<ShipmentLabel, VoidAnswer> = {
  ...common,
  operation: "voidLabel",
  effectKey: (label) => `${effectKeyOf(label)}:void`,
  async send(_ctx, carrier, call, label) {
    const answer = readVoidAnswer(await carrier.voidLabel!(call, soldLabel(label)));
    if (answer.state !== "rejected") return answer;
    throw new RemoteError("void_rejected", answer.message ?? "The carrier rejected the void.");
  },
  isPending: ({ voidRequestedAt }) => voidRequestedAt !== null,
  /** A submitted refund counts as voided: the parcel cannot be used, whatever the carrier decides about the money. */
  done: endVoid,
  async rejected(tx, ctx, current, failure) {
    const now = nowOf(ctx);
    const refund = { state: "rejected" as const, message: failure.message, checkedAt: now };
    const kept = { ...current, voidRequestedAt: null, attempts: 0, failure, refund };
    return await save(tx, ctx, touched(kept, now), "void_rejected");
  },
};

/** Also for voids that the hub did not request: `about` says so. */
export async function endVoid(
  tx: Tx,
  ctx: Ctx,
  current: ShipmentLabel,
  answer: VoidAnswer,
  about: { reason?: "voided_at_carrier" } = {},
): Promise<ShipmentLabel> {
  const now = nowOf(ctx);
  const ended = { ...withoutFiles(current), ...decided(current, answer, now), voidRequestedAt: null, voidedAt: now };
  const voided = move(ended, "voided", now);
  await save(tx, ctx, voided, "voided", about);
  await store.removeFiles(tx, ctx.orgId, current.id);
  for (const { shipmentId } of parcelsOf(current)) {
    if (shipmentId !== null) await voidParcel(tx, ctx, shipmentId);
  }
  return voided;
}

/** Asks what became of a submitted refund, once a day. */
export const refundCheck: CarrierRequest<ShipmentLabel, VoidAnswer | undefined> = {
  lock,
  effects: store.labelEffects,
  operation: "findVoid",
  effectKey: (label) => `${effectKeyOf(label)}:refund`,
  async send(_ctx, carrier, call, label) {
    const answer = await carrier.findVoid?.(call, soldLabel(label));
    return answer && readVoidAnswer(answer);
  },
  isPending: ({ status, refund }) => status === "voided" && refund?.state === "submitted",
  async done(tx, ctx, current, answer) {
    if (answer === undefined || answer.state === "submitted") return await wait(tx, ctx, current);
    const now = nowOf(ctx);
    const after = touched({ ...current, ...decided(current, answer, now), attempts: 0 }, now);
    return await save(tx, ctx, after, answer.state === "rejected" ? "refund_rejected" : "refunded");
  },
  rejected: (tx, ctx, current) => wait(tx, ctx, current),
  noResponse: (tx, ctx, current) => wait(tx, ctx, current),
};

/** Until the next day, without an event: nothing has changed. After the last check the user is told. */
async function wait(tx: Tx, ctx: Ctx, label: ShipmentLabel): Promise<ShipmentLabel> {
  const now = nowOf(ctx);
  const refund = label.refund && { ...label.refund, checkedAt: now };
  const dueAt = refundCheckAt(label, now);
  const waiting = { ...label, refund, attempts: 0, dueAt };
  if (dueAt === null) return await save(tx, ctx, touched(waiting, now), "refund_undecided");
  await store.updateLabel(tx, ctx.orgId, waiting);
  return waiting;
}

function decided(label: ShipmentLabel, { state, message, carrierData }: VoidAnswer, at: string) {
  const refund = { state, message: message ?? null, checkedAt: at };
  return { refund, carrierData: carrierData ?? label.carrierData };
}

const states: readonly VoidAnswer["state"][] = ["voided", "submitted", "rejected", "not_applicable"];

/** Carriers' responses are untrusted input. */
export function readVoidAnswer({ state, message, carrierData }: VoidAnswer): VoidAnswer {
  if (!states.includes(state) || !isCarrierData(carrierData)) {
    throw new RemoteError("unexpected_response", "The carrier's response to the void is invalid.", { retryable: true });
  }
  return {
    state,
    ...(message !== undefined && { message: cleanText(message).slice(0, 500) }),
    ...(carrierData && { carrierData }),
  };
}

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
