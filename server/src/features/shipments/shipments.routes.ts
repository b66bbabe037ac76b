import { defineRoute } from "../../route.ts";
import { sheetHeavyFromBytes } from "../../core/csv/import-shapes.ts";
import * as answers from "./shipment-answers.schemas.ts";
import * as shapes from "./shipments.schemas.ts";
import * as shipments from "./shipments.ts";

const ids = { id: "shipment" } as const;
const bulkBytes = 32 * 1024 * 1024;

export const shipmentRoutes = [
  defineRoute("GET /shipments", {
    name: "shipments.list",
    scope: "shipments:read",
    summary: "List shipments",
    description:
      "Newest first; with a date range, by that date; with `atRisk`, the longest at risk first. `total` is counted up to 10,000.",
    query: answers.ShipmentQuery,
    answer: [200, answers.ShipmentPage],
    failures: [404, 409],
    handle: (ctx, { query }) => shipments.listShipments(ctx, query),
  }),
  defineRoute("POST /shipments", {
    name: "shipments.create",
    scope: "shipments:write",
    summary: "Create a shipment",
    description: "The order stays unchanged, unless this was its last undelivered shipment.",
    body: shapes.ShipmentRequest,
    answer: [201, answers.ShipmentAnswer],
    failures: [404, 409],
    handle: (ctx, { body }) => shipments.createShipment(ctx, body),
  }),
  defineRoute("POST /shipments/bulk", {
    name: "shipments.createMany",
    scope: "shipments:write",
    summary: "Create shipments in bulk",
    description: "Each shipment succeeds or fails on its own.",
    body: shapes.BulkRequest,
    bodyLimitBytes: bulkBytes,
    answer: [200, answers.BulkAnswer],
    handle: (ctx, { body }) => shipments.createShipmentsInBulk(ctx, body.shipments),
  }),
  defineRoute("POST /shipments/import", {
    name: "shipments.import",
    scope: "shipments:write",
    summary: "Import shipments from a CSV file",
    description:
      "One row per shipment. Columns are detected by their names in any spelling. " +
      "Dates: 2026-12-31, 12/31/2026 (month first) or 31.12.2026, in the organization's time zone unless they carry an offset.",
    body: shapes.ImportRequest,
    bodyLimitBytes: bulkBytes,
    offloadFromBytes: sheetHeavyFromBytes,
    answer: [200, answers.ImportAnswer],
    handle: (ctx, { body }) => shipments.importShipments(ctx, body),
  }),
  defineRoute("POST /shipments/events", {
    name: "shipments.events.createMany",
    scope: "shipments:write",
    summary: "Add tracking events in bulk",
    description:
      "Events are matched to shipments by tracking number. An event is identified by its key: sent again with another time or " +
      "status, it is corrected. The shipment's status follows from the set of events, not from their order of arrival.",
    body: shapes.BulkEventsRequest,
    bodyLimitBytes: bulkBytes,
    answer: [200, answers.BulkEventsAnswer],
    handle: (ctx, { body }) => shipments.addEventsInBulk(ctx, body.events),
  }),
  defineRoute("GET /shipments/counts", {
    name: "shipments.count",
    scope: "shipments:read",
    summary: "Count shipments by status",
    answer: [200, answers.ShipmentCounts],
    handle: (ctx) => shipments.countShipments(ctx),
  }),
  defineRoute("GET /shipments/:id", {
    name: "shipments.get",
    scope: "shipments:read",
    summary: "Get a shipment with its tracking events",
    ids,
    answer: [200, answers.ShipmentAnswer],
    handle: (ctx, { params }) => shipments.getShipment(ctx, params.id),
  }),
  defineRoute("PATCH /shipments/:id", {
    name: "shipments.update",
    scope: "shipments:write",
    summary: "Update a shipment",
    description:
      "A merge patch: objects are merged, null removes. An order that lists the shipment is updated as well.",
    ids,
    body: shapes.ShipmentPatch,
    answer: [200, answers.ShipmentAnswer],
    failures: [409, 412],
    handle: (ctx, { params, body, ifMatch }) => shipments.updateShipment(ctx, params.id, body, ifMatch),
  }),
  defineRoute("POST /shipments/:id/void", {
    name: "shipments.void",
    scope: "shipments:write",
    summary: "Void a shipment",
    description:
      "For a label that was not used. The order no longer lists the shipment, and its quantities count as unshipped. " +
      "The carrier is not notified; use `DELETE /shipments/labels/{id}` to void a label that was purchased here.",
    ids,
    answer: [200, answers.ShipmentAnswer],
    failures: [409, 412],
    handle: (ctx, { params, ifMatch }) => shipments.voidShipment(ctx, params.id, ifMatch),
  }),
  defineRoute("POST /shipments/:id/track", {
    name: "shipments.track",
    scope: "shipments:write",
    summary: "Fetch tracking from the carrier now",
    description:
      "Uses the first active account of the shipment's carrier that supports tracking. The hub also polls undelivered " +
      "shipments every 30 minutes, or once a day after two weeks without a tracking event.",
    ids,
    answer: [200, answers.TrackAnswer],
    failures: [409, 502],
    handle: (ctx, { params }) => shipments.trackShipment(ctx, params.id),
  }),
  defineRoute("POST /shipments/:id/events", {
    name: "shipments.events.create",
    scope: "shipments:write",
    summary: "Add or correct a tracking event",
    description: "An event with a known key corrects that event; an identical event changes nothing.",
    ids,
    body: shapes.EventRequest,
    answer: [200, answers.ShipmentAnswer],
    failures: [409],
    handle: (ctx, { params, body }) => shipments.addEvent(ctx, params.id, body),
  }),
  defineRoute("DELETE /shipments/:id/events/:eventKey", {
    name: "shipments.events.delete",
    scope: "shipments:write",
    summary: "Retract a tracking event",
    description:
      "The event stays listed with `retractedAt` and no longer counts; an order it had delivered returns to its previous status. " +
      "The same report sent again changes nothing; a different report with the same key counts.",
    ids,
    answer: [200, answers.ShipmentAnswer],
    handle: (ctx, { params }) => shipments.retractEvent(ctx, params.id, params.eventKey),
  }),
];
