import type { CompletePickupRules } from "../../carriers/seam/pickup-rules.ts";
import type { Address } from "../../core/address.ts";
import { addressKeyOf } from "../../core/address-key.ts";
import type { FieldError } from "../../core/errors.ts";
import { badField, HubError, validationFailed } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest.ts";
import { countryOfAddress, isTimeZone, zoneOfAddress } from "../../core/time-zones.ts";
import type { Ctx } from "../../context.ts";
import type { OpenCarrier } from "../carrier-accounts/open-carrier.ts";
import { openCarrier } from "../carrier-accounts/open-carrier.ts";
import { getLocation } from "../locations/locations.ts";
import type { Checked } from "./check-pickup.ts";
import { checkPickup } from "./check-pickup.ts";
import type { Booking, Pickup } from "./pickup.ts";
import type { Load } from "./pickup-load.ts";
import { findLoad } from "./pickup-load.ts";
import type { LocalWindow } from "./pickup-window.ts";
import { momentAt, readDate, readTime, toOffsetText } from "./pickup-window.ts";
import type { PickupRequest, Slot } from "./pickups.schemas.ts";
import * as store from "./pickups.store.ts";

/** A checked request; the carrier is not called yet. */
export type Planned = {
  open: OpenCarrier;
  booking: Booking;
  checked: Checked;
  load: Load;
  next: Slot | null;
  /** Another pickup on that day, unless duplicates are allowed. */
  existingId: string | undefined;
};

type Where = Pick<PickupRequest, "carrierAccountId" | "pickupAddress" | "locationId" | "timezone">;

/** The carrier, rules, address and time zone of a pickup. Throws for unknown accounts and addresses without a time zone. */
export async function findPlace(ctx: Ctx, request: Where) {
  const open = await openCarrier(ctx, request.carrierAccountId);
  const { account, carrier } = open;
  if (!account.isActive) throw new HubError("carrier_account_inactive", `${account.name} is not active.`);
  if (!carrier.schedulePickup) throw new HubError("invalid_state", `${carrier.title} does not support pickups.`);
  const rules = { ...carrier.pickupRules, ...account.pickupRules } as CompletePickupRules;
  const address = await findAddress(ctx, request);
  const timezone = findZone(address, request.timezone);
  const now = Temporal.Instant.fromEpochMilliseconds(ctx.clock.now().getTime());
  return { open, rules, address, timezone, now };
}

/** Throws for requests that cannot be checked: unknown places and malformed times. */
export async function planPickup(ctx: Ctx, request: PickupRequest, former?: Pickup): Promise<Planned> {
  const { open, rules, address, timezone, now } = await findPlace(ctx, request);
  const { account } = open;
  const window = readWindow(request, rules, timezone);
  const load = await findLoad(ctx, request, { open, address, day: window.date }, former);
  const { packageCount, totalWeight, handoverGroup } = load;
  const booking = toBooking({ ...request, ...load }, address, timezone, window, rules, (former?.revision ?? 0) + 1);
  const taken = booking.isDuplicateAllowed
    ? new Map<string, string>()
    : await store.findTakenDays(ctx.db, ctx.orgId, account.id, booking.addressKey, former?.id, handoverGroup);
  const place = { rules, zone: timezone, now, takenDays: new Set(taken.keys()) };
  const found = checkPickup({ window, packageCount, totalWeight, address }, place);
  const checked = { ...found, errors: [...load.errors, ...found.errors] };
  booking.messages = checked.warnings.map(({ message }) => message);
  const next = checked.next && toSlot(checked.next, timezone);
  return { open, checked, load, next, booking, existingId: taken.get(booking.pickupDate) };
}

/** Throws if the request violates a rule or duplicates a pickup, with the next available window. */
export function refuseViolations({ checked, next, existingId }: Planned): void {
  if (checked.errors.length > 0) {
    const { message, details } = validationFailed(checked.errors);
    throw new HubError("validation_failed", message, { ...details, extra: { nextAvailable: next } });
  }
  if (existingId !== undefined) throw pickupExists(existingId, next);
}

export function pickupExists(existingId: string | undefined, next: Slot | null): HubError {
  const problem = existsError(existingId, next);
  const extra = { existingId: existingId ?? null, nextAvailable: next };
  return new HubError("pickup_exists", problem.message, { errors: [problem], extra });
}

export function existsError(existingId: string | undefined, next: Slot | null): FieldError {
  const message = `This carrier already has a pickup at this address on that day (${existingId ?? "another pickup"}).`;
  const suggestion = next && { suggestion: next.pickupDate };
  return { pointer: "/pickupDate", code: "pickup_exists", message, ...suggestion };
}

