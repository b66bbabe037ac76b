import { Type } from "typebox";
import { Id, Strict } from "../../../core/schema.ts";
import { defineAction } from "../action.ts";
import { needsBridge } from "./needs-bridge.ts";

export const sendToFulfillment = defineAction({
  type: "send_to_fulfillment",
  title: "Send to fulfilment",
  group: "fulfil",
  description: "Hands the order to a fulfilment partner.",
  params: Strict({ bridge_id: Type.Optional({ ...Id, description: "Default: the bridge of the order's location" }) }),
  example: {},
  statuses: ["ready", "sent"],
  effect: "external",
  reversible: false,
  idempotent: true,
  blockedByHold: true,
  unavailable: needsBridge,
});
