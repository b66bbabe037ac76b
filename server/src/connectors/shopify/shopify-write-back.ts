import { OneOf, Strict } from "../../core/schema.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { Type } from "../../core/type.ts";
import type { Call } from "../connector.ts";
import type { Json } from "../shape.ts";
import { asText, filled, listOf, objectOf } from "../shape.ts";
import { externalIdOf } from "../shipment-record.ts";
import { inputContent, NoteInput, NotifyInput, pushTask, TagsInput } from "../standard-tasks.ts";
import { gidOf, idOf, mutate, query } from "./shopify-graphql.ts";

const stateQuery = "query HubOrderState($id: ID!) { order(id: $id) { id tags note cancelledAt } }";
const tagsAdd = `mutation HubAddTags($id: ID!, $tags: [String!]!) {
  tagsAdd(id: $id, tags: $tags) { node { id } userErrors { field message } }
}`;
const tagsRemove = `mutation HubRemoveTags($id: ID!, $tags: [String!]!) {
  tagsRemove(id: $id, tags: $tags) { node { id } userErrors { field message } }
}`;
const orderUpdate = `mutation HubUpdateOrder($input: OrderInput!) {
  orderUpdate(input: $input) { order { id } userErrors { field message } }
}`;
const orderCancel = `mutation HubCancelOrder($id: ID!, $reason: OrderCancelReason!, $refundMethod: OrderCancelRefundMethodInput!, $restock: Boolean!, $notifyCustomer: Boolean, $staffNote: String) {
  orderCancel(orderId: $id, reason: $reason, refundMethod: $refundMethod, restock: $restock, notifyCustomer: $notifyCustomer, staffNote: $staffNote) {
    job { id } orderCancelUserErrors { field message } userErrors { field message }
  }
}`;

/** The order at Shopify, which this bridge has imported. */
async function readOrder(call: Call, record: Json, document = stateQuery): Promise<Json> {
  const id = gidOf("Order", externalIdOf(record));
  const { order } = await query(call, document, { id });
  if ((order ?? null) === null) throw new RemoteError("not_found", `Shopify has no order ${idOf(id)}.`);
  return objectOf(order);
}

function tagsOf({ tags }: Json): string[] {
  return Array.isArray(tags) ? tags.map(asText) : [];
}

/** Shopify compares tags without regard to case. */
function hasTag(order: Json, tag: string): boolean {
  return tagsOf(order).some((known) => known.toLowerCase() === tag.toLowerCase());
}

function tagTask(name: "orders.tag" | "orders.untag", document: string, field: string, wanted: boolean) {
  const askedOf = ({ input }: Call): string[] => input.tags as string[];
  return pushTask(name, {
    description: wanted ? "Adds tags to the orders at Shopify." : "Removes tags from the orders at Shopify.",
    input: TagsInput,
    idempotent: true,
    async send(call, record) {
      const order = await readOrder(call, record);
      const tags = askedOf(call).filter((tag) => hasTag(order, tag) !== wanted);
      if (tags.length > 0) await mutate(call, document, field, { id: order.id, tags });
      return { externalId: idOf(order.id) };
    },
    async find(call, record) {
      const order = await readOrder(call, record);
      return askedOf(call).every((tag) => hasTag(order, tag) === wanted) ? { externalId: idOf(order.id) } : undefined;
    },
  });
}

export const ordersTag = tagTask("orders.tag", tagsAdd, "tagsAdd", true);
export const ordersUntag = tagTask("orders.untag", tagsRemove, "tagsRemove", false);

export const ordersNote = pushTask("orders.note", {
  description: "Adds a line to the note of the orders at Shopify. A note that has the text already stays as it is.",
  input: NoteInput,
  contentOf: inputContent,
  idempotent: true,
  async send(call, record) {
    const order = await readOrder(call, record);
    const [before, added] = [asText(order.note), asText(call.input.note)];
    if (!before.includes(added)) {
      const note = before === "" ? added : `${before}\n${added}`;
      await mutate(call, orderUpdate, "orderUpdate", { input: { id: order.id, note } });
    }
    return { externalId: idOf(order.id) };
  },
  async find(call, record) {
    const order = await readOrder(call, record);
    return asText(order.note).includes(asText(call.input.note)) ? { externalId: idOf(order.id) } : undefined;
  },
});

const reasons = ["CUSTOMER", "DECLINED", "FRAUD", "INVENTORY", "OTHER", "STAFF"] as const;

export const ordersCancel = pushTask("orders.cancel", {
  description: "Cancels the orders at Shopify. This cannot be taken back there.",
  input: Strict(
    {
      reason: Type.Optional(OneOf(reasons, { title: "Reason", description: "Default: OTHER" })),
      note: Type.Optional(Type.String({ title: "Note", minLength: 1, maxLength: 255, description: "For the staff" })),
      refund: Type.Optional(
        Type.Boolean({ title: "Refund", description: "To the original payment method. Default: false" }),
      ),
      restock: Type.Optional(Type.Boolean({ title: "Restock", description: "Default: true" })),
      ...NotifyInput,
    },
    { examples: [{ reason: "CUSTOMER", refund: true }] },
  ),
  idempotent: true,
  async send(call, record) {
    const order = await readOrder(call, record);
    const sent = { externalId: idOf(order.id) };
    if ((order.cancelledAt ?? null) !== null) return sent;
    const { reason = "OTHER", note, refund = false, restock = true, notifyCustomer = false } = call.input;
    const refundMethod = { originalPaymentMethodsRefund: refund };
    const variables = { id: order.id, reason, refundMethod, restock, notifyCustomer, staffNote: note };
    const result = await mutate(call, orderCancel, "orderCancel", filled(variables));
    const errors = listOf(result.orderCancelUserErrors).map(({ message }) => asText(message));
    if (errors.length > 0) throw new RemoteError("rejected", `Shopify did not accept it: ${errors.join(" ")}`);
    return sent;
  },
  async find(call, record) {
    const order = await readOrder(call, record);
    return (order.cancelledAt ?? null) === null ? undefined : { externalId: idOf(order.id) };
  },
});
