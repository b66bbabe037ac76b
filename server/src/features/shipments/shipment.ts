import { addBusinessTime, foreignDays, workingDaysOf } from "../../core/business-time.ts";
import { countryOfAddress, endOfLocalDate, localDateOf, zoneOfAddress } from "../../core/time-zones.ts";
import { servicePromise } from "./service-promise.ts";
import type { ShipmentAnswer } from "./shipment-answers.schemas.ts";
import type { PromiseOutcome, RiskReason, ShipmentStatus } from "./shipments.states.ts";
import { movingStatuses, openStatuses, uncountedStatuses } from "./shipments.states.ts";
import type { Tracking } from "./tracking/tracking.ts";
import { track } from "./tracking/tracking.ts";

/** Derived and stored, but not returned. Each risk moment is when that reason starts if no further event arrives. */
type Moments = {
  promiseEndsAt: string | null;
  estimateEndsAt: string | null;
  lateAt: string | null;
  stalledAt: string | null;
  notAcceptedAt: string | null;
  /** Since when its status or the carrier's estimate alone is a risk. */
  flaggedAt: string | null;
  isPredictedLate: boolean;
  riskAt: string | null;
};

/** A stored shipment: the API fields without those computed per request. Times are ISO strings. */
export type Shipment = Omit<ShipmentAnswer, "isTrackingActive" | "atRisk" | "riskReasons" | "promiseOutcome"> & Moments;

/** The primary data of a shipment; everything else is derived from it. */
export type ShipmentFacts = Omit<Shipment, keyof Tracking | keyof Moments | "timezone">;

const hourMs = 3_600_000;
/** A parcel without a scan for this long is stalled; weekends and holidays do not count. */
const stallMs = { domestic: 48 * hourMs, international: 96 * hourMs };
/** A parcel without a first scan this long after the ship date is not accepted. */
const acceptanceMs = 24 * hourMs;

/** `now` caps moments that must not be in the future. */
export function derive(facts: ShipmentFacts, now: string): Shipment {
  const tracking: Tracking =
    facts.voidedAt === null ? track(facts.events) : { ...track(facts.events), ...voided(facts.voidedAt) };
  const timezone = (facts.destination && zoneOfAddress(facts.destination)) ?? "UTC";
  const promise = promiseOf(facts, tracking.acceptedAt, timezone);
  const { promisedDate } = promise;
  const promiseEndsAt = promisedDate === null ? null : endOfLocalDate(promisedDate, timezone);
  const estimateEndsAt =
    facts.estimatedAt === null ? null : endOfLocalDate(localDateOf(facts.estimatedAt, timezone), timezone);
  const risk = riskMoments(facts, tracking, { promiseEndsAt, estimateEndsAt }, timezone, now);
  return { ...facts, ...tracking, ...promise, timezone, promiseEndsAt, estimateEndsAt, ...risk };
}

type Promised = Pick<ShipmentFacts, "promisedDate" | "promiseSource" | "promiseRule">;

/** The explicit promise, or else the one implied by the service, which is derived anew each time. */
function promiseOf(facts: ShipmentFacts, acceptedAt: string | null, timezone: string): Promised {
  const { promisedAt, promisedDate, promiseSource } = facts;
  // Another promise may have taken the place of one with a rule.
  const promiseRule = promiseSource === "contract" || promiseSource === "quote" ? facts.promiseRule : null;
  if (promisedAt !== null) return { promisedDate: localDateOf(promisedAt, timezone), promiseSource, promiseRule };
  if (hasOwnPromise(facts)) return { promisedDate, promiseSource, promiseRule };
  const byService = servicePromise(facts, acceptedAt, timezone);
  if (!byService) return { promisedDate: null, promiseSource: null, promiseRule: null };
  return { ...byService, promiseSource: "service_level" };
}

/** Promised in the request, by the order, the contract or the carrier, rather than implied by the service. */
export function hasOwnPromise({ promiseSource }: Pick<ShipmentFacts, "promiseSource">): boolean {
  return promiseSource !== null && promiseSource !== "service_level";
}

function voided(at: string): Partial<Tracking> {
  return { status: "cancelled", statusAt: at, deliveredAt: null };
}

type Ends = Pick<Moments, "promiseEndsAt" | "estimateEndsAt">;
type Risk = Pick<Moments, "lateAt" | "stalledAt" | "notAcceptedAt" | "flaggedAt" | "isPredictedLate" | "riskAt">;

const noRisk: Risk = {
  lateAt: null,
  stalledAt: null,
  notAcceptedAt: null,
  flaggedAt: null,
  isPredictedLate: false,
  riskAt: null,
};

