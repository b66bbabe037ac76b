import { labelTypes } from "../../carriers/seam/labels.ts";
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
    summary: "List labels",
    query: shapes.LabelQuery,
    answer: [200, PageOf(shapes.LabelAnswer)],
    failures: [404, 409],
    handle: (ctx, { query }) => labels.listLabels(ctx, query),
  }),
  defineRoute("POST /shipments/labels", {
    name: "shipments.labels.create",
    scope: "shipments:write",
    summary: "Buy a label",
    description:
      "Omitted fields are taken from the order. The parcel is recorded as a shipment with its tracking number and cost; " +
      "its items count as shipped, and the order becomes `partially_shipped` or `shipped`. " +
      "A second label for the same items is rejected unless `allowDuplicate` is set. " +
      "`POST /carrier-accounts/{id}/quote` returns the price without buying. " +
      "If the carrier does not respond, the label stays `requested` (202) and the hub retries with the same key, so that it is purchased once.",
    body: shapes.LabelRequest,
    answer: [201, shapes.LabelSale],
    mayBeUnfinished: true,
    failures: [404, 409],
    handle: (ctx, { body }) => labels.buyLabel(ctx, body),
  }),
  defineRoute("GET /shipments/labels/:id", {
    name: "shipments.labels.get",
    scope: "shipments:read",
    summary: "Get a label",
    description: "`labels` cannot be mistaken for a shipment: shipment IDs are UUIDs.",
    ids,
    answer: [200, shapes.LabelAnswer],
    handle: (ctx, { params }) => labels.getLabel(ctx, params.id),
  }),
  defineRoute("GET /shipments/labels/:id/content", {
    name: "shipments.labels.content.get",
    scope: "shipments:read",
    summary: "Download a label file",
    description:
      "As the carrier sent it, up to 1 MiB. It names the recipient, so it also requires `pii:read`. `parcel` and `document` " +
      "choose one of several files.",
    ids,
    query: shapes.LabelFileQuery,
    answer: [200, Type.String({ format: "binary" })],
    answerType: labelTypes,
    failures: [409],
    handle: (ctx, { params, query }) => labels.readLabelContent(ctx, params.id, query),
  }),
  defineRoute("POST /shipments/labels/:id/retry", {
    name: "shipments.labels.retry",
    scope: "shipments:write",
    summary: "Retry a label request that got no response",
    description:
      "For labels with the failure `outcome_unknown`. Sent with the same key, so a label that was already purchased is not purchased again.",
    ids,
    answer: [200, shapes.LabelSale],
    mayBeUnfinished: true,
    failures: [409],
    handle: (ctx, { params }) => labels.retryLabel(ctx, params.id),
  }),
  defineRoute("DELETE /shipments/labels/:id", {
    name: "shipments.labels.delete",
    scope: "shipments:write",
    summary: "Void a label and its shipment",
    description:
      "Rejected once the carrier has the parcel. The order no longer lists the shipment. Voiding a voided label returns it unchanged.",
    ids,
    answer: [200, shapes.LabelAnswer],
    failures: [409, 502],
    handle: (ctx, { params }) => labels.voidLabel(ctx, params.id),
  }),
];
