import { Type } from "../../../core/type.ts";
import { Id, Strict } from "../../../core/schema.ts";
import { defineAction, refuse } from "../action.ts";

export const sendToFulfillment = defineAction({
  type: "send_to_fulfillment",
  title: "Send to fulfilment",
  group: "fulfil",
  description:
    "Hands the order to a fulfilment partner by the task orders.export of a bridge. The order is sent when the run says " +
    "so; if the partner does not take it, it becomes ready again and is put on hold with the reason.",
  params: Strict({ bridge_id: Type.Optional({ ...Id, description: "Default: the bridge of the order's location" }) }),
  example: {},
  statuses: ["ready", "sent"],
  reversible: false,
  blockedByHold: true,
  needsBridges: true,
  refers: ({ bridge_id }) => (bridge_id === undefined ? [] : [{ kind: "bridge", id: bridge_id, param: "bridge_id" }]),
  apply(order, params, { bridges }) {
    if (order.status === "sent") return { patch: {} };
    const bridgeId = params.bridge_id ?? bridges.ofLocation(order.locationId);
    if (bridgeId === undefined) return noBridge;
    const taskName = "orders.export";
    const problem = bridges.problem(bridgeId, taskName, {});
    if (problem) return problem;
    return { patch: { status: "sent" }, call: { bridgeId, taskName, input: {}, followUp: "fulfillment_send" } };
  },
});

export const noBridge = refuse(
  "no_fulfillment_bridge",
  "Neither the step nor the order's location names a bridge.",
  "Name bridge_id, or assign a location that came from a bridge.",
);
