import type { Call } from "../connector.ts";
import type { Json } from "../shape.ts";
import { listOf, objectOf } from "../shape.ts";
import { allNodes, idOf, query } from "./shopify-graphql.ts";

/** Collected by the buyer, handed over in a store, or nothing to deliver. Parcels to a pickup point and local deliveries are shipped. */
const withoutParcel: readonly unknown[] = ["PICK_UP", "RETAIL", "NONE"];

const tagsOfMethods = new Map<unknown, string>([
  ["PICK_UP", "pickup"],
  ["PICKUP_POINT", "pickup_point"],
  ["LOCAL", "local_delivery"],
]);

const lineFields = "pageInfo { hasNextPage endCursor } nodes { lineItem { id } }";
/** Cost: 10 x (2 + 40 x 2) = 820 points. */
const deliveriesQuery = `query HubOrderDeliveries($id: ID!, $after: String) {
  order(id: $id) {
    fulfillmentOrders(first: 10, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id deliveryMethod { methodType } lineItems(first: 40) { ${lineFields} } }
    }
  }
}`;
const deliveryLinesQuery = `query HubDeliveryLines($id: ID!, $after: String) {
  fulfillmentOrder(id: $id) { lineItems(first: 250, after: $after) { ${lineFields} } }
}`;

function fulfillmentOrdersOf(order: Json): Json[] {
  return listOf(objectOf(order.fulfillmentOrders).nodes);
}

function methodOf({ deliveryMethod }: Json): unknown {
  return objectOf(deliveryMethod).methodType;
}

/** Adds `collectedLineIds` if some lines are shipped and others are not. Only then, since it needs a request of its own. */
export async function withCollectedLines(call: Call, order: Json): Promise<Json> {
  const kinds = new Set(fulfillmentOrdersOf(order).map((one) => withoutParcel.includes(methodOf(one))));
  if (kinds.size < 2) return order;
  const read = async (after: string | null): Promise<unknown> =>
    objectOf((await query(call, deliveriesQuery, { id: order.id, after })).order).fulfillmentOrders;
  const collectedLineIds: string[] = [];
  for (const { id, lineItems, ...one } of await allNodes(await read(null), read)) {
    if (!withoutParcel.includes(methodOf(one))) continue;
    const lines = await allNodes(lineItems, async (after) => {
      const data = await query(call, deliveryLinesQuery, { id, after });
      return objectOf(data.fulfillmentOrder).lineItems;
    });
    collectedLineIds.push(...lines.map(({ lineItem }) => idOf(objectOf(lineItem).id)));
  }
  return { ...order, collectedLineIds };
}

/** Whether a line is part of no parcel because of the way in which it is delivered. */
export function isCollected(order: Json): (lineId: string) => boolean {
  const { collectedLineIds: ids } = order;
  if (Array.isArray(ids)) return (lineId) => ids.includes(lineId);
  const all = fulfillmentOrdersOf(order);
  const isAll = all.length > 0 && all.every((one) => withoutParcel.includes(methodOf(one)));
  return () => isAll;
}

export function deliveryTags(order: Json): string[] {
  return fulfillmentOrdersOf(order).flatMap((one) => tagsOfMethods.get(methodOf(one)) ?? []);
}

const openStatuses: readonly unknown[] = ["OPEN", "IN_PROGRESS", "ON_HOLD", "SCHEDULED"];

/** The location that ships what is left; undefined if there are several. */
export function locationOf(order: Json): string | undefined {
  if (objectOf(objectOf(order.fulfillmentOrders).pageInfo).hasNextPage === true) return undefined;
  const open = fulfillmentOrdersOf(order).filter(({ status }) => openStatuses.includes(status));
  const ids = new Set(open.map(({ assignedLocation }) => idOf(objectOf(objectOf(assignedLocation).location).id)));
  const [first] = ids;
  return ids.size === 1 && first !== "" ? first : undefined;
}

export function isHeld(order: Json): boolean {
  const isSomeHeld = fulfillmentOrdersOf(order).some(({ status }) => status === "ON_HOLD");
  return order.displayFulfillmentStatus === "ON_HOLD" || isSomeHeld;
}
