import { PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import { listSlots } from "./list-slots.ts";
import * as shapes from "./pickups.schemas.ts";
import * as pickups from "./pickups.ts";

const ids = { id: "pickup" } as const;
const rules =
  "Checked before the carrier hears of it, each with a code of its own and the next window it would take " +
  "(`nextAvailable`): the window, the cut-off, days of service, holidays, days ahead, packages, weight, PO boxes. " +
  "All times are those of the pickup address.";

export const pickupRoutes = [
  defineRoute("GET /pickups", {
    name: "pickups.list",
    scope: "pickups:read",
    summary: "List pickups, the latest window first",
    query: shapes.PickupQuery,
    answer: [200, PageOf(shapes.Pickup)],
    handle: (ctx, { query }) => pickups.listPickups(ctx, query),
  }),
  defineRoute("POST /pickups", {
    name: "pickups.create",
    scope: "pickups:write",
    summary: "Schedule a pickup",
    description: `${rules} A carrier that does not answer leaves the pickup \`requested\`; the hub asks again, and it is booked once.`,
    body: shapes.PickupRequest,
    answer: [201, shapes.Pickup],
    failures: [404, 409, 502],
    handle: (ctx, { body }) => pickups.schedulePickup(ctx, body),
  }),
  defineRoute("POST /pickups/check", {
    name: "pickups.check",
    scope: "pickups:read",
    summary: "Tell whether a pickup would be taken, and the next window that would; nobody is asked",
    description: rules,
    query: shapes.CheckQuery,
    body: shapes.PickupRequest,
    isReadOnly: true,
    answer: [200, shapes.CheckAnswer],
    failures: [404, 409],
    handle: (ctx, { body, query }) => pickups.checkPickupRequest(ctx, body, query.moving),
  }),
  defineRoute("GET /pickups/slots", {
    name: "pickups.slots.list",
    scope: "pickups:read",
    summary: "Tell for each day whether the carrier would come to a location, and when; nobody is asked",
    description: "By the rules of `POST /pickups/check` for days and hours, in the time of the location.",
    query: shapes.SlotQuery,
    answer: [200, shapes.SlotsAnswer],
    failures: [404, 409],
    handle: (ctx, { query }) => listSlots(ctx, query),
  }),
  defineRoute("GET /pickups/:id", {
    name: "pickups.get",
    scope: "pickups:read",
    summary: "Read a pickup",
    ids,
    answer: [200, shapes.Pickup],
    handle: (ctx, { params }) => pickups.getPickup(ctx, params.id),
  }),
  defineRoute("PATCH /pickups/:id", {
    name: "pickups.update",
    scope: "pickups:write",
    summary: "Move a scheduled pickup: another one is booked, then the former is called off",
    description:
      "What is not named stays, also the hours when only the day changes. When the carrier refuses, all is as it was. " +
      "`confirmationNumber` alone writes down that somebody has called a carrier that the hub does not tell.",
    ids,
    body: shapes.PickupPatch,
    answer: [200, shapes.Pickup],
    failures: [409, 412, 502],
    handle: (ctx, { params, body, ifMatch }) => pickups.reschedulePickup(ctx, params.id, body, ifMatch),
  }),
  defineRoute("POST /pickups/:id/retry", {
    name: "pickups.retry",
    scope: "pickups:write",
    summary: "Ask the carrier once more for a pickup that failed without an answer",
    description:
      "For those with the failure `outcome_unknown`. What the carrier has booked after all is not booked twice.",
    ids,
    answer: [200, shapes.Pickup],
    failures: [409, 502],
    handle: (ctx, { params }) => pickups.retryPickup(ctx, params.id),
  }),
  defineRoute("DELETE /pickups/:id", {
    name: "pickups.delete",
    scope: "pickups:write",
    summary: "Cancel a pickup; a cancelled one answers the same again",
    ids,
    query: shapes.CancelQuery,
    answer: [200, shapes.Pickup],
    failures: [409, 502],
    handle: (ctx, { params, query }) => pickups.cancelPickup(ctx, params.id, query.reason),
  }),
];
