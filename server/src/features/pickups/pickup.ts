import type { CarrierData } from "../../carriers/seam/carrier-data.ts";
import { amountOf } from "../../carriers/seam/money.ts";
import type { PickupConfirmation } from "../../carriers/seam/pickups.ts";
import { findCarrier } from "../../carriers/installed-carriers.ts";
import { HubError } from "../../core/errors.ts";
import { canMove } from "../../core/states.ts";
import type { Ctx } from "../../context.ts";
import { backoffUntil, nowOf } from "../carrier-accounts/carrier-requests.ts";
import { momentAt, toOffsetText } from "./pickup-window.ts";
import type { PickupAnswer } from "./pickups.schemas.ts";
import type { PickupStatus } from "./pickups.states.ts";
import { activeStatuses, pickupMoves } from "./pickups.states.ts";

type PresentedField =
  | "readyTime"
  | "closeTime"
  | "window"
  | "pickupAddress"
  | "isCancellable"
  | "group"
  | "fee"
  | "hasPendingChange"
  | "isCarrierConfirmed";

/** A pickup as stored. `pickupDate` is a calendar day at the address; all other times are ISO instants in UTC. */
export type Pickup = Omit<PickupAnswer, PresentedField> & {
  address: PickupAnswer["pickupAddress"];
  addressKey: string;
  /** Empty: all parcels. */
  handoverGroup: string;
  readyAt: string;
  closeAt: string;
  isDuplicateAllowed: boolean;
  chargeCents: number | null;
  /** Null: US dollars. */
  chargeCurrency: string | null;
  carrierData: CarrierData | null;
  revision: number;
  previous: Booking | null;
  cancelRequestedAt: string | null;
  attempts: number;
  dueAt: string | null;
};

const minuteMs = 60_000;
/** The labels of a pickup that did not come about can be collected by another one. After an unknown outcome a driver may still come. */
export function freesLabels({ status, failure }: Pick<Pickup, "status" | "failure">): boolean {
  if (status === "failed") return failure?.code !== "outcome_unknown";
  return status === "cancelled" || status === "missed";
}

/** How long after the close time a driver or the carrier's report may still arrive. */
const graceMs = 4 * 60 * minuteMs;
const pollIntervalMs = 30 * minuteMs;

const bookingFields = [
  "locationId",
  "address",
  "addressKey",
  "timezone",
  "pickupDate",
  "readyAt",
  "closeAt",
  "packageCount",
  "totalWeight",
  "labelCount",
  "handoverGroup",
  "instructions",
  "isDuplicateAllowed",
  "cancelBy",
  "confirmationNumber",
  "chargeCents",
  "chargeCurrency",
  "messages",
  "carrierData",
  "revision",
] as const satisfies readonly (keyof Pickup)[];

/** The part of a pickup that a reschedule replaces. */
export type Booking = Pick<Pickup, (typeof bookingFields)[number]>;

export function bookingOf(pickup: Booking): Booking {
  return Object.fromEntries(bookingFields.map((field) => [field, pickup[field]])) as Booking;
}

/** A new pickup request. */
export function newPickup(booking: Booking, about: Pick<Pickup, "id" | "carrierAccountId" | "carrier">, at: string) {
  const pickup: Pickup = {
    ...booking,
    ...about,
    status: "requested",
    failure: null,
    isCompletionAssumed: false,
    previous: null,
    cancelRequestedAt: null,
    cancelReason: null,
    cancelledAt: null,
    history: [{ at, status: "requested", note: null }],
    attempts: 1,
    dueAt: null,
    createdAt: at,
    updatedAt: at,
    version: 1,
  };
  return pickup;
}

/** Idempotency key at the carrier. */
export function effectKeyOf({ id, revision }: Pick<Pickup, "id" | "revision">): string {
  return `pickup:${id}:${revision}`;
}

/** Every change of status goes through here. */
export function move(pickup: Pickup, status: PickupStatus, at: string, note: string | null = null): Pickup {
  if (!canMove(pickupMoves, pickup.status, status)) {
    throw new HubError("invalid_state", `A pickup that is ${pickup.status} cannot become ${status}.`);
  }
  return touched({ ...pickup, status, history: [...pickup.history, { at, status, note }] }, at);
}

