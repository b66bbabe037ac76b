import { Type } from "../../core/type.ts";
import { defineRoute } from "../../route.ts";
import { LabelDocumentRequest } from "./label-documents.schemas.ts";
import { createLabelDocument } from "./label-documents.ts";

export const labelDocumentRoutes = [
  defineRoute("POST /shipments/labels/documents", {
    name: "shipments.labels.documents.create",
    scope: "shipments:write",
    summary: "Print labels as one file",
    description:
      "Joins the labels in the given order and marks them as printed. Takes one of `labelIds`, `runId`, `orderIds`, `filter` " +
      "(of orders), `selectionId` and `shipmentIds`. Of runs and orders, voided and failed labels are left out. Up to 1,000 parcels and 64 MiB. " +
      "Labels can be printed any number of times. If some cannot be printed, nothing is: 409 `labels_not_printable` names each " +
      "one; with `skipUnavailable`, the others are printed and the header `Hub-Labels-Skipped` has the number of those left " +
      "out. Files name the recipient, so it also requires `pii:read`.",
    body: LabelDocumentRequest,
    answer: [200, Type.String({ format: "binary" })],
    answerType: ["application/pdf", "application/zpl"],
    failures: [404, 409],
    // Joining takes milliseconds of CPU time per label.
    offloadFromBytes: 0,
    // The response is a file, which is not stored. A repeated request prints again, which is always allowed.
    idempotency: "none",
    handle: (ctx, { body }) => createLabelDocument(ctx, body),
  }),
];