function riskMoments(facts: ShipmentFacts, tracking: Tracking, ends: Ends, timezone: string, now: string): Risk {
  const { status, statusAt, lastEventAt, acceptedAt } = tracking;
  if (!isTrackingActive(status)) return noRisk;
  const isMoving = movingStatuses.includes(status);
  // A parcel that is ready for pickup gets no further scans.
  const canStall = isMoving && status !== "ready_for_pickup" && lastEventAt !== null;
  const isPredictedLate = isLaterThanPromised(ends);
  const isAbroad = isInternational(facts);
  const working = isAbroad ? foreignDays : workingDaysOf(facts.carrier, facts.service);
  const originZone = (facts.origin && zoneOfAddress(facts.origin)) ?? timezone;
  const moments = {
    lateAt: ends.promiseEndsAt,
    stalledAt: canStall
      ? addBusinessTime(lastEventAt, isAbroad ? stallMs.international : stallMs.domestic, timezone, working)
      : null,
    notAcceptedAt: acceptedAt === null ? addBusinessTime(facts.shippedAt, acceptanceMs, originZone, working) : null,
    flaggedAt: isTroubled(status) || isPredictedLate ? earlier(isTroubled(status) ? statusAt : null, now) : null,
  };
  return { ...moments, isPredictedLate, riskAt: Object.values(moments).reduce(earlierOfBoth, null) };
}

function isTroubled(status: ShipmentStatus): boolean {
  return status === "exception" || status === "attempt_failed";
}

function isLaterThanPromised({ promiseEndsAt, estimateEndsAt }: Ends): boolean {
  return promiseEndsAt !== null && estimateEndsAt !== null && estimateEndsAt > promiseEndsAt;
}

function isInternational({ origin, destination }: ShipmentFacts): boolean {
  const [from, to] = [origin && countryOfAddress(origin), destination && countryOfAddress(destination)];
  return Boolean(from && to) && from !== to;
}

function earlier(at: string | null, now: string): string {
  return at !== null && at < now ? at : now;
}

function earlierOfBoth(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

export function isTrackingActive(status: ShipmentStatus): boolean {
  return openStatuses.includes(status);
}

/** Why the shipment is at risk now; empty if it is not. */
export function riskReasonsOf(shipment: Shipment, now: string): RiskReason[] {
  if (!isTrackingActive(shipment.status)) return [];
  const reasons: RiskReason[] = [];
  const hasBegun = (at: string | null): boolean => at !== null && at <= now;
  if (hasBegun(shipment.lateAt)) reasons.push("late");
  if (shipment.isPredictedLate) reasons.push("predicted_late");
  if (hasBegun(shipment.stalledAt)) reasons.push("stalled");
  if (shipment.status === "exception") reasons.push("exception");
  if (shipment.status === "attempt_failed") reasons.push("attempt_failed");
  if (hasBegun(shipment.notAcceptedAt)) reasons.push("not_accepted");
  return reasons;
}

/** What the shipment is in the on-time figures, as `delivery-terms.store.ts` counts it. */
export function promiseOutcomeOf(shipment: Shipment, now: string): PromiseOutcome {
  const { status, firstAttemptAt, promiseEndsAt, lateAt } = shipment;
  if (status === "cancelled" || status === "returned") return status;
  if (firstAttemptAt === null) return lateAt !== null && lateAt <= now ? "late" : "undecided";
  if (promiseEndsAt === null) return "no_promise";
  return firstAttemptAt < promiseEndsAt ? "on_time" : "late";
}

export const noSums = { delivered: 0, transitCount: 0, transitMs: 0, evaluated: 0, onTime: 0 };
export type Sums = typeof noSums;
/** What a shipment adds to the sums of the overview, per quarter of an hour: days of every time zone start at one. */
export type Contribution = Sums & { quarter: string };

const quarterMs = 15 * 60_000;

function quarterOf(at: string): string {
  return new Date(Math.floor(Date.parse(at) / quarterMs) * quarterMs).toISOString();
}

export function contributionsOf(shipment: Shipment): Contribution[] {
  const { status, deliveredAt, acceptedAt, firstAttemptAt, promiseEndsAt } = shipment;
  if (uncountedStatuses.includes(status)) return [];
  const found: Contribution[] = [];
  if (deliveredAt !== null) {
    const transitMs = acceptedAt === null ? 0 : Date.parse(deliveredAt) - Date.parse(acceptedAt);
    const transitCount = acceptedAt === null ? 0 : 1;
    found.push({ ...noSums, quarter: quarterOf(deliveredAt), delivered: 1, transitCount, transitMs });
  }
  if (firstAttemptAt !== null && promiseEndsAt !== null) {
    const onTime = firstAttemptAt < promiseEndsAt ? 1 : 0;
    found.push({ ...noSums, quarter: quarterOf(firstAttemptAt), evaluated: 1, onTime });
  }
  return found;
}

/** Tracking numbers are compared without spaces, dashes and case. */
export function trackingKeyOf(trackingNumber: string): string {
  return trackingNumber.replaceAll(/[\s-]/g, "").toUpperCase();
}

export function carrierKeyOf(carrier: string): string {
  return carrier.trim().toLowerCase();
}
