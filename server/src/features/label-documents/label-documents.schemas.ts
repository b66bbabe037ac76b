import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Id, OneOf, Strict } from "../../core/schema.ts";
import { SelectionFilter } from "../operations/selections.schemas.ts";
import { OrderRef } from "../orders/orders.schemas.ts";

/** Parcels and documents of one file. */
export const maxFiles = 1_000;
/** Labels that a run, filter or selection may have; `offset` and `limit` choose those of one file. */
export const maxLabels = 10_000;

const papers = ["4x6", "a6", "letter", "a4"] as const;
export type Paper = (typeof papers)[number];

export const LabelDocumentRequest = Strict(
  {
    labelIds: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: maxFiles })),
    runId: Type.Optional({ ...Id, description: "The labels that the run bought, in the order of its results" }),
    orderIds: Type.Optional(
      Type.Array(OrderRef, { minItems: 1, maxItems: maxFiles, description: "Order IDs or numbers: their labels" }),
    ),
    filter: Type.Optional(SelectionFilter),
    shipmentIds: Type.Optional(
      Type.Array(Id, { minItems: 1, maxItems: maxFiles, description: "The labels of these shipments" }),
    ),
    selectionId: Type.Optional({ ...Id, description: "From POST /operations/selections" }),
    isPrinted: Type.Optional(Type.Boolean({ description: "false: leave out labels that were printed before" })),
    refusePrinted: Type.Optional(
      Type.Boolean({
        description: "true: print nothing if a label was printed before; 409 `labels_already_printed` lists them",
      }),
    ),
    sort: Type.Optional(
      OneOf(["given", "sku", "location", "created"], {
        description:
          "`given` (default): as listed, in the order of the run, or oldest order first. `sku`: labels with one SKU first, by " +
          "SKU and quantity. `location`: by the name of the order's location",
      }),
    ),
    offset: Type.Optional(
      Type.Integer({ minimum: 0, maximum: maxLabels, description: "Labels to pass over, after sorting" }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxFiles, description: "Labels at most. Default: all" })),
    format: Type.Optional(
      OneOf(["pdf", "zpl"], { description: "Default: pdf, of PDF, PNG and GIF labels. zpl: of ZPL labels" }),
    ),
    size: Type.Optional(
      OneOf(papers, {
        description:
          "Paper of a PDF. 4x6, a6: a label a page. letter, a4: two labels a page. Default: that of the print settings, else 4x6",
      }),
    ),
    include: Type.Optional(
      Type.Array(OneOf(["customs", "receipt"]), {
        maxItems: 2,
        uniqueItems: true,
        description: "Documents to add after the parcels of each label, in their own size",
      }),
    ),
    skipUnavailable: Type.Optional(
      Type.Boolean({
        description:
          "Print the other labels if some cannot be printed. Default false: nothing is printed, and the error lists them",
      }),
    ),
  },
  { examples: [{ labelIds: ["01900000-0000-7000-8000-000000000001"], format: "pdf" }] },
);
export type LabelDocumentRequest = Static<typeof LabelDocumentRequest>;
