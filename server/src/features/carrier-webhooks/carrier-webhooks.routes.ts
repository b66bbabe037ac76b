import { defineRoute } from "../../route.ts";
import * as shapes from "./carrier-webhooks.schemas.ts";
import { receiveCarrierWebhook } from "./carrier-webhooks.ts";

export const carrierWebhookRoutes = [
  defineRoute("POST /carrier-accounts/:id/inbound-webhooks", {
    name: "carrierAccounts.inboundWebhooks.receive",
    scope: "public",
    summary: "Receive a webhook from a carrier",
    description:
      "The address that `POST /carrier-accounts/{id}/webhook` gives to the carrier. The signature is verified over the bytes of the " +
      "body, and a repeated webhook changes nothing. News about tracking numbers that the organization does not have are counted.",
    idempotency: "none",
    takesAnyBody: true,
    bodyLimitBytes: 1024 ** 2,
    ids: { id: "carrier_account" },
    answer: [200, shapes.CarrierWebhookAnswer],
    failures: [401, 409, 502],
    handle: (ctx, { params, sent }) => receiveCarrierWebhook(ctx, params.id, sent),
  }),
];
