import { Type } from "../../core/type.ts";
import { Strict } from "../../core/schema.ts";
import type { Sent } from "../connector.ts";
import { shortHash } from "../short-hash.ts";
import { pushTask } from "../standard-tasks.ts";

/** The demo shop is stateless: the same effect key always gets the same response. */
function accept(kind: string, effectKey: string, details: Record<string, unknown>): Promise<Sent> {
  return Promise.resolve({ externalId: `demo-${kind}-${shortHash(effectKey)}`, details });
}

const fulfillmentsPush = pushTask("fulfillments.push", {
  description: "Reports the shipments of the orders to the demo shop, which accepts everything.",
  idempotent: true,
  send(_call, record, effectKey) {
    const shipments = Array.isArray(record.shipments) ? record.shipments : [];
    return accept("fulfillment", effectKey, { shipments: shipments.length });
  },
  update: (_call, _record, sent) => Promise.resolve(sent),
});

const ordersExport = pushTask("orders.export", {
  description: "Sends the orders to the demo shop, which accepts everything.",
  idempotent: true,
  send: (_call, record, effectKey) => accept("order", effectKey, { number: record.number ?? null }),
});

const ordersRecall = pushTask("orders.recall", {
  description: "Recalls the orders from the demo shop, which always agrees.",
  input: Strict({ reason: Type.Optional(Type.String({ title: "Reason", maxLength: 500 })) }),
  idempotent: true,
  send: (_call, record, effectKey) => accept("recall", effectKey, { number: record.number ?? null }),
});

export const demoPushes = [fulfillmentsPush, ordersExport, ordersRecall];
