import { ActorShape } from "../core/actor.ts";
import { Count, Id, Nullable, Version } from "../core/schema.ts";
import { Type } from "../core/type.ts";
import { Weight } from "../core/weight.ts";
import { defineEvent, Private } from "./define-event.ts";

const Text = Type.String();
const session = {
  orderId: Id,
  number: Type.String({ description: "Of the order" }),
  station: Nullable(Text),
  version: Version,
};
const line = { lineId: Text, quantity: Count, packed: { ...Count, description: "Units of the line after it" } };
const packed = {
  ...session,
  contents: Type.Array(Type.Object({ sku: Text, quantity: Count }), { description: "At most 100" }),
  labelRunId: Nullable({ ...Id, description: "The run that buys the label" }),
};

/** What happens at packing stations. */
export const packingEvents = {
  "packing.started": defineEvent("packing_session", "An order was opened for packing", session),
  "packing.scanned": defineEvent("packing_session", "An item was packed", {
    ...session,
    ...line,
    sku: Text,
    needed: Count,
    byHand: Type.Boolean({ description: "Counted without a barcode" }),
  }),
  "packing.scan_rejected": defineEvent("packing_session", "A scanned item was refused", {
    ...session,
    // Whatever a scanner or keyboard sends.
    code: Private(Text),
    reason: Type.String({ description: "wrong_item, too_many_items or item_not_needed" }),
  }),
  "packing.scan_undone": defineEvent("packing_session", "The last scan was undone", { ...session, ...line }),
  "packing.updated": defineEvent("packing_session", "The box or weight of a package was set", {
    ...session,
    box: Nullable(Text),
    weight: Nullable(Weight),
  }),
  "packing.taken_over": defineEvent("packing_session", "Another packer took over the order", {
    ...session,
    previousPacker: Private(ActorShape),
  }),
  "packing.packed": defineEvent("packing_session", "An order was packed", packed),
  "packing.label_requested": defineEvent("packing_session", "The label of a packed order was requested again", packed),
  "packing.stopped": defineEvent("packing_session", "Packing was stopped", {
    ...session,
    holdReason: Nullable(Type.String({ description: "The order was placed on hold" })),
  }),
};
