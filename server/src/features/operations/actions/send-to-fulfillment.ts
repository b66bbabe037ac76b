import { Type } from "../../../core/type.ts";
import { Id, Strict } from "../../../core/schema.ts";
import type { ActionEnv, ExternalCall, Reference, Refusal } from "../action.ts";
import { defineAction, refuse } from "../action.ts";

const PartnerBridge = Type.Optional({ ...Id, description: "Default: the bridge of the order's location" });

export const sendToFulfillment = defineAction({
  type: "send_to_fulfillment",
  title: "Send to fulfilment",
  group: "fulfil",
  description:
    "Hands the order to a fulfilment partner by the task orders.export of a bridge. The order is sent when the run says " +
    "so; if the partner does not take it, it becomes ready again and is put on hold with the reason.",
  params: Strict({ bridge_id: PartnerBridge }),
  example: {},
  statuses: ["ready", "sent"],
  irreversible: "The partner has it: recall_fulfillment asks them to give it back.",
  blockedByHold: true,
  needsBridges: true,
  refers: referToPartner,
  apply(order, params, env) {
    if (order.status === "sent") return { patch: {} };
    const wanted = { taskName: "orders.export", input: {}, followUp: "fulfillment_send" } as const;
    const call = callPartner(params.bridge_id ?? env.bridges.ofLocation(order.locationId), env, wanted);
    return "refused" in call ? call : { patch: { status: "sent" }, call };
  },
});

type Named = { bridge_id?: string };

export function referToPartner({ bridge_id: id }: Named): Reference[] {
  return id === undefined ? [] : [{ kind: "bridge", id, param: "bridge_id" }];
}

export function callPartner(
  bridgeId: string | undefined,
  { bridges }: ActionEnv,
  wanted: Omit<ExternalCall, "bridgeId">,
): ExternalCall | Refusal {
  if (bridgeId === undefined) return noBridge;
  return bridges.problem(bridgeId, wanted.taskName, wanted.input) ?? { bridgeId, ...wanted };
}

const noBridge = refuse(
  "no_fulfillment_bridge",
  "Neither the step nor the order's location names a bridge.",
  "Name bridge_id, or assign a location that came from a bridge.",
);
