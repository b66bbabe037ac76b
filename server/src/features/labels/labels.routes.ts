import { labelTypes } from "../../carriers/carrier.ts";
import { PageOf } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./labels.schemas.ts";
import * as labels from "./labels.ts";

const ids = { id: "label" } as const;

export const labelRoutes = [
  defineRoute("GET /shipments/labels", {
    name: "shipments.labels.list",
    scope: "shipments:read",
    summary: "List labels that were bought, or asked for",
    query: shapes.LabelQuery,
    answer: [200, PageOf(shapes.LabelAnswer)],
    failures: [404, 409],
    handle: (ctx, { query }) => labels.listLabels(ctx, query),
  }),
  defineRoute("POST /shipments/labels", {
    name: "shipments.labels.create",
    scope: "shipments:write",
    summary: "Buy a label, for an order or for any parcel",
    description:
      "What an order says need not be said again. The parcel is recorded as a shipment with its tracking number and cost; " +
      "the order lists it, and what lies in it counts as shipped: the order is `partially_shipped` or `shipped`. " +
      "A second label for the same units is refused unless `mayRepeat` asks for it. " +
      "`POST /carrier-accounts/{id}/quote` tells the price without buying. " +
      "A carrier that does not answer leaves the label `requested` (202); the hub asks again, and it is bought once.",
    body: shapes.LabelRequest,
    answer: [201, shapes.LabelSale],
    mayBeUnfinished: true,
    failures: [404, 409],
    handle: (ctx, { body }) => labels.buyLabel(ctx, body),
  }),
  defineRoute("GET /shipments/labels/:id", {
    name: "shipments.labels.get",
    scope: "shipments:read",
    summary: "Read what is known of a label",
    description: "No shipment is called `labels`: ids are UUIDs, so this is no other path than /shipments/{id}/... .",
    ids,
    answer: [200, shapes.LabelAnswer],
    handle: (ctx, { params }) => labels.getLabel(ctx, params.id),
  }),
  defineRoute("GET /shipments/labels/:id/content", {
    name: "shipments.labels.content.get",
    scope: "shipments:read",
    summary: "Fetch what is printed",
    description: "As the carrier sent it, up to 1 MiB. It names who gets the parcel, so it needs `pii:read` as well.",
    ids,
    answer: [200, Type.String({ format: "binary" })],
    answerType: labelTypes,
    failures: [409],
    handle: (ctx, { params }) => labels.readLabelContent(ctx, params.id),
  }),
  defineRoute("POST /shipments/labels/:id/retry", {
    name: "shipments.labels.retry",
    scope: "shipments:write",
    summary: "Ask the carrier once more for a label that failed without an answer",
    description:
      "For those with the failure `outcome_unknown`. What the carrier has sold after all is not bought twice.",
    ids,
    answer: [200, shapes.LabelSale],
    mayBeUnfinished: true,
    failures: [409],
    handle: (ctx, { params }) => labels.retryLabel(ctx, params.id),
  }),
  defineRoute("DELETE /shipments/labels/:id", {
    name: "shipments.labels.delete",
    scope: "shipments:write",
    summary: "Give a label back to the carrier and void its shipment; a voided one answers the same again",
    description: "Refused once the carrier has the parcel. An order that lists the shipment takes it back.",
    ids,
    answer: [200, shapes.LabelAnswer],
    failures: [409, 502],
    handle: (ctx, { params }) => labels.voidLabel(ctx, params.id),
  }),
];
