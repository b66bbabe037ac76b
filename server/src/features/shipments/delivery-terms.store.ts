import type { Condition } from "../../db/list-page.ts";
import type { LeftOutReason } from "./shipments.states.ts";
import { uncountedStatuses } from "./shipments.states.ts";

// The definition of the delivery figures as SQL. Overview, series, reports and lists use these expressions and no others, so that
// every figure is the number of shipments in its list. `promiseOutcomeOf` says the same for one shipment.

/** As in the expression indexes of shipments. */
const serviceKey = "lower(service)";
const stateKey = "upper(coalesce(destination ->> 'provinceCode', destination ->> 'province'))";
const laneKey = `(upper(coalesce(origin ->> 'provinceCode', origin ->> 'province')) || '-' || ${stateKey})`;

/** When the promise was kept or missed, or the parcel dropped out: as in the index shipments_by_outcome. */
export const outcomeAt =
  "(case when status in ('cancelled', 'returned') then status_at else coalesce(first_attempt_at, late_at) end)";

export const isUncounted = `status in (${uncountedStatuses.map((status) => `'${status}'`).join(", ")})`;
/** First delivery attempt on or before the promised day. */
export const isKept = "coalesce(first_attempt_at < promise_ends_at, false)";
/** `late_at` is the end of the promised day while the parcel is on its way. `now`: an SQL value. */
export const isDecided = (now: string): string =>
  `promise_ends_at is not null and not ${isUncounted} and (first_attempt_at is not null or late_at <= ${now})`;

/** Why a shipment is in none of the on-time figures, or not in the average transit time (`no_first_scan`). `?` is now. */
const leftOutTerms: Record<LeftOutReason, string> = {
  no_promise: `not ${isUncounted} and promise_ends_at is null and first_attempt_at is not null`,
  cancelled: "status = 'cancelled'",
  returned: "status = 'returned'",
  undecided: `not ${isUncounted} and first_attempt_at is null and (late_at is null or late_at > ?)`,
  no_first_scan: `not ${isUncounted} and delivered_at is not null and accepted_at is null`,
};

export function isLeftOut(reasons: LeftOutReason[], now: string): Condition {
  const term = `(${reasons.map((reason) => `(${leftOutTerms[reason]})`).join(" or ")})`;
  return reasons.includes("undecided") ? [term, now] : term;
}

/** What figures are grouped by. */
export const groupKeys = {
  carrier: "carrier_key",
  service: serviceKey,
  account: "carrier_account_id::text",
  lane: laneKey,
  zone: "zone",
  state: stateKey,
  // That of the order now. Orders are found by their primary key.
  location: "(select o.location_id::text from orders o where o.id = shipments.order_id)",
};
export type GroupKey = keyof typeof groupKeys;

/** The same names for reports and lists; an empty value selects shipments without one. */
export type PartFilter = {
  carrier?: string;
  service?: string;
  carrierAccountId?: string;
  lane?: string;
  zone?: string;
  state?: string;
  locationId?: string;
};

/** `table`: name of the table of shipments in the statement. */
export function partConditions(filter: PartFilter, table: "s" | "shipments"): Condition[] {
  const { carrier, service, carrierAccountId, lane, zone, state, locationId } = filter;
  return [
    isOneOf("carrier_key", carrier?.trim().toLowerCase()),
    isOneOf(serviceKey, service?.toLowerCase()),
    carrierAccountId === "" ? "carrier_account_id is null" : ["carrier_account_id = ?", carrierAccountId],
    isOneOf("zone", zone),
    isOneOf(laneKey, lane?.toUpperCase()),
    isOneOf(stateKey, state?.toUpperCase()),
    // Implied by a lane or a state, but the planner cannot prove it and would not use shipments_by_lane and shipments_by_state.
    ...(lane ? ["origin is not null"] : []),
    ...(lane || state ? ["destination is not null"] : []),
    isAtLocation(locationId, table),
  ];
}

function isOneOf(column: string, wanted: string | undefined): Condition {
  return wanted === "" ? `coalesce(${column}, '') = ''` : [`${column} = ?`, wanted];
}

/** The location of the order now. */
function isAtLocation(locationId: string | undefined, table: string): Condition {
  const located = `exists (select from orders o where o.id = ${table}.order_id and o.location_id`;
  return locationId === "" ? `not ${located} is not null)` : [`${located} = ?)`, locationId];
}
