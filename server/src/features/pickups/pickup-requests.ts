import type { CarrierData } from "../../carriers/seam/carrier-data.ts";
import type { BookedPickup, PickupConfirmation, PickupState } from "../../carriers/seam/pickups.ts";
import { HubError } from "../../core/errors.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { orNotFound } from "../../core/resources.ts";
import { canMove } from "../../core/states.ts";
import { cleanText } from "../../core/strict-json.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { violatedConstraint } from "../../db/database.ts";
import type { Happening } from "../../events/event-catalogue.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { CarrierRequest, CarrierOrFailure } from "../carrier-accounts/carrier-requests.ts";
import {
  sendAndAnswer,
  sendAndSettle,
  carrierWork,
  isCarrierData,
  isCharge,
  isStorableLine,
  nowOf,
  outcomeUnknown,
  commitRequest,
} from "../carrier-accounts/carrier-requests.ts";
import type { CarrierResponse, OpenCarrier } from "../carrier-accounts/open-carrier.ts";
import { updatePickupExceptions } from "./pickup-exceptions.ts";
import { handoverParcels, listLabelsOfHandover, releaseLabels } from "../labels/labels.ts";
import type { BookedAnswer, Pickup } from "./pickup.ts";
import {
  confirmed,
  dueOf,
  effectKeyOf,
  freesLabels,
  move,
  overAt,
  presentPickup,
  rejected,
  touched,
} from "./pickup.ts";
import { toOffsetText } from "./pickup-window.ts";
import type { PickupAnswer } from "./pickups.schemas.ts";
import { pickupMoves } from "./pickups.states.ts";
import * as store from "./pickups.store.ts";
import { pickupExists } from "./plan-pickup.ts";

export async function lock(tx: Tx, ctx: Ctx, id: string): Promise<Pickup> {
  return orNotFound("pickup", await store.lockPickup(tx, ctx.orgId, id));
}

/** Saves a changed pickup, records the event and updates its exceptions. */
export async function save(
  tx: Tx,
  ctx: Ctx,
  pickup: Pickup,
  what: Happening<"pickup">,
  retryAfterMs?: number,
): Promise<Pickup> {
  const saved = { ...pickup, dueAt: dueOf(pickup, nowOf(ctx), retryAfterMs) };
  await store.updatePickup(tx, ctx.orgId, saved);
  if (saved.labelCount > 0 && freesLabels(saved)) await releaseLabels(tx, ctx, { pickupId: saved.id });
  record(tx, ctx, saved, what);
  await updatePickupExceptions(tx, ctx, saved, what);
  return saved;
}

export function record(tx: Tx, ctx: Ctx, pickup: Pickup, what: Happening<"pickup">): void {
  const { status, carrier, confirmationNumber, pickupDate, readyAt, closeAt, labelCount, version } = pickup;
  const data = { status, carrier, confirmationNumber, pickupDate, readyAt, closeAt, labelCount, version };
  recordEvent(tx, ctx, { type: `pickup.${what}`, objectId: pickup.id, data });
}

const common: Pick<CarrierRequest<Pickup, never>, "effects" | "lock" | "noResponse"> = {
  effects: store.pickupEffects,
  lock,
  noResponse: (tx, ctx, current, { retryAfterMs }) =>
    save(tx, ctx, touched(current, nowOf(ctx)), "response_missing", retryAfterMs),
};

export const booking: CarrierRequest<Pickup, BookedAnswer> = {
  ...common,
  operation: "schedulePickup",
  effectKey: effectKeyOf,
  async send(ctx, carrier, call, pickup) {
    const { address, packageCount, totalWeight, instructions, previous } = pickup;
    // Every attempt sends the labels of the request, also those voided since: carriers find an earlier attempt by them.
    const labels = pickup.labelCount === 0 ? [] : await listLabelsOfHandover(ctx.db, ctx, { pickupId: pickup.id });
    const request = {
      address,
      ...localWindow(pickup),
      packageCount,
      ...(totalWeight && { totalWeight }),
      ...(instructions !== null && { instructions }),
      parcels: handoverParcels(labels),
    };
    const former = previous && isConfirmed(previous) ? previous : undefined;
    const isInPlace = former !== undefined && carrier.changePickup !== undefined;
    const confirmation = isInPlace
      ? await carrier.changePickup!(call, former, request)
      : await carrier.schedulePickup!(call, request);
    if (isUsable(confirmation)) return { ...confirmation, isInPlace, messages: confirmation.messages.map(cleanText) };
    ctx.log.error({ pickupId: pickup.id }, "a carrier confirmed a pickup with an invalid response");
    const message =
      "The carrier may have booked the pickup, but its response is invalid. Contact the carrier about it.";
    throw new RemoteError("outcome_unknown", message);
  },
  isPending: (current, sent) => current.status === "requested" && current.revision === sent.revision,
  done: (tx, ctx, current, confirmation) => save(tx, ctx, confirmed(current, confirmation, nowOf(ctx)), "scheduled"),
  async rejected(tx, ctx, current, failure) {
    const back = rejected(current, failure, nowOf(ctx));
    // Another pickup may have been booked for the previous day meanwhile; both stay booked.
    const twin = back.status === "scheduled" ? await store.findTwin(tx, ctx.orgId, back) : undefined;
    const after = twin === undefined ? back : { ...back, isDuplicateAllowed: true };
    return await save(tx, ctx, after, after.status === "failed" ? "failed" : "change_rejected");
  },
  async noResponse(tx, ctx, current, response) {
    // The window is over.
    if (nowOf(ctx) >= current.closeAt) return await booking.rejected(tx, ctx, current, outcomeUnknown(response));
    return await common.noResponse(tx, ctx, current, response);
  },
};

