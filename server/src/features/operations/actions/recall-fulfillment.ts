import { Type } from "typebox";
import { Strict } from "../../../core/schema.ts";
import { defineAction } from "../action.ts";
import { needsBridge } from "./needs-bridge.ts";
import { Remark } from "./order-notes.ts";

export const recallFulfillment = defineAction({
  type: "recall_fulfillment",
  title: "Recall from fulfilment",
  group: "fulfil",
  description: "Asks the fulfilment partner to give the order back; they may refuse.",
  params: Strict({ reason: Type.Optional(Remark) }),
  example: { reason: "Customer changed the address" },
  statuses: ["sent", "ready"],
  effect: "external",
  reversible: false,
  idempotent: true,
  unavailable: needsBridge,
});
