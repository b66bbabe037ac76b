import { createHash } from "node:crypto";
import { canMove } from "../../../core/states.ts";
import type { EventStatus, ShipmentStatus } from "../shipments.states.ts";
import { eventMeanings, eventStatuses, shipmentMoves } from "../shipments.states.ts";

/** A tracking event, identified by its `key`. */
export type TrackingEvent = {
  key: string;
  at: string;
  status: EventStatus;
  description: string | null;
  location: string | null;
  /** The carrier's own status, if it differs. */
  carrierStatus: string | null;
  /** When the event was retracted. It is kept, so that the same report sent again does not restore it. */
  retractedAt?: string;
};

/** The state of a parcel, derived from its events. */
export type Tracking = {
  status: ShipmentStatus;
  /** Since when it has this status; null without any event. */
  statusAt: string | null;
  acceptedAt: string | null;
  firstAttemptAt: string | null;
  deliveredAt: string | null;
  lastEventAt: string | null;
};

const rankOf = new Map(eventStatuses.map((status, rank) => [status, rank]));

/** A total order, so that the result does not depend on the order of arrival. */
function compareEvents(a: TrackingEvent, b: TrackingEvent): number {
  const byTime = Date.parse(a.at) - Date.parse(b.at);
  if (byTime !== 0) return byTime;
  const byRank = rankOf.get(a.status)! - rankOf.get(b.status)!;
  if (byRank !== 0) return byRank;
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/** Whether a reported event is new, corrects a known one, or repeats it. */
export type ReportOutcome = "added" | "corrected" | "duplicate";

/**
 * Merges known and reported events in chronological order. A report with a known key and other content corrects the event:
 * the last report wins. An identical report is a duplicate, also of a retracted event.
 */
export function mergeEvents(
  known: readonly TrackingEvent[],
  given: readonly TrackingEvent[],
): { events: TrackingEvent[]; outcomes: Map<TrackingEvent, ReportOutcome>; isChanged: boolean } {
  const events = new Map(known.map((event) => [event.key, event]));
  const outcomes = new Map<TrackingEvent, ReportOutcome>();
  let isChanged = false;
  for (const event of given) {
    const twin = events.get(event.key);
    // Keys derived from content identify the event, even if another source uses another carrier status for it.
    const isSame = twin !== undefined && (isKeyOfContent(event.key) || textOf(twin) === textOf(event));
    if (!outcomes.has(event)) outcomes.set(event, isSame ? "duplicate" : twin === undefined ? "added" : "corrected");
    if (isSame) continue;
    events.set(event.key, event);
    isChanged = true;
  }
  return { events: isChanged ? [...events.values()].toSorted(compareEvents) : [...known], outcomes, isChanged };
}

function textOf({ at, status, description, location, carrierStatus }: TrackingEvent): string {
  return JSON.stringify([at, status, description, location, carrierStatus]);
}

/** Depends only on the set of events, not on the order or number of their arrivals. */
export function track(events: readonly TrackingEvent[]): Tracking {
  const result: Tracking = {
    status: "pre_transit",
    statusAt: null,
    acceptedAt: null,
    firstAttemptAt: null,
    deliveredAt: null,
    lastEventAt: null,
  };
  const happened = events.filter(({ retractedAt }) => retractedAt === undefined);
  for (const { at, status: said } of happened.toSorted(compareEvents)) {
    const { status, isAcceptance, isAttempt } = eventMeanings[said];
    result.lastEventAt = at;
    // A late scan after the delivery does not count as acceptance.
    if (isAcceptance && result.deliveredAt === null) result.acceptedAt ??= at;
    if (isAttempt) result.firstAttemptAt ??= at;
    // A status that is not understood changes nothing that is known.
    const isNews = status !== "unknown" || result.statusAt === null;
    if (isNews && status !== result.status && canMove(shipmentMoves, result.status, status)) {
      result.status = status;
      result.statusAt = at;
      if (status === "delivered") result.deliveredAt = at;
    } else if (status === result.status) result.statusAt ??= at;
  }
  // A parcel that was returned to its sender was not delivered.
  if (result.status !== "delivered") result.deliveredAt = null;
  return result;
}

const contentKey = "h:";

export function isKeyOfContent(key: string): boolean {
  return key.startsWith(contentKey);
}

/** The key of an event that was sent without one, derived from its content. */
export function keyOfEvent(event: Omit<TrackingEvent, "key">): string {
  const { at, status, description, location } = event;
  const text = JSON.stringify([new Date(at).toISOString(), status, description, location]);
  return `${contentKey}${createHash("sha256").update(text).digest("base64url").slice(0, 22)}`;
}