async function findAddress(ctx: Ctx, { pickupAddress, locationId }: Where): Promise<Address> {
  const location = locationId === undefined ? undefined : await getLocation(ctx, locationId);
  const address = pickupAddress ?? location?.address;
  if (!address) throw badField("/pickupAddress", "required", "`pickupAddress` or `locationId` is required.");
  const at = pickupAddress ? "/pickupAddress" : "/locationId";
  const missing = (["address1", "city"] as const).filter((field) => !address[field]?.trim());
  const country = countryOfAddress(address);
  const errors: FieldError[] = missing.map((field) => needed(`${at}/${field}`));
  if (country === undefined && zoneOfAddress(address) === undefined) errors.push(needed(`${at}/countryCode`));
  if (country === "US" && !/^\d{5}(-\d{4})?$/.test(address.zip?.trim() ?? "")) {
    errors.push({ pointer: `${at}/zip`, code: "invalid_zip", message: "A US ZIP has five or nine digits." });
  }
  if (errors.length > 0) throw validationFailed(errors);
  return address;
}

function needed(pointer: string): FieldError {
  return { pointer, code: "required", message: "The driver needs this to find the address." };
}

function findZone(address: Address, wanted: string | undefined): string {
  if (wanted !== undefined) {
    if (isTimeZone(wanted)) return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(wanted).timeZoneId;
    const suggestion = nearestName(wanted, Intl.supportedValuesOf("timeZone"));
    const message = "Unknown time zone; use an IANA name such as America/New_York.";
    throw badField("/timezone", "unknown_timezone", message, { suggestion });
  }
  const zone = zoneOfAddress(address);
  if (zone !== undefined) return zone;
  const message = "The time zone cannot be derived from the address; set it, for example to America/Toronto.";
  throw badField("/timezone", "timezone_needed", message);
}

function readWindow(request: PickupRequest, rules: CompletePickupRules, zone: string): LocalWindow {
  const errors: FieldError[] = [];
  const date = readDate(request.pickupDate, zone);
  if ("error" in date) throw validationFailed([date.error]);
  const read = (field: "readyTime" | "closeTime", fallback: string): Temporal.PlainTime => {
    const text = request[field];
    const whole = Temporal.PlainTime.from(fallback);
    if (text === undefined) {
      const message = "The carrier requires a window: readyTime and closeTime.";
      if (rules.requiresWindow) errors.push({ pointer: `/${field}`, code: "required", message });
      return whole;
    }
    const time = readTime(`/${field}`, text, date.value, zone);
    if ("value" in time) return time.value;
    errors.push(time.error);
    return whole;
  };
  const [ready, close] = [read("readyTime", rules.earliestReadyTime), read("closeTime", rules.latestCloseTime)];
  if (errors.length > 0) throw validationFailed(errors);
  return { date: date.value, ready, close };
}

export function toBooking(
  request: Pick<PickupRequest, "locationId" | "instructions" | "allowDuplicate"> & Omit<Load, "errors">,
  address: Address,
  timezone: string,
  { date, ready, close }: LocalWindow,
  rules: CompletePickupRules,
  revision: number,
): Booking {
  const readyAt = momentAt(date, ready, timezone);
  return {
    locationId: request.locationId?.toLowerCase() ?? null,
    address,
    addressKey: addressKeyOf(address),
    timezone,
    pickupDate: date.toString(),
    readyAt: toIso(readyAt),
    closeAt: toIso(momentAt(date, close, timezone)),
    packageCount: request.packageCount,
    totalWeight: request.totalWeight ?? null,
    labelCount: request.labels.length,
    handoverGroup: request.handoverGroup,
    instructions: request.instructions ?? null,
    isDuplicateAllowed: request.allowDuplicate ?? false,
    cancelBy: toIso(readyAt.subtract({ minutes: rules.cancelDeadlineMinutes })),
    confirmationNumber: null,
    chargeCents: null,
    chargeCurrency: null,
    messages: [],
    carrierData: null,
    revision,
  };
}

function toIso(moment: Temporal.ZonedDateTime): string {
  return new Date(moment.epochMilliseconds).toISOString();
}

export function toSlot({ date, ready, close }: LocalWindow, timezone: string): Slot {
  return {
    pickupDate: date.toString(),
    readyTime: toOffsetText(momentAt(date, ready, timezone)),
    closeTime: toOffsetText(momentAt(date, close, timezone)),
    timezone,
  };
}
