import { Type } from "../../core/type.ts";
import { OneOf, Strict } from "../../core/schema.ts";
import type { Call, Sent } from "../connector.ts";
import { RemoteError } from "../../core/remote-error.ts";
import type { Json } from "../shape.ts";
import { asText, filled, listOf, objectOf } from "../shape.ts";
import { externalIdOf } from "../shipment-record.ts";
import { pushTask } from "../standard-tasks.ts";
import { allNodes, gidOf, idOf, mutate, query } from "./shopify-graphql.ts";

/** Identifies the hub's own hold: it is placed once, and holds of others are never released. */
const handle = "order-operations-hub";

const reasons = [
  "AWAITING_PAYMENT",
  "AWAITING_RETURN_ITEMS",
  "HIGH_RISK_OF_FRAUD",
  "INCORRECT_ADDRESS",
  "INVENTORY_OUT_OF_STOCK",
  "UNKNOWN_DELIVERY_DATE",
  "OTHER",
] as const;

const holdsQuery = `query HubOrderHolds($id: ID!, $after: String) {
  order(id: $id) {
    id
    fulfillmentOrders(first: 50, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id status fulfillmentHolds { id handle reason reasonNotes } }
    }
  }
}`;
const holdMutation = `mutation HubHold($id: ID!, $hold: FulfillmentOrderHoldInput!) {
  fulfillmentOrderHold(id: $id, fulfillmentHold: $hold) { fulfillmentHold { id } userErrors { field message } }
}`;
const releaseMutation = `mutation HubReleaseHold($id: ID!, $holdIds: [ID!]) {
  fulfillmentOrderReleaseHold(id: $id, holdIds: $holdIds) { fulfillmentOrder { id } userErrors { field message } }
}`;

/** Undefined if the order does not exist. */
async function readFulfillmentOrders(call: Call, id: unknown): Promise<Json[] | undefined> {
  const ask = async (after: string | null): Promise<unknown> =>
    (await query(call, holdsQuery, { id, after })).order ?? undefined;
  const order = await ask(null);
  if (order === undefined) return undefined;
  return await allNodes(
    objectOf(order).fulfillmentOrders,
    async (after) => objectOf(await ask(after)).fulfillmentOrders,
  );
}

/** The holds of others. Holds that a task of the hub has placed are left out. */
export async function readHolds(call: Call, id: unknown): Promise<Json[]> {
  try {
    const nodes = (await readFulfillmentOrders(call, id)) ?? [];
    const holds = nodes.flatMap((node) => listOf(node.fulfillmentHolds));
    return holds.filter((one) => one.handle !== handle);
  } catch (error) {
    if (!(error instanceof RemoteError) || error.retryable) throw error;
    // A token without access to fulfillment orders can still read orders, including that they are on hold.
    call.log("warn", `Shopify does not say why an order is on hold: ${error.message}`);
    return [{ reason: "OTHER" }];
  }
}

type Holdable = { id: string; ours: string[] };

async function readHoldable(call: Call, record: Json): Promise<Holdable[]> {
  const id = gidOf("Order", externalIdOf(record));
  const nodes = await readFulfillmentOrders(call, id);
  if (!nodes) throw new RemoteError("not_found", `Shopify has no order ${idOf(id)}.`);
  return nodes
    .filter(({ status }) => ["OPEN", "IN_PROGRESS", "ON_HOLD", "SCHEDULED"].includes(asText(status)))
    .map((node) => ({
      id: String(node.id),
      ours: listOf(node.fulfillmentHolds)
        .filter((hold) => hold.handle === handle)
        .map((hold) => String(hold.id)),
    }));
}

async function hold(call: Call, record: Json): Promise<Sent> {
  const holdable = await readHoldable(call, record);
  if (holdable.length === 0) throw new RemoteError("nothing_to_hold", "Nothing of the order is left to fulfil.");
  const { reason = "OTHER", notes } = call.input;
  for (const { id, ours } of holdable) {
    if (ours.length > 0) continue;
    await mutate(call, holdMutation, "fulfillmentOrderHold", {
      id,
      hold: filled({ reason, reasonNotes: notes, handle, notifyMerchant: false }),
    });
  }
  return { details: { held: holdable.length } };
}

async function release(call: Call, record: Json): Promise<Sent> {
  let released = 0;
  for (const { id, ours } of await readHoldable(call, record)) {
    if (ours.length === 0) continue;
    await mutate(call, releaseMutation, "fulfillmentOrderReleaseHold", { id, holdIds: ours });
    released++;
  }
  return { details: { released } };
}

export const ordersHold = pushTask("orders.hold", {
  description: "Puts what is left to fulfil on hold at Shopify.",
  input: Strict(
    {
      reason: Type.Optional(OneOf(reasons, { title: "Reason", description: "Default: OTHER" })),
      notes: Type.Optional(Type.String({ title: "Notes", maxLength: 255, description: "Shown in the Shopify admin" })),
    },
    { examples: [{ reason: "INCORRECT_ADDRESS", notes: "Street is missing" }] },
  ),
  idempotent: true,
  send: hold,
  async find(call, record) {
    const holdable = await readHoldable(call, record);
    const isHeld = holdable.length > 0 && holdable.every(({ ours }) => ours.length > 0);
    return isHeld ? { details: { held: holdable.length } } : undefined;
  },
});

export const ordersReleaseHold = pushTask("orders.release_hold", {
  description: "Releases the holds that this task's counterpart has placed; holds of others stay.",
  idempotent: true,
  send: release,
  async find(call, record) {
    const holdable = await readHoldable(call, record);
    return holdable.every(({ ours }) => ours.length === 0) ? { details: { released: 0 } } : undefined;
  },
});
