import { Type } from "../../../core/type.ts";
import { Id, Strict } from "../../../core/schema.ts";
import { defineAction } from "../action.ts";
import { Remark } from "./order-notes.ts";
import { noBridge } from "./send-to-fulfillment.ts";

export const recallFulfillment = defineAction({
  type: "recall_fulfillment",
  title: "Recall from fulfilment",
  group: "fulfil",
  description:
    "Asks the fulfilment partner to give the order back, by the task orders.recall of a bridge. They may refuse: the " +
    "order stays sent until they agree, and becomes ready then.",
  params: Strict({
    bridge_id: Type.Optional({ ...Id, description: "Default: the bridge of the order's location" }),
    reason: Type.Optional(Remark),
  }),
  example: { reason: "Customer changed the address" },
  statuses: ["sent", "ready"],
  reversible: false,
  needsBridges: true,
  refers: ({ bridge_id }) => (bridge_id === undefined ? [] : [{ kind: "bridge", id: bridge_id, param: "bridge_id" }]),
  apply(order, params, { bridges }) {
    if (order.status === "ready") return { patch: {} };
    const bridgeId = params.bridge_id ?? bridges.ofLocation(order.locationId);
    if (bridgeId === undefined) return noBridge;
    const taskName = "orders.recall";
    const input = params.reason === undefined ? {} : { reason: params.reason };
    const problem = bridges.problem(bridgeId, taskName, input);
    if (problem) return problem;
    return { patch: {}, call: { bridgeId, taskName, input, followUp: "fulfillment_recall" } };
  },
});