/** Carriers' responses are untrusted input. */
function isUsable({ confirmationNumber, charge, messages, carrierData, ...window }: PickupConfirmation): boolean {
  const isTime = (text: string | undefined): boolean => text === undefined || !Number.isNaN(Date.parse(text));
  return (
    (confirmationNumber === null || isStorableLine(confirmationNumber)) &&
    isTime(window.readyTime) &&
    isTime(window.closeTime) &&
    (charge === undefined || isCharge(charge)) &&
    Array.isArray(messages) &&
    messages.every((message) => typeof message === "string") &&
    isCarrierData(carrierData)
  );
}

/** In local time at the address, with its offset. */
function localWindow({ readyAt, closeAt, timezone }: Pickup): { readyTime: string; closeTime: string } {
  const local = (at: string): string => toOffsetText(Temporal.Instant.from(at).toZonedDateTimeISO(timezone));
  return { readyTime: local(readyAt), closeTime: local(closeAt) };
}

type Booked = { confirmationNumber: string | null; carrierData: CarrierData | null };

function isConfirmed(booked: Booked): booked is BookedPickup {
  return booked.confirmationNumber !== null;
}

/** A pickup that was never confirmed needs no cancellation at the carrier. */
const cancel =
  (
    bookedIn: (pickup: Pickup) => Booked,
    reasonOf: (pickup: Pickup) => string | null,
  ): CarrierRequest<Pickup, void>["send"] =>
  async (_ctx, carrier, call, pickup) => {
    const { confirmationNumber, carrierData } = bookedIn(pickup);
    const reason = reasonOf(pickup);
    if (confirmationNumber === null) return;
    await carrier.cancelPickup?.(call, { confirmationNumber, carrierData, ...(reason === null ? {} : { reason }) });
  };

export const cancellation: CarrierRequest<Pickup, void> = {
  ...common,
  operation: "cancelPickup",
  effectKey: (pickup) => `${effectKeyOf(pickup)}:cancel`,
  send: cancel(
    (pickup) => pickup,
    ({ cancelReason }) => cancelReason,
  ),
  isPending: (current) => current.cancelRequestedAt !== null,
  async done(tx, ctx, current) {
    const now = nowOf(ctx);
    const moved = move({ ...current, cancelRequestedAt: null, attempts: 0 }, "cancelled", now, current.cancelReason);
    return await save(tx, ctx, { ...moved, cancelledAt: now }, "cancelled");
  },
  async rejected(tx, ctx, current, { code }) {
    const doubt = "The carrier did not confirm the cancellation. Contact it, or cancel again.";
    const messages = code === "outcome_unknown" ? [...current.messages, doubt] : current.messages;
    const kept = { ...current, cancelRequestedAt: null, attempts: 0, messages };
    return await save(tx, ctx, touched(kept, nowOf(ctx)), "cancel_rejected");
  },
};

/** Cancels the pickup that a reschedule has replaced; otherwise a driver would still come for it. */
const previousCancellation: CarrierRequest<Pickup, void> = {
  ...common,
  operation: "cancelPickup",
  effectKey: ({ id, previous }) => `${effectKeyOf({ id, revision: previous!.revision })}:cancel`,
  send: cancel(
    ({ previous }) => previous!,
    () => "Replaced by another pickup",
  ),
  isPending: (current, sent) =>
    current.previous?.revision === sent.previous?.revision && current.status !== "requested",
  done: (tx, ctx, current) =>
    save(tx, ctx, touched({ ...current, previous: null, attempts: 0 }, nowOf(ctx)), "previous_cancelled"),
  async rejected(tx, ctx, current) {
    const doubt = `The carrier may still carry out ${current.previous!.confirmationNumber}.`;
    const forgotten = { ...current, previous: null, attempts: 0, messages: [...current.messages, doubt] };
    return await save(tx, ctx, touched(forgotten, nowOf(ctx)), "previous_not_cancelled");
  },
};

export async function cancelPrevious(ctx: Ctx, pickup: Pickup, open: OpenCarrier): Promise<Pickup> {
  if (pickup.status === "requested" || pickup.previous === null) return pickup;
  return await sendAndSettle(ctx, previousCancellation, pickup, open);
}

