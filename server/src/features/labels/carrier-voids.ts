import type { VoidAnswer } from "../../carriers/seam/labels.ts";
import type { Ctx, World } from "../../context.ts";
import { systemContext } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { CarrierRequest } from "../carrier-accounts/carrier-requests.ts";
import { backoffUntil, nowOf } from "../carrier-accounts/carrier-requests.ts";
import { canFindVoid, parcelsOf, touched } from "./label.ts";
import type { ShipmentLabel } from "./label.ts";
import * as store from "./labels.store.ts";
import { isWithCarrier, withParcels } from "./order-labels.ts";
import { lock, save } from "./save-label.ts";
import { endVoid, readVoidAnswer, refundCheck } from "./void-requests.ts";

const atCarrier = "Voided at the carrier.";
const inPart = "The carrier voided only some of its parcels.";

/** What a carrier reports about a refund without being asked. Reports that change nothing are ignored. */
export async function settleRefund(tx: Tx, ctx: Ctx, label: ShipmentLabel, given: VoidAnswer): Promise<void> {
  const answer = readVoidAnswer(given);
  const { status, refund } = label;
  if (status === "purchased" && isVoid(answer)) return await voidAsReported(tx, ctx, label, answer);
  const isOpen = status === "voided" && (refund?.state === "submitted" || refund?.state === "rejected");
  if (!isOpen || answer.state === "submitted" || answer.state === refund?.state) return;
  await refundCheck.done(tx, ctx, label, answer);
}

function isVoid({ state }: VoidAnswer): boolean {
  return state !== "rejected";
}

/** The report is about one parcel: a label of several is void only if the carrier says so about all of them. */
async function voidAsReported(tx: Tx, ctx: Ctx, label: ShipmentLabel, answer: VoidAnswer): Promise<void> {
  if (parcelsOf(label).length === 1) await voidUnlessInUse(tx, ctx, label, answer);
  else if (!canFindVoid(label)) await contradict(tx, ctx, label, answer.state, inPart);
  else if (label.voidRequestedAt === null) await store.updateLabel(tx, ctx.orgId, { ...label, dueAt: nowOf(ctx) });
}

/** Asks the carrier about a label of several parcels, of which it reported one as voided. */
export const voidCheck: CarrierRequest<ShipmentLabel, VoidAnswer | undefined> = {
  ...refundCheck,
  isPending: ({ status, voidRequestedAt }) => status === "purchased" && voidRequestedAt === null,
  async done(tx, ctx, current, answer) {
    if (answer && isVoid(answer)) return await voidUnlessInUse(tx, ctx, current, answer);
    return await contradict(tx, ctx, current, "submitted", inPart);
  },
  async rejected(tx, ctx, current, { message }) {
    return await contradict(tx, ctx, current, "submitted", `${inPart} ${message}`);
  },
  async noResponse(tx, ctx, current, { retryAfterMs }) {
    const waiting = { ...current, dueAt: backoffUntil(nowOf(ctx), current.attempts, retryAfterMs) };
    await store.updateLabel(tx, ctx.orgId, waiting);
    return waiting;
  },
};

/** A parcel that the carrier has is on its way, whatever the carrier says about its label: a user has to decide. */
async function voidUnlessInUse(tx: Tx, ctx: Ctx, label: ShipmentLabel, answer: VoidAnswer): Promise<ShipmentLabel> {
  const [known] = await withParcels(tx, ctx, [label]);
  const { parcel, further } = known!;
  const used = [...(parcel ? [parcel] : []), ...further].find(isWithCarrier);
  if (used)
    return await contradict(tx, ctx, label, answer.state, `The carrier has the parcel (status ${used.status}).`);
  const isOwn = label.voidRequestedAt !== null;
  const reported = isOwn ? answer : { ...answer, message: answer.message ?? atCarrier };
  return await endVoid(tx, ctx, label, reported, isOwn ? {} : { reason: "voided_at_carrier" });
}

/** The label stays purchased, and its exception is opened once. */
async function contradict(
  tx: Tx,
  ctx: Ctx,
  label: ShipmentLabel,
  state: VoidAnswer["state"],
  why: string,
): Promise<ShipmentLabel> {
  const message = `${atCarrier} ${why}`;
  if (label.refund?.message === message) {
    const same = { ...label, attempts: 0, dueAt: null };
    if (label.dueAt !== null) await store.updateLabel(tx, ctx.orgId, same);
    return same;
  }
  const now = nowOf(ctx);
  const after = touched({ ...label, attempts: 0, refund: { state, message, checkedAt: now } }, now);
  return await save(tx, ctx, after, "void_contradicted");
}

const batchSize = 100;

/**
 * Voids labels whose parcels are cancelled in the tracking of their carrier. Tracking locks orders and shipments, and labels are locked
 * before those: so the labels follow in transactions of their own.
 */
export async function voidCancelledLabels(world: World): Promise<void> {
  let after = "00000000-0000-0000-0000-000000000000";
  for (;;) {
    const found = await store.listCancelledAcrossOrgs(world.db, after, batchSize);
    for (const { orgId, labelId } of found) await voidCancelled(systemContext(world, orgId, "tracking"), labelId);
    if (found.length < batchSize) return;
    after = found.at(-1)!.shipmentId;
  }
}

async function voidCancelled(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const label = await lock(tx, ctx, id);
    // A request of the hub is under way: its response counts.
    if (label.status !== "purchased" || label.voidRequestedAt !== null) return;
    const [known] = await withParcels(tx, ctx, [label]);
    const parcels = [...(known!.parcel ? [known!.parcel] : []), ...known!.further];
    // The carrier is asked the next day what it refunds, if it can be asked.
    const state = canFindVoid(label) ? "submitted" : "voided";
    const areAllCancelled = parcels.every(({ status }) => status === "cancelled");
    if (areAllCancelled || parcels.some(isWithCarrier)) await voidUnlessInUse(tx, ctx, label, { state });
    else await contradict(tx, ctx, label, state, inPart);
  });
}
