import { PageOf } from "../../core/schema.ts";
import { crudRoutes } from "../../crud-routes.ts";
import { defineRoute } from "../../route.ts";
import * as log from "./delivery-log.ts";
import * as shapes from "./webhooks.schemas.ts";
import * as webhooks from "./webhooks.ts";

const ids = { id: "webhook" } as const;
const deliveryIds = { id: "webhook", deliveryId: "webhook_delivery" } as const;

export const webhookRoutes = [
  ...crudRoutes("/webhooks", {
    name: "webhooks",
    kind: "webhook",
    nouns: ["a webhook", "webhooks"],
    read: "webhooks:read",
    write: "webhooks:write",
    record: shapes.Webhook,
    list: { summary: "List webhooks with their health", query: shapes.WebhookQuery, handle: webhooks.listWebhooks },
    create: {
      description:
        "Deliveries follow Standard Webhooks and carry the envelope of the event feed; see docs/webhooks.md. The secret is " +
        "returned only once. Requires the read scopes of all event types of the webhook.",
      body: shapes.WebhookRequest,
      stepUp: "if required",
      answer: shapes.NewWebhook,
      idempotency: "sealed",
      failures: [409],
      handle: webhooks.createWebhook,
    },
    get: { summary: "Get a webhook with its health", handle: webhooks.getWebhook },
    update: {
      description: "`headers` replaces all headers, null removes them. A URL on another server requires new headers.",
      body: shapes.WebhookPatch,
      stepUp: "if required",
      handle: webhooks.updateWebhook,
    },
    delete: { summary: "Delete a webhook and its pending deliveries", handle: webhooks.deleteWebhook },
  }),
  defineRoute("POST /webhooks/:id/pause", {
    name: "webhooks.pause",
    scope: "webhooks:write",
    summary: "Pause a webhook",
    ids,
    answer: [200, shapes.Webhook],
    failures: [409],
    handle: (ctx, { params }) => webhooks.pauseWebhook(ctx, params.id),
  }),
  defineRoute("POST /webhooks/:id/enable", {
    name: "webhooks.enable",
    scope: "webhooks:write",
    summary: "Enable a paused or disabled webhook",
    ids,
    body: shapes.EnableRequest,
    bodyIsOptional: true,
    answer: [200, shapes.Webhook],
    failures: [409, 410],
    handle: (ctx, { params, body }) => webhooks.enableWebhook(ctx, params.id, body ?? {}),
  }),
  defineRoute("POST /webhooks/:id/rotate-secret", {
    name: "webhooks.secret.rotate",
    scope: "webhooks:write",
    summary: "Rotate the signing secret of a webhook",
    ids,
    body: shapes.RotateRequest,
    bodyIsOptional: true,
    stepUp: "if required",
    answer: [201, shapes.NewWebhook],
    idempotency: "sealed",
    handle: (ctx, { params, body }) => webhooks.rotateSecret(ctx, params.id, body ?? {}),
  }),
  defineRoute("POST /webhooks/:id/test", {
    name: "webhooks.test",
    scope: "webhooks:write",
    summary: "Send a test event",
    ids,
    body: shapes.TestRequest,
    bodyIsOptional: true,
    isReadOnly: true,
    answer: [200, shapes.Exchange],
    failures: [409],
    handle: (ctx, { params, body }) => log.testWebhook(ctx, params.id, body ?? {}),
  }),
  defineRoute("POST /webhooks/:id/resend", {
    name: "webhooks.resend",
    scope: "webhooks:write",
    summary: "Resend events of a time range",
    description: "Sent after new events. 400 `nothing_to_resend`: there are no such deliveries.",
    ids,
    body: shapes.ResendRequest,
    answer: [202, shapes.ResendAnswer],
    handle: (ctx, { params, body }) => log.resendDeliveries(ctx, params.id, body),
  }),
  defineRoute("GET /webhooks/:id/deliveries", {
    name: "webhooks.deliveries.list",
    scope: "webhooks:read",
    summary: "List deliveries",
    ids,
    query: shapes.DeliveryQuery,
    answer: [200, PageOf(shapes.Delivery)],
    handle: (ctx, { params, query }) => log.listDeliveries(ctx, params.id, query),
  }),
  defineRoute("GET /webhooks/:id/deliveries/:deliveryId", {
    name: "webhooks.deliveries.get",
    scope: "webhooks:read",
    summary: "Get a delivery with its attempts",
    ids: deliveryIds,
    answer: [200, shapes.DeliveryDetail],
    handle: (ctx, { params }) => log.getDelivery(ctx, params.id, params.deliveryId),
  }),
  defineRoute("POST /webhooks/:id/deliveries/:deliveryId/resend", {
    name: "webhooks.deliveries.resend",
    scope: "webhooks:write",
    summary: "Resend a delivery",
    ids: deliveryIds,
    answer: [202, shapes.DeliveryDetail],
    handle: (ctx, { params }) => log.resendDelivery(ctx, params.id, params.deliveryId),
  }),
];
