import type { CarrierData, PickupConfirmation } from "../../carriers/carrier.ts";
import { findCarrier } from "../../carriers/installed-carriers.ts";
import type { Address } from "../../core/address.ts";
import { HubError } from "../../core/errors.ts";
import { canMove } from "../../core/states.ts";
import type { Weight } from "../../core/weight.ts";
import { askAgainAt } from "../carrier-accounts/carrier-requests.ts";
import { momentAt, toOffsetText } from "./pickup-window.ts";
import type { PickupAnswer } from "./pickups.schemas.ts";
import type { PickupStatus } from "./pickups.states.ts";
import { activeStatuses, pickupMoves } from "./pickups.states.ts";

/** What is booked, or asked for: the part of a pickup that a change replaces. */
export type Booking = {
  locationId: string | null;
  address: Address;
  addressKey: string;
  timezone: string;
  /** A calendar day at the address; all other times are ISO instants in UTC. */
  pickupDate: string;
  readyAt: string;
  closeAt: string;
  packageCount: number;
  totalWeight: Weight | null;
  instructions: string | null;
  isDuplicateAllowed: boolean;
  cancelBy: string;
  confirmationNumber: string | null;
  chargeCents: number | null;
  messages: string[];
  carrierData: CarrierData | null;
  revision: number;
};

export type Pickup = Booking & {
  id: string;
  carrierAccountId: string | null;
  carrier: string;
  status: PickupStatus;
  failure: { code: string; message: string } | null;
  isAssumed: boolean;
  previous: Booking | null;
  cancelRequestedAt: string | null;
  cancelReason: string | null;
  cancelledAt: string | null;
  history: { at: string; status: PickupStatus; note: string | null }[];
  attempts: number;
  dueAt: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
};

const minuteMs = 60_000;
/** After the window has closed, drivers and their reports are waited for. */
const graceMs = 4 * 60 * minuteMs;
const askEveryMs = 30 * minuteMs;

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
  "instructions",
  "isDuplicateAllowed",
  "cancelBy",
  "confirmationNumber",
  "chargeCents",
  "messages",
  "carrierData",
  "revision",
] as const satisfies readonly (keyof Booking)[];

export function bookingOf(pickup: Booking): Booking {
  return Object.fromEntries(bookingFields.map((field) => [field, pickup[field]])) as Booking;
}

/** What happens once, however often the carrier is asked for it. */
export function effectKeyOf({ id, revision }: Pick<Pickup, "id" | "revision">): string {
  return `pickup:${id}:${revision}`;
}

/** The same pickup in another state. Every change of state goes through here. */
export function move(pickup: Pickup, status: PickupStatus, at: string, note: string | null = null): Pickup {
  if (!canMove(pickupMoves, pickup.status, status)) {
    throw new HubError("invalid_state", `A pickup that is ${pickup.status} cannot become ${status}.`);
  }
  return touched({ ...pickup, status, history: [...pickup.history, { at, status, note }] }, at);
}

export function touched(pickup: Pickup, at: string): Pickup {
  return { ...pickup, updatedAt: at, version: pickup.version + 1 };
}

/** When somebody has to look at it again without being asked. */
export function dueOf(pickup: Pickup, now: string, retryAfterMs?: number): string | null {
  // Cancelled while what a change has replaced is still to be called off.
  const hasFormer = pickup.status === "cancelled" && pickup.previous !== null;
  if (!activeStatuses.includes(pickup.status) && !hasFormer) return null;
  const isOpen = pickup.status === "requested" || pickup.cancelRequestedAt !== null || pickup.previous !== null;
  if (isOpen) return askAgainAt(now, pickup.attempts, retryAfterMs);
  const end = overAt(pickup);
  const canAsk = pickup.carrierAccountId !== null && findCarrier(pickup.carrier)?.findPickup !== undefined;
  if (!canAsk || now >= end) return now >= end ? after(now, askEveryMs) : end;
  return now < pickup.readyAt ? pickup.readyAt : earlierOf(end, after(now, askEveryMs));
}

/** From then on nobody is waited for any more. */
export function overAt({ closeAt }: Pickup): string {
  return after(closeAt, graceMs);
}

function after(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString();
}

function earlierOf(a: string, b: string): string {
  return a < b ? a : b;
}

/** The carrier has said yes; what it replaced, if anything, is still to be called off. */
export function confirmed(pickup: Pickup, confirmation: PickupConfirmation, at: string): Pickup {
  const { confirmationNumber, readyTime, closeTime, chargeCents, messages, carrierData } = confirmation;
  const instant = (text: string): string => new Date(text).toISOString();
  return {
    ...move(pickup, "scheduled", at, pickup.previous ? "changed" : null),
    confirmationNumber,
    chargeCents: chargeCents ?? null,
    messages: [...pickup.messages, ...messages],
    carrierData: carrierData ?? null,
    ...(readyTime === undefined ? {} : { readyAt: instant(readyTime) }),
    ...(closeTime === undefined ? {} : { closeAt: instant(closeTime) }),
    attempts: 0,
  };
}

/** The carrier has said no: a new pickup has failed, a change is taken back. */
export function refused(pickup: Pickup, failure: { code: string; message: string }, at: string): Pickup {
  if (pickup.previous === null) return { ...move(pickup, "failed", at, failure.message), failure };
  // Counts on, so that what is asked for next has a key of its own.
  const { revision } = pickup;
  const back = { ...move(pickup, "scheduled", at, `not changed: ${failure.message}`), ...pickup.previous, revision };
  return { ...back, previous: null, attempts: 0 };
}

function isCancellable(pickup: Pickup, now: string): boolean {
  return canMove(pickupMoves, pickup.status, "cancelled") && now <= pickup.cancelBy;
}

export function presentPickup(pickup: Pickup, now: string): PickupAnswer {
  const zoned = (at: string): Temporal.ZonedDateTime => Temporal.Instant.from(at).toZonedDateTimeISO(pickup.timezone);
  const midnight = momentAt(
    Temporal.PlainDate.from(pickup.pickupDate),
    Temporal.PlainTime.from("00:00"),
    pickup.timezone,
  );
  return {
    id: pickup.id,
    status: pickup.status,
    carrierAccountId: pickup.carrierAccountId,
    carrier: pickup.carrier,
    locationId: pickup.locationId,
    confirmationNumber: pickup.confirmationNumber,
    pickupDate: toOffsetText(midnight),
    readyTime: toOffsetText(zoned(pickup.readyAt)),
    closeTime: toOffsetText(zoned(pickup.closeAt)),
    timezone: pickup.timezone,
    window: { date: pickup.pickupDate, start: pickup.readyAt, end: pickup.closeAt },
    pickupAddress: pickup.address,
    packageCount: pickup.packageCount,
    totalWeight: pickup.totalWeight,
    instructions: pickup.instructions,
    cancelBy: pickup.cancelBy,
    isCancellable: isCancellable(pickup, now),
    fee: pickup.chargeCents === null ? null : { amount: pickup.chargeCents / 100, currency: "USD" },
    messages: pickup.messages,
    failure: pickup.failure,
    isAssumed: pickup.isAssumed,
    isChanging: pickup.cancelRequestedAt !== null || pickup.previous !== null,
    cancelReason: pickup.cancelReason,
    cancelledAt: pickup.cancelledAt,
    history: pickup.history,
    createdAt: pickup.createdAt,
    updatedAt: pickup.updatedAt,
    version: pickup.version,
  };
}