/** Polls the state of a pickup. If the carrier cannot tell, a confirmed pickup is assumed to be completed. */
const outcome: CarrierRequest<Pickup, PickupState | undefined> = {
  lock,
  effects: store.pickupEffects,
  operation: "findPickup",
  effectKey: effectKeyOf,
  async send(_ctx, carrier, call, pickup) {
    const { confirmationNumber, carrierData } = pickup;
    if (confirmationNumber === null) return undefined;
    return await carrier.findPickup?.(call, { confirmationNumber, carrierData, ...localWindow(pickup) });
  },
  isPending: (current, sent) => current.version === sent.version,
  async done(tx, ctx, current, state) {
    const now = nowOf(ctx);
    const pickup = { ...current, attempts: 0 };
    const status = state?.status;
    if (status !== undefined && status !== "scheduled" && canMove(pickupMoves, pickup.status, status)) {
      const moved = move(pickup, status, now, "reported by the carrier");
      return await save(tx, ctx, status === "cancelled" ? { ...moved, cancelledAt: now } : moved, status);
    }
    if (now < overAt(pickup)) return await wait(tx, ctx, pickup, dueOf(pickup, now));
    // The carrier knows the pickup and has not reported its completion long after the window closed.
    if (status !== undefined) return await save(tx, ctx, move(pickup, "missed", now, "no driver came"), "missed");
    if (pickup.confirmationNumber === null)
      return await save(tx, ctx, move(pickup, "missed", now, "the carrier was not contacted"), "missed");
    const completed = move(pickup, "completed", now, "assumed: no other report");
    return await save(tx, ctx, { ...completed, isCompletionAssumed: true }, "completed");
  },
  async rejected(tx, ctx, current) {
    const isOver = nowOf(ctx) >= overAt(current);
    if (isOver) return await outcome.done(tx, ctx, current, undefined);
    return await wait(tx, ctx, { ...current, attempts: 0 }, overAt(current));
  },
  noResponse: (tx, ctx, current) => wait(tx, ctx, current, dueOf(current, nowOf(ctx))),
};

async function wait(tx: Tx, ctx: Ctx, pickup: Pickup, dueAt: string | null): Promise<Pickup> {
  const waiting = { ...pickup, dueAt };
  await store.updatePickup(tx, ctx.orgId, waiting);
  return waiting;
}

/** What a carrier left noResponse, or a process that died could not write down; and what became of it. */
async function resend(ctx: Ctx, pickup: Pickup, opened: CarrierOrFailure, stopping?: AbortSignal): Promise<void> {
  if (pickup.status === "requested") {
    const settled = await sendAndSettle(ctx, booking, pickup, opened, stopping);
    if ("carrier" in opened) await cancelPrevious(ctx, settled, opened);
  } else if (pickup.cancelRequestedAt !== null) await sendAndSettle(ctx, cancellation, pickup, opened, stopping);
  else if (pickup.previous !== null) await sendAndSettle(ctx, previousCancellation, pickup, opened, stopping);
  else await sendAndSettle(ctx, outcome, pickup, opened, stopping);
}

export const pickupWork = carrierWork(
  "pickups",
  20_000,
  { leases: store.pickupLeases, fromRow: store.toPickup },
  resend,
);

/**
 * The request is committed before the carrier is called, so that a crash neither loses nor duplicates it. The answer stored
 * with it makes a repeated Idempotency-Key return this pickup instead of booking another one.
 */
export async function book(
  ctx: Ctx,
  open: OpenCarrier,
  wanted: Pickup,
  write: (tx: Tx) => Promise<Pickup>,
): Promise<PickupAnswer> {
  const present = (pickup: Pickup): PickupAnswer => presentPickup(ctx, pickup);
  const sent = await commitRequest(ctx, write, present).catch(async (error: unknown) => {
    // The unique index allows one active pickup per account, address, day and group. Pickups of schedules have IDs of their own.
    if (!["pickups_one_a_day", "pickups_pkey"].includes(violatedConstraint(error) ?? "")) throw error;
    throw pickupExists(await store.findTwin(ctx.db, ctx.orgId, wanted), null);
  });
  let settled: Pickup | undefined;
  const answer = await sendAndAnswer(ctx, booking, sent, open, (after, response) => {
    settled = after;
    return refusalOf(after, response) ?? present(after);
  });
  await cancelPrevious(ctx, settled!, open);
  return answer;
}

function refusalOf({ id, status }: Pickup, response: CarrierResponse<unknown>): HubError | undefined {
  if (!("rejected" in response)) return undefined;
  const { code, message } = response.rejected;
  const rest = status === "scheduled" ? " The pickup stays as it was." : "";
  return new HubError("carrier_failed", `${message}${rest}`, { extra: { pickupId: id, carrierCode: code } });
}
