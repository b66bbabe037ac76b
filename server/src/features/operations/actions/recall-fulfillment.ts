import { Type } from "../../../core/type.ts";
import { Id, Strict } from "../../../core/schema.ts";
import { defineAction } from "../action.ts";
import { Remark } from "./order-notes.ts";
import { callPartner, referToPartner } from "./send-to-fulfillment.ts";

const Partner = Type.Optional({
  ...Id,
  description: "Default: the bridge that the order was sent to, or else that of its location",
});

export const recallFulfillment = defineAction({
  type: "recall_fulfillment",
  title: "Recall from fulfilment",
  group: "fulfil",
  description:
    "Asks the fulfilment partner to give the order back, by the task orders.recall of a bridge. They may refuse: the " +
    "order stays sent until they agree, and becomes ready then.",
  params: Strict({ bridge_id: Partner, reason: Type.Optional(Remark) }),
  example: { reason: "Customer changed the address" },
  statuses: ["sent", "ready"],
  irreversible: "The partner was asked to give the order back: send_to_fulfillment sends it again.",
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
