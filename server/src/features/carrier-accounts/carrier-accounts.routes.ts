import { ChartRow } from "../../carriers/zones/zone-chart.ts";
import { Deleted, PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./carrier-accounts.schemas.ts";
import * as accounts from "./carrier-accounts.ts";
import { quoteParcel } from "./open-carrier.ts";
import * as cards from "./rate-cards.ts";

const ids = { id: "carrier_account" } as const;
const cardIds = { id: "carrier_account", cardId: "rate_card" } as const;
const [read, write] = ["carrier_accounts:read", "carrier_accounts:write"] as const;
/** Prices are made ready for calculating at once: much work for few bytes. */
const heavyFromBytes = 16 * 1024;
const uploadBytes = 32 * 1024 * 1024;

export const carrierAccountRoutes = [
  defineRoute("GET /carrier-accounts/carriers", {
    name: "carrierAccounts.carriers.list",
    scope: read,
    summary: "List the carriers that accounts can be made for, with their settings and pickup rules",
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
    summary: "Read a carrier account",
    ids,
    answer: [200, shapes.CarrierAccount],
    handle: (ctx, { params }) => accounts.getCarrierAccount(ctx, params.id),
  }),
  defineRoute("PATCH /carrier-accounts/:id", {
    name: "carrierAccounts.update",
    scope: write,
    summary: "Change a carrier account",
    description: "A merge patch. null for a pickup rule: as the carrier has it.",
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
    summary: "Delete a carrier account with its rate cards",
    ids,
    stepUp: "if required",
    answer: [200, Deleted],
    failures: [409, 412],
    handle: (ctx, { params, ifMatch }) => accounts.deleteCarrierAccount(ctx, params.id, ifMatch),
  }),
  defineRoute("GET /carrier-accounts/:id/rate-cards", {
    name: "carrierAccounts.rateCards.list",
    scope: read,
    summary: "List the rate cards of an account, newest upload first",
    ids,
    query: shapes.RateCardQuery,
    answer: [200, PageOf(shapes.RateCardInfo)],
    handle: (ctx, { params, query }) => cards.listRateCards(ctx, params.id, query),
  }),
  defineRoute("POST /carrier-accounts/:id/rate-cards", {
    name: "carrierAccounts.rateCards.create",
    scope: write,
    summary: "Upload a rate card, as JSON or with its prices as CSV",
    description:
      "On a day counts the active card that began last. CSV: a row per weight with a column per zone, or a row per " +
      "price with the columns zone and rate; `service` and `unit` are columns too. Rows for a carrier's envelopes (Ltr) are " +
      "left out with a warning, notes below the table without one.",
    ids,
    body: shapes.RateCardUpload,
    bodyLimitBytes: uploadBytes,
    heavyFromBytes,
    answer: [201, shapes.UploadedRateCard],
    handle: (ctx, { params, body }) => cards.uploadRateCard(ctx, params.id, body),
  }),
  defineRoute("GET /carrier-accounts/:id/rate-cards/:cardId", {
    name: "carrierAccounts.rateCards.get",
    scope: read,
    summary: "Read a rate card",
    ids: cardIds,
    answer: [200, shapes.RateCardDetail],
    handle: (ctx, { params }) => cards.getRateCard(ctx, params.id, params.cardId),
  }),
  defineRoute("POST /carrier-accounts/:id/rate-cards/:cardId/activate", {
    name: "carrierAccounts.rateCards.activate",
    scope: write,
    summary: "Put a rate card into effect, from another day on if one is named",
    ids: cardIds,
    body: shapes.ActivateRequest,
    bodyIsOptional: true,
    answer: [200, shapes.RateCardDetail],
    handle: (ctx, { params, body }) => cards.activateRateCard(ctx, params.id, params.cardId, body),
  }),
  defineRoute("POST /carrier-accounts/:id/rate-cards/:cardId/deactivate", {
    name: "carrierAccounts.rateCards.deactivate",
    scope: write,
    summary: "Take a rate card out of use",
    ids: cardIds,
    answer: [200, shapes.RateCardDetail],
    handle: (ctx, { params }) => cards.deactivateRateCard(ctx, params.id, params.cardId),
  }),
  defineRoute("PUT /carrier-accounts/:id/zone-chart", {
    name: "carrierAccounts.zoneChart.replace",
    scope: write,
    summary: "Upload the zone chart of the carrier, as rows or CSV, in place of the former one",
    description:
      "CSV: a column for the destinations, then `zone` or a column per service; `-` is where it does not go.",
    ids,
    body: shapes.ZoneChartUpload,
    bodyLimitBytes: uploadBytes,
    heavyFromBytes,
    answer: [200, shapes.ZoneChartInfo],
    handle: (ctx, { params, body }) => cards.replaceZoneChart(ctx, params.id, body),
  }),
  defineRoute("GET /carrier-accounts/:id/zone-chart", {
    name: "carrierAccounts.zoneChart.list",
    scope: read,
    summary: "Read the rows of the zone chart, as they can be uploaded again",
    ids,
    query: shapes.ZoneChartQuery,
    answer: [200, PageOf(ChartRow)],
    handle: (ctx, { params, query }) => cards.listZoneChart(ctx, params.id, query),
  }),
  defineRoute("DELETE /carrier-accounts/:id/zone-chart", {
    name: "carrierAccounts.zoneChart.delete",
    scope: write,
    summary: "Delete the zone chart; zones come from the distance again",
    ids,
    answer: [200, Deleted],
    handle: (ctx, { params }) => cards.deleteZoneChart(ctx, params.id),
  }),
  defineRoute("POST /carrier-accounts/:id/quote", {
    name: "carrierAccounts.quote",
    scope: read,
    summary: "Price a parcel with every service, each line explained",
    ids,
    body: shapes.QuoteRequest,
    isReadOnly: true,
    answer: [200, shapes.QuoteAnswer],
    failures: [409, 502],
    handle: (ctx, { params, body }) => quoteParcel(ctx, params.id, body),
  }),
];
