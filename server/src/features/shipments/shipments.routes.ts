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
      "The newest first; with a range of dates by that date, with atRisk the longest at risk first. `total` is counted up to 10,000.",
    query: answers.ShipmentQuery,
    answer: [200, answers.ShipmentPage],
    failures: [404, 409],
    handle: (ctx, { query }) => shipments.listShipments(ctx, query),
  }),
  defineRoute("POST /shipments", {
    name: "shipments.create",
    scope: "shipments:write",
    summary: "Record a shipment; the order it names stays as it is unless this was its last one to arrive",
    body: shapes.ShipmentRequest,
    answer: [201, answers.ShipmentAnswer],
    failures: [404, 409],
    handle: (ctx, { body }) => shipments.createShipment(ctx, body),
  }),
  defineRoute("POST /shipments/bulk", {
    name: "shipments.createMany",
    scope: "shipments:write",
    summary: "Record many shipments; one that cannot be recorded fails alone",
    body: shapes.BulkRequest,
    bodyLimitBytes: bulkBytes,
    answer: [200, answers.BulkAnswer],
    handle: (ctx, { body }) => shipments.createShipmentsInBulk(ctx, body.shipments),
  }),
  defineRoute("POST /shipments/import", {
    name: "shipments.import",
    scope: "shipments:write",
    summary: "Record shipments from a CSV file",
    description:
      "One row per shipment. Columns are recognised by their names in any spelling. " +
      "Dates: 2026-12-31, 12/31/2026 (the month first) or 31.12.2026, in the time zone of the organization unless they say otherwise.",
    body: shapes.ImportRequest,
    bodyLimitBytes: bulkBytes,
    offloadFromBytes: sheetHeavyFromBytes,
    answer: [200, answers.ImportAnswer],
    handle: (ctx, { body }) => shipments.importShipments(ctx, body),
  }),
  defineRoute("POST /shipments/events", {
    name: "shipments.events.createMany",
    scope: "shipments:write",
    summary: "Add tracking events by tracking number, in any order and as often as they come",
    description:
      "An event is known by its key: told again under it with another time or status, it is corrected. The status follows " +
      "from the set of events, not from their order of arrival.",
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
    summary: "Read a shipment with its events",
    ids,
    answer: [200, answers.ShipmentAnswer],
    handle: (ctx, { params }) => shipments.getShipment(ctx, params.id),
  }),
  defineRoute("PATCH /shipments/:id", {
    name: "shipments.update",
    scope: "shipments:write",
    summary: "Change a shipment",
    description:
      "A merge patch: objects are merged, null removes. An order that lists the shipment says the same then.",
    ids,
    body: shapes.ShipmentPatch,
    answer: [200, answers.ShipmentAnswer],
    failures: [409, 412],
    handle: (ctx, { params, body, ifMatch }) => shipments.updateShipment(ctx, params.id, body, ifMatch),
  }),
  defineRoute("POST /shipments/:id/void", {
    name: "shipments.void",
    scope: "shipments:write",
    summary: "Void a shipment whose label was not used",
    description:
      "An order that lists it takes it back: its quantities have not been shipped then. " +
      "The carrier is not told: `DELETE /shipments/labels/{id}` gives back a label that was bought here.",
    ids,
    answer: [200, answers.ShipmentAnswer],
    failures: [409, 412],
    handle: (ctx, { params, ifMatch }) => shipments.voidShipment(ctx, params.id, ifMatch),
  }),
  defineRoute("POST /shipments/:id/track", {
    name: "shipments.track",
    scope: "shipments:write",
    summary: "Ask the carrier now where a shipment is",
    description:
      "Through the first active account with the shipment's carrier, if that carrier can track. The hub asks about open " +
      "shipments by itself, too: every 30 minutes, and once a day when nothing was heard for two weeks.",
    ids,
    answer: [200, answers.TrackAnswer],
    failures: [409, 502],
    handle: (ctx, { params }) => shipments.trackShipment(ctx, params.id),
  }),
  defineRoute("POST /shipments/:id/events", {
    name: "shipments.events.create",
    scope: "shipments:write",
    summary: "Add a tracking event, or correct the one under its key; one that is known already changes nothing",
    ids,
    body: shapes.EventRequest,
    answer: [200, answers.ShipmentAnswer],
    failures: [409],
    handle: (ctx, { params, body }) => shipments.addEvent(ctx, params.id, body),
  }),
  defineRoute("DELETE /shipments/:id/events/:key", {
    name: "shipments.events.delete",
    scope: "shipments:write",
    summary: "Take a tracking event back: it did not happen",
    description:
      "It stays in the list with `retractedAt`, and counts no more; an order that was delivered by it is on its way again. " +
      "The same report once more changes nothing; one under the same key that says something else counts.",
    ids,
    answer: [200, answers.ShipmentAnswer],
    handle: (ctx, { params }) => shipments.retractEvent(ctx, params.id, params.key),
  }),
];
