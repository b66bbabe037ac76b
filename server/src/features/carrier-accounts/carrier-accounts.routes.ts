import { ChartRow } from "../../carriers/zones/zone-chart.ts";
import { Deleted, PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./carrier-accounts.schemas.ts";
import * as accounts from "./carrier-accounts.ts";
import { quoteParcel } from "./open-carrier.ts";
import * as cards from "./rate-cards.ts";
import { checkAddress } from "./check-address.ts";
import { testAccount } from "./test-account.ts";
import { enableWebhook } from "./webhook-subscriptions.ts";

const ids = { id: "carrier_account" } as const;
const cardIds = { id: "carrier_account", rateCardId: "rate_card" } as const;
const [read, write] = ["carrier_accounts:read", "carrier_accounts:write"] as const;
const uploadBytes = 32 * 1024 * 1024;

export const carrierAccountRoutes = [
  defineRoute("GET /carrier-accounts/carriers", {
    name: "carrierAccounts.carriers.list",
    scope: read,
    summary: "List supported carriers",
    answer: [200, shapes.CarrierCatalog],
    handle: async () => accounts.listCarriers(),
  }),
  defineRoute("GET /carrier-accounts", {
    name: "carrierAccounts.list",
    scope: read,
    summary: "List carrier accounts",
    query: shapes.CarrierAccountQuery,
    answer: [200, PageOf(shapes.CarrierAccount)],
    handle: (ctx, { query }) => accounts.listCarrierAccounts(ctx, query),
  }),
  defineRoute("POST /carrier-accounts", {
    name: "carrierAccounts.create",
    scope: write,
    summary: "Create a carrier account",
    body: shapes.CarrierAccountRequest,
    stepUp: "if required",
    answer: [201, shapes.CarrierAccount],
    failures: [409],
    handle: (ctx, { body }) => accounts.createCarrierAccount(ctx, body),
  }),
  defineRoute("GET /carrier-accounts/:id", {
    name: "carrierAccounts.get",
    scope: read,
    summary: "Get a carrier account",
    ids,
    answer: [200, shapes.CarrierAccount],
    handle: (ctx, { params }) => accounts.getCarrierAccount(ctx, params.id),
  }),
  defineRoute("PATCH /carrier-accounts/:id", {
    name: "carrierAccounts.update",
    scope: write,
    summary: "Update a carrier account",
    description: "A merge patch. Setting a pickup rule to null restores the carrier's own rule.",
    ids,
    body: shapes.CarrierAccountPatch,
    stepUp: "if required",
    answer: [200, shapes.CarrierAccount],
    failures: [409, 412],
    handle: (ctx, { params, body, ifMatch }) => accounts.updateCarrierAccount(ctx, params.id, body, ifMatch),
  }),
  defineRoute("DELETE /carrier-accounts/:id", {
    name: "carrierAccounts.delete",
    scope: write,
    summary: "Delete a carrier account and its rate cards",
    ids,
    stepUp: "if required",
    answer: [200, Deleted],
    failures: [409, 412],
    handle: (ctx, { params, ifMatch }) => accounts.deleteCarrierAccount(ctx, params.id, ifMatch),
  }),
  defineRoute("POST /carrier-accounts/:id/test", {
    name: "carrierAccounts.test",
    scope: write,
    summary: "Test a carrier account",
    description: "Answers 200 also when the test fails, with what has to be corrected. Nothing is bought.",
    ids,
    isReadOnly: true,
    answer: [200, shapes.AccountTest],
    failures: [409],
    handle: (ctx, { params }) => testAccount(ctx, params.id),
  }),
  defineRoute("POST /carrier-accounts/:id/webhook", {
    name: "carrierAccounts.webhook.enable",
    scope: write,
    summary: "Subscribe to the webhooks of the carrier",
    description:
      "The carrier then sends tracking events, refunds and corrected prices to the hub. Repeating it renews the subscription and keeps the " +
      "secret. `setup` says what has to be entered at the carrier, if anything.",
    ids,
    body: shapes.WebhookRequest,
    bodyIsOptional: true,
    idempotency: "sealed",
    answer: [200, shapes.AccountWebhook],
    failures: [409, 502],
    handle: (ctx, { params, body }) => enableWebhook(ctx, params.id, body),
  }),
  defineRoute("POST /carrier-accounts/:id/address-check", {
    name: "carrierAccounts.address.check",
    scope: read,
    summary: "Check an address with the carrier",
    description: "Whether the carrier delivers there, and whether it is a home. Nothing is stored.",
    ids,
    body: shapes.AddressCheckRequest,
    isReadOnly: true,
    answer: [200, shapes.AddressCheckAnswer],
    failures: [409, 502],
    handle: (ctx, { params, body }) => checkAddress(ctx, params.id, body.address),
  }),
  defineRoute("GET /carrier-accounts/:id/rate-cards", {
    name: "carrierAccounts.rateCards.list",
    scope: read,
    summary: "List the rate cards of an account",
    ids,
    query: shapes.RateCardQuery,
    answer: [200, PageOf(shapes.RateCardInfo)],
    handle: (ctx, { params, query }) => cards.listRateCards(ctx, params.id, query),
  }),
  defineRoute("POST /carrier-accounts/:id/rate-cards", {
    name: "carrierAccounts.rateCards.create",
    scope: write,
    summary: "Upload a rate card",
    description:
      "As JSON, or with its prices as CSV. The active card with the latest `effectiveFrom` applies on a day. CSV: one row per " +
      "weight with a column per zone, or one row per price with the columns `zone` and `rate`; `service` and `unit` are " +
      "optional columns. Rows for envelopes (Ltr) are skipped with a warning, notes below the table without one.",
    ids,
    body: shapes.RateCardUpload,
    bodyLimitBytes: uploadBytes,
    // A card takes much CPU time per byte. Compiling its validator takes a quarter of a second, once per process.
    offloadFromBytes: 0,
    answer: [201, shapes.UploadedRateCard],
    handle: (ctx, { params, body }) => cards.uploadRateCard(ctx, params.id, body),
  }),
  defineRoute("GET /carrier-accounts/:id/rate-cards/:rateCardId", {
    name: "carrierAccounts.rateCards.get",
    scope: read,
    summary: "Get a rate card",
    ids: cardIds,
    answer: [200, shapes.RateCardDetail],
    handle: (ctx, { params }) => cards.getRateCard(ctx, params.id, params.rateCardId),
  }),
  defineRoute("POST /carrier-accounts/:id/rate-cards/:rateCardId/activate", {
    name: "carrierAccounts.rateCards.activate",
    scope: write,
    summary: "Activate a rate card",
    description: "From its own dates, or from those in the request.",
    ids: cardIds,
    body: shapes.ActivateRequest,
    bodyIsOptional: true,
    answer: [200, shapes.RateCardDetail],
    handle: (ctx, { params, body }) => cards.activateRateCard(ctx, params.id, params.rateCardId, body),
  }),
  defineRoute("POST /carrier-accounts/:id/rate-cards/:rateCardId/deactivate", {
    name: "carrierAccounts.rateCards.deactivate",
    scope: write,
    summary: "Deactivate a rate card",
    ids: cardIds,
    answer: [200, shapes.RateCardDetail],
    handle: (ctx, { params }) => cards.deactivateRateCard(ctx, params.id, params.rateCardId),
  }),
  defineRoute("PUT /carrier-accounts/:id/zone-chart", {
    name: "carrierAccounts.zoneChart.replace",
    scope: write,
    summary: "Upload a zone chart",
    description:
      "Replaces the present chart. Send JSON with `rows` or with the file in `csv`, or the file itself as text/csv or XLSX with the options in " +
      "the query. Files of UPS, FedEx and USPS are read as they are published: titles, then a column for the destinations and `zone` or a " +
      "column per service, or several such blocks beside each other; `-` means not served.",
    ids,
    query: shapes.ZoneChartFileQuery,
    body: shapes.ZoneChartUpload,
    takesCsv: true,
    bodyLimitBytes: uploadBytes,
    offloadFromBytes: 16 * 1024,
    answer: [200, shapes.ZoneChartInfo],
    handle: (ctx, { params, query, body }) => cards.replaceZoneChart(ctx, params.id, { ...query, ...body }),
  }),
  defineRoute("GET /carrier-accounts/:id/zone-chart", {
    name: "carrierAccounts.zoneChart.list",
    scope: read,
    summary: "List the rows of the zone chart",
    description: "In the form in which they can be uploaded again.",
    ids,
    query: shapes.ZoneChartQuery,
    answer: [200, PageOf(ChartRow)],
    handle: (ctx, { params, query }) => cards.listZoneChart(ctx, params.id, query),
  }),
  defineRoute("DELETE /carrier-accounts/:id/zone-chart", {
    name: "carrierAccounts.zoneChart.delete",
    scope: write,
    summary: "Delete the zone chart",
    description: "Zones are then computed from the distance.",
    ids,
    answer: [200, Deleted],
    handle: (ctx, { params }) => cards.deleteZoneChart(ctx, params.id),
  }),
  defineRoute("POST /carrier-accounts/:id/quote", {
    name: "carrierAccounts.quote",
    scope: read,
    summary: "Quote a parcel for every service",
    description: "Each line of a price is explained. Nothing is bought.",
    ids,
    body: shapes.QuoteRequest,
    isReadOnly: true,
    answer: [200, shapes.QuoteAnswer],
    failures: [409, 502],
    handle: (ctx, { params, body }) => quoteParcel(ctx, params.id, body),
  }),
];
