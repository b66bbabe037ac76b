import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Id, OneOf, Strict } from "../../core/schema.ts";
import { SelectionFilter } from "../operations/selections.schemas.ts";
import { OrderRef } from "../orders/orders.schemas.ts";

/** Packing slips of one file, and IDs that a request may name. */
export const maxNamed = 1_000;
/** Orders of a pick list and shipments of a manifest, which are drawn as rows. */
export const maxRows = 10_000;

const documentKinds = ["packing_slips", "pick_list", "manifest"] as const;
export type DocumentKind = (typeof documentKinds)[number];

const papers = ["4x6", "a6", "a4", "letter"] as const;
export type Paper = (typeof papers)[number];
export const PaperShape = OneOf(papers);

const Ids = (description: string) =>
  Type.Optional(Type.Array(Id, { minItems: 1, maxItems: maxNamed, uniqueItems: true, description }));

export const DocumentRequest = Strict(
  {
    kind: OneOf(documentKinds, {
      description:
        "`packing_slips`: a slip for each order, or for each shipment with `shipmentIds` and `labelIds`. `pick_list`: what is left " +
        "to ship of the orders, summed by location and item. `manifest`: a list of shipments by carrier and service, to be signed",
    }),
    orderIds: Type.Optional(
      Type.Array(OrderRef, { minItems: 1, maxItems: maxNamed, description: "Order IDs or numbers" }),
    ),
    runId: Type.Optional({ ...Id, description: "The orders of a run that succeeded, in the order of its results" }),
    selectionId: Type.Optional({ ...Id, description: "From POST /operations/selections" }),
    filter: Type.Optional(SelectionFilter),
    shipmentIds: Ids("Shipments and their orders"),
    labelIds: Ids("The shipments of these labels, and their orders"),
    paper: Type.Optional({ ...PaperShape, description: "Default: that of the print settings" }),
    sort: Type.Optional(
      OneOf(["given", "sku", "location", "created"], {
        description:
          "Of packing slips. `given` (default): as listed, in the order of the run, or oldest order first. `sku`: by the first " +
          "SKU. `location`: by the name of the location. `created`: oldest order first",
      }),
    ),
    skipUnavailable: Type.Optional(
      Type.Boolean({
        description:
          "Print the rest if something cannot be printed. Default false: the error lists it, and nothing is printed",
      }),
    ),
  },
  { examples: [{ kind: "packing_slips", orderIds: ["SHOP-10243"], paper: "a4" }] },
);
export type DocumentRequest = Static<typeof DocumentRequest>;
