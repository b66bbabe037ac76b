import { Type } from "../../../core/type.ts";
import { Id, Strict } from "../../../core/schema.ts";
import { defineAction } from "../action.ts";
import { Remark } from "./order-notes.ts";
import { callPartner, referToPartner } from "./send-to-fulfillment.ts";

const Partner = Type.Optional({
  ...Id,
  description: "Default: the bridge the order was sent to, else the bridge of its location",
});

export const recallFulfillment = defineAction({
  type: "recall_fulfillment",
  title: "Recall from fulfillment",
  group: "fulfillment",
  description:
    "Asks the fulfillment partner to return the order with the task orders.recall. The order stays sent until the " +
    "partner agrees; then it becomes ready.",
  params: Strict({ bridge_id: Partner, reason: Type.Optional(Remark) }),
  example: { reason: "Customer changed the address" },
  statuses: ["sent", "ready"],
  irreversible: "The partner was asked to return the order. Use send_to_fulfillment to send it again.",
  needsBridges: true,
  refers: referToPartner,
  apply(order, params, env) {
    if (order.status === "ready") return { patch: {} };
    const input = params.reason === undefined ? {} : { reason: params.reason };
    const wanted = { taskName: "orders.recall", input, followUp: "fulfillment_recall" } as const;
    const { bridges } = env;
    const bridgeId = params.bridge_id ?? bridges.ofSent(order.id) ?? bridges.ofLocation(order.locationId);
    const call = callPartner(bridgeId, env, wanted);
    return "refused" in call ? call : { patch: {}, call };
  },
});