export function touched(pickup: Pickup, at: string): Pickup {
  return { ...pickup, updatedAt: at, version: pickup.version + 1 };
}

/** When a worker has to process the pickup next; null: never. */
export function dueOf(pickup: Pickup, now: string, retryAfterMs?: number): string | null {
  // Cancelled while the pickup replaced by a reschedule still has to be cancelled.
  const hasFormer = pickup.status === "cancelled" && pickup.previous !== null;
  if (!activeStatuses.includes(pickup.status) && !hasFormer) return null;
  const isOpen = pickup.status === "requested" || pickup.cancelRequestedAt !== null || pickup.previous !== null;
  if (isOpen) return backoffUntil(now, pickup.attempts, retryAfterMs);
  const end = overAt(pickup);
  const canAsk = pickup.carrierAccountId !== null && findCarrier(pickup.carrier)?.findPickup !== undefined;
  if (!canAsk || now >= end) return now >= end ? after(now, pollIntervalMs) : end;
  return now < pickup.readyAt ? pickup.readyAt : earlierOf(end, after(now, pollIntervalMs));
}

/** When the outcome of the pickup is decided without a report of the carrier. */
export function overAt({ closeAt }: Pickup): string {
  return after(closeAt, graceMs);
}

function after(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString();
}

function earlierOf(a: string, b: string): string {
  return a < b ? a : b;
}

/** `isInPlace`: the carrier changed the previous booking, so that there is none to cancel. */
export type BookedAnswer = PickupConfirmation & { isInPlace?: boolean };

/** The confirmed pickup. The one it replaced, if any, still has to be cancelled. */
export function confirmed(pickup: Pickup, confirmation: BookedAnswer, at: string): Pickup {
  const { confirmationNumber, readyTime, closeTime, charge, messages, carrierData } = confirmation;
  const instant = (text: string): string => new Date(text).toISOString();
  return {
    ...move(pickup, "scheduled", at, pickup.previous ? "changed" : null),
    confirmationNumber,
    chargeCents: charge?.cents ?? null,
    chargeCurrency: charge?.currency ?? null,
    messages: [...pickup.messages, ...messages],
    carrierData: carrierData ?? null,
    ...(readyTime === undefined ? {} : { readyAt: instant(readyTime) }),
    ...(closeTime === undefined ? {} : { closeAt: instant(closeTime) }),
    ...(confirmation.isInPlace ? { previous: null } : {}),
    attempts: 0,
  };
}

/** After a rejection: a new pickup has failed, a reschedule is reverted. */
export function rejected(pickup: Pickup, failure: { code: string; message: string }, at: string): Pickup {
  if (pickup.previous === null) return { ...move(pickup, "failed", at, failure.message), failure };
  // The revision stays increased, so that the next request has a new key.
  const { revision } = pickup;
  const back = { ...move(pickup, "scheduled", at, `not changed: ${failure.message}`), ...pickup.previous, revision };
  return { ...back, previous: null, attempts: 0 };
}

/** The response schema drops internal fields. */
export function presentPickup(ctx: Ctx, pickup: Pickup): PickupAnswer {
  const { status, timezone, pickupDate, readyAt, closeAt, chargeCents } = pickup;
  const currency = pickup.chargeCurrency ?? "USD";
  const local = (at: string): string => toOffsetText(Temporal.Instant.from(at).toZonedDateTimeISO(timezone));
  const midnight = momentAt(Temporal.PlainDate.from(pickupDate), Temporal.PlainTime.from("00:00"), timezone);
  return {
    ...pickup,
    pickupDate: toOffsetText(midnight),
    readyTime: local(readyAt),
    closeTime: local(closeAt),
    window: { date: pickupDate, start: readyAt, end: closeAt },
    pickupAddress: pickup.address,
    group: pickup.handoverGroup === "" ? null : pickup.handoverGroup,
    isCarrierConfirmed: pickup.confirmationNumber !== null,
    isCancellable: canMove(pickupMoves, status, "cancelled") && nowOf(ctx) <= pickup.cancelBy,
    fee: chargeCents === null ? null : { amount: amountOf(chargeCents, currency), currency },
    hasPendingChange: pickup.cancelRequestedAt !== null || pickup.previous !== null,
  };
}
