import { PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import { listSlots } from "./list-slots.ts";
import * as shapes from "./pickups.schemas.ts";
import * as pickups from "./pickups.ts";

const ids = { id: "pickup" } as const;
const rules =
  "Checked before the carrier is called, each rule with its own error code and the next possible window " +
  "(`nextAvailable`): window, cut-off, service days, holidays, days ahead, packages, weight, PO boxes. " +
  "All times are local to the pickup address.";

export const pickupRoutes = [
  defineRoute("GET /pickups", {
    name: "pickups.list",
    scope: "pickups:read",
    summary: "List pickups",
    query: shapes.PickupQuery,
    answer: [200, PageOf(shapes.Pickup)],
    handle: (ctx, { query }) => pickups.listPickups(ctx, query),
  }),
  defineRoute("POST /pickups", {
    name: "pickups.create",
    scope: "pickups:write",
    summary: "Schedule a pickup",
    description: `${rules} If the carrier does not respond, the pickup stays \`requested\` and the hub retries with the same key, so that it is booked once.`,
    body: shapes.PickupRequest,
    answer: [201, shapes.Pickup],
    failures: [404, 409, 502],
    handle: (ctx, { body }) => pickups.schedulePickup(ctx, body),
  }),
  defineRoute("POST /pickups/check", {
    name: "pickups.check",
    scope: "pickups:read",
    summary: "Check pickup availability without booking",
    description: `The carrier is not called. ${rules}`,
    query: shapes.CheckQuery,
    body: shapes.PickupRequest,
    isReadOnly: true,
    answer: [200, shapes.CheckAnswer],
    failures: [404, 409],
    handle: (ctx, { body, query }) => pickups.checkPickupRequest(ctx, body, query.excludePickupId),
  }),
  defineRoute("GET /pickups/slots", {
    name: "pickups.slots.list",
    scope: "pickups:read",
    summary: "List available pickup windows by day",
    description:
      "Applies the day and time rules of `POST /pickups/check`, in the location's time zone. The carrier is not called.",
    query: shapes.SlotQuery,
    answer: [200, shapes.SlotsAnswer],
    failures: [404, 409],
    handle: (ctx, { query }) => listSlots(ctx, query),
  }),
  defineRoute("GET /pickups/:id", {
    name: "pickups.get",
    scope: "pickups:read",
    summary: "Get a pickup",
    ids,
    answer: [200, shapes.Pickup],
    handle: (ctx, { params }) => pickups.getPickup(ctx, params.id),
  }),
  defineRoute("PATCH /pickups/:id", {
    name: "pickups.update",
    scope: "pickups:write",
    summary: "Reschedule a pickup",
    description:
      "Books the new window, then cancels the previous one. Omitted fields keep their values, including the hours when only " +
      "the day changes. If the carrier rejects the change, nothing changes. `confirmationNumber` alone records a pickup that " +
      "was arranged by phone, for carriers the hub does not contact.",
    ids,
    body: shapes.PickupPatch,
    answer: [200, shapes.Pickup],
    failures: [409, 412, 502],
    handle: (ctx, { params, body, ifMatch }) => pickups.reschedulePickup(ctx, params.id, body, ifMatch),
  }),
  defineRoute("POST /pickups/:id/retry", {
    name: "pickups.retry",
    scope: "pickups:write",
    summary: "Retry a pickup request that got no response",
    description:
      "For pickups with the failure `outcome_unknown`. Sent with the same key, so a pickup that was already booked is not booked again.",
    ids,
    answer: [200, shapes.Pickup],
    failures: [409, 502],
    handle: (ctx, { params }) => pickups.retryPickup(ctx, params.id),
  }),
  defineRoute("DELETE /pickups/:id", {
    name: "pickups.delete",
    scope: "pickups:write",
    summary: "Cancel a pickup",
    description: "Cancelling a cancelled pickup returns it unchanged.",
    ids,
    query: shapes.CancelQuery,
    answer: [200, shapes.Pickup],
    failures: [409, 502],
    handle: (ctx, { params, query }) => pickups.cancelPickup(ctx, params.id, query.reason),
  }),
];
