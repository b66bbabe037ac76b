import { PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./packing.schemas.ts";
import * as packing from "./packing.ts";

const ids = { id: "packing_session" } as const;

export const packingRoutes = [
  defineRoute("POST /packing/scans", {
    name: "packing.scans.create",
    scope: "orders:write",
    summary: "Scan an item or an order",
    description:
      "With `sessionId`, a SKU or variant ID counts one unit of the order; letter case and leading zeros of GTINs are ignored, and GS1 " +
      "codes are read. Any other code opens the packing session of the order with this number, ID or tracking number. Items that are not " +
      "needed are refused: `wrong_item`, `too_many_items`, `item_not_needed`. `packing_in_progress`: another packer has the order. " +
      "Send an `Idempotency-Key` for each scan: a repeated request counts once.",
    body: shapes.ScanRequest,
    answer: [200, shapes.ScanAnswer],
    failures: [404, 409],
    handle: (ctx, { body }) => packing.scanCode(ctx, body),
  }),
  defineRoute("GET /packing/stats", {
    name: "packing.stats.get",
    scope: "orders:read",
    summary: "Get the orders packed today",
    answer: [200, shapes.PackingStats],
    handle: (ctx) => packing.getStats(ctx),
  }),
  defineRoute("GET /packing/sessions", {
    name: "packing.sessions.list",
    scope: "orders:read",
    summary: "List packing sessions",
    query: shapes.SessionQuery,
    answer: [200, PageOf(shapes.PackingSession)],
    failures: [404, 409],
    handle: (ctx, { query }) => packing.listSessions(ctx, query),
  }),
  defineRoute("GET /packing/sessions/:id", {
    name: "packing.sessions.get",
    scope: "orders:read",
    summary: "Get a packing session",
    ids,
    answer: [200, shapes.PackingSession],
    handle: (ctx, { params }) => packing.getSession(ctx, params.id),
  }),
  defineRoute("PATCH /packing/sessions/:id", {
    name: "packing.sessions.update",
    scope: "orders:write",
    summary: "Set the box or weight of a package",
    ids,
    body: shapes.SessionPatch,
    answer: [200, shapes.PackingSession],
    failures: [409, 412],
    handle: (ctx, { params, body, ifMatch }) => packing.updateSession(ctx, params.id, body, ifMatch),
  }),
  defineRoute("POST /packing/sessions/:id/items", {
    name: "packing.sessions.items.add",
    scope: "orders:write",
    summary: "Count items without a barcode",
    ids,
    body: shapes.CountRequest,
    answer: [200, shapes.PackingSession],
    failures: [409],
    handle: (ctx, { params, body }) => packing.countByHand(ctx, params.id, body),
  }),
  defineRoute("POST /packing/sessions/:id/undo", {
    name: "packing.sessions.undo",
    scope: "orders:write",
    summary: "Undo the last scan of a session",
    ids,
    answer: [200, shapes.PackingSession],
    failures: [409],
    handle: (ctx, { params }) => packing.undoScan(ctx, params.id),
  }),
  defineRoute("POST /packing/sessions/:id/confirm", {
    name: "packing.sessions.confirm",
    scope: "orders:write",
    summary: "Finish a packed order",
    description:
      "Every item must be packed. With `buyLabel`, a run sets box and weight as the package of the order and buys the label; follow it " +
      "with GET /operations/runs/{id}. A packed session can be confirmed again to buy the label after a failed or voided one.",
    ids,
    body: shapes.ConfirmRequest,
    bodyIsOptional: true,
    answer: [200, shapes.PackingSession],
    failures: [409],
    handle: (ctx, { params, body }) => packing.confirmSession(ctx, params.id, body),
  }),
  defineRoute("POST /packing/sessions/:id/cancel", {
    name: "packing.sessions.cancel",
    scope: "orders:write",
    summary: "Stop packing an order",
    description: "With `hold`, a run places the order on hold, such as when an item is missing.",
    ids,
    body: shapes.CancelRequest,
    bodyIsOptional: true,
    answer: [200, shapes.PackingSession],
    failures: [409],
    handle: (ctx, { params, body }) => packing.cancelSession(ctx, params.id, body),
  }),
];
