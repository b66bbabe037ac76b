import { Type } from "../../../core/type.ts";
import { Id, Strict } from "../../../core/schema.ts";
import type { ActionEnv, ExternalCall, Reference, Refusal } from "../action.ts";
import { defineAction, refuse } from "../action.ts";

const PartnerBridge = Type.Optional({ ...Id, description: "Default: the bridge of the order's location" });

export const sendToFulfillment = defineAction({
  type: "send_to_fulfillment",
  title: "Send to fulfillment",
  group: "fulfillment",
  description:
    "Sends the order to a fulfillment partner with the task orders.export. If the partner rejects it, the order " +
    "becomes ready again and is placed on hold.",
  params: Strict({ bridge_id: PartnerBridge }),
  example: {},
  statuses: ["ready", "sent"],
  irreversible: "The partner has the order. Use recall_fulfillment to ask for it back.",
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
  "Neither the step nor the order's location has a bridge.",
  "Set bridge_id, or assign a location synced from a bridge.",
);
