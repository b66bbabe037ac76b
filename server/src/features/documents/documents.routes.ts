import { Type } from "../../core/type.ts";
import { defineRoute } from "../../route.ts";
import { DocumentRequest } from "./documents.schemas.ts";
import { createDocument, getPrintSettings, updatePrintSettings } from "./documents.ts";
import { maxSettingsBodyBytes, PrintSettings, PrintSettingsPatch } from "./print-settings.schemas.ts";

export const documentRoutes = [
  defineRoute("POST /documents", {
    name: "documents.create",
    scope: "orders:read",
    summary: "Create packing slips, a pick list or a manifest as PDF",
    description:
      "Takes one of `orderIds`, `runId`, `selectionId`, `filter` (of orders), `shipmentIds` and `labelIds`. A file has up to 1,000 " +
      "packing slips, or 10,000 orders of a pick list or shipments of a manifest. If something that the request names cannot be " +
      "printed, nothing is: 409 `documents_not_printable` names it; with `skipUnavailable`, the rest is printed and the header " +
      "`Hub-Documents-Skipped` has the number of those left out. Packing slips also require `pii:read`, manifests " +
      "`shipments:read`. Labels are printed with POST /shipments/labels/documents.",
    body: DocumentRequest,
    answer: [200, Type.String({ format: "binary" })],
    answerType: ["application/pdf"],
    failures: [404, 409],
    // Drawing takes milliseconds of CPU time per page.
    offloadFromBytes: 0,
    isReadOnly: true,
    // The response is a file, which is not stored.
    idempotency: "none",
    handle: (ctx, { body }) => createDocument(ctx, body),
  }),
  defineRoute("GET /documents/settings", {
    name: "documents.settings.get",
    scope: "any",
    summary: "Get the logo, texts and papers of printed documents",
    answer: [200, PrintSettings],
    handle: (ctx) => getPrintSettings(ctx),
  }),
  defineRoute("PATCH /documents/settings", {
    name: "documents.settings.update",
    scope: "admin",
    stepUp: "if required",
    summary: "Update the print settings",
    body: PrintSettingsPatch,
    bodyLimitBytes: maxSettingsBodyBytes,
    answer: [200, PrintSettings],
    failures: [412],
    handle: (ctx, { body, ifMatch }) => updatePrintSettings(ctx, body, ifMatch),
  }),
];
