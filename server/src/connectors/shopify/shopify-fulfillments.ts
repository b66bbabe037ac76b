import type { Call, Sent } from "../connector.ts";
import { answerWithoutId } from "../../core/outbound/ask-remote.ts";
import { RemoteError } from "../../core/remote-error.ts";
import type { Json } from "../shape.ts";
import { filled, listOf, numberOf, objectOf } from "../shape.ts";
import type { Shipment } from "../shipment-record.ts";
import { externalIdOf, shipmentsIn } from "../shipment-record.ts";
import { pushTask } from "../standard-tasks.ts";
import { allNodes, gidOf, idOf, mutate, query } from "./shopify-graphql.ts";

const page = "pageInfo { hasNextPage endCursor }";
const openFields = "id remainingQuantity lineItem { id }";
const fulfillmentOrderFields = `id status assignedLocation { location { id } }
  lineItems(first: 30) { ${page} nodes { ${openFields} } }`;

/**
 * Small pages: the cost of a query is the product of its page sizes, and Shopify rejects a cost above 1,000. The rest of longer lists is
 * read by separate queries. The list of fulfillments has no cursor: Shopify returns at most 250.
 */
const stateQuery = `query HubOrderFulfillments($id: ID!) {
  order(id: $id) {
    id
    lineItems(first: 50) { ${page} nodes { id requiresShipping } }
    fulfillments(first: 250) { id status trackingInfo { number } }
    fulfillmentOrders(first: 5) { ${page} nodes { ${fulfillmentOrderFields} } }
  }
}`;
const moreLinesQuery = `query HubOrderLineKinds($id: ID!, $after: String) {
  order(id: $id) { lineItems(first: 250, after: $after) { ${page} nodes { id requiresShipping } } }
}`;
const moreFulfillmentOrdersQuery = `query HubFulfillmentOrders($id: ID!, $after: String) {
  order(id: $id) { fulfillmentOrders(first: 10, after: $after) { ${page} nodes { ${fulfillmentOrderFields} } } }
}`;
const moreOpenQuery = `query HubFulfillmentOrderLines($id: ID!, $after: String) {
  fulfillmentOrder(id: $id) { lineItems(first: 250, after: $after) { ${page} nodes { ${openFields} } } }
}`;
const fulfilledQuery = `query HubFulfillmentLines($id: ID!, $after: String) {
  fulfillment(id: $id) {
    fulfillmentLineItems(first: 250, after: $after) { ${page} nodes { quantity lineItem { id } } }
  }
}`;

const createMutation = `mutation HubFulfil($fulfillment: FulfillmentInput!) {
  fulfillmentCreate(fulfillment: $fulfillment) { fulfillment { id status } userErrors { field message } }
}`;

const correctMutation = `mutation HubCorrectTracking($id: ID!, $tracking: FulfillmentTrackingInput!, $notify: Boolean) {
  fulfillmentTrackingInfoUpdate(fulfillmentId: $id, trackingInfoInput: $tracking, notifyCustomer: $notify) {
    fulfillment { id } userErrors { field message }
  }
}`;

type Reported = { id: string; trackingNumber: string | undefined; quantities: Map<string, number> };
type OpenItem = { id: string; fulfillmentOrderId: string; locationId: string; lineId: string; remaining: number };
type State = {
  reported: Reported[];
  open: OpenItem[];
  isHeld: boolean;
  /** Lines that are not shipped, such as gift cards. Shopify may have nothing left to fulfill for them. */
  withoutParcel: Set<string>;
};

async function readState(call: Call, record: Json, shipments: Shipment[]): Promise<State> {
  const id = gidOf("Order", externalIdOf(record));
  const { order } = await query(call, stateQuery, { id });
  if (!order) throw new RemoteError("not_found", `Shopify has no order ${idOf(id)}.`);
  const { lineItems, fulfillments, fulfillmentOrders: first } = objectOf(order);
  const more = async (document: string, field: string, after: string): Promise<unknown> =>
    objectOf((await query(call, document, { id, after })).order)[field];
  const lines = await allNodes(lineItems, (after) => more(moreLinesQuery, "lineItems", after));
  const fulfillmentOrders = await allNodes(first, (after) =>
    more(moreFulfillmentOrdersQuery, "fulfillmentOrders", after),
  );
  const isOpen = ({ status }: Json): boolean => status === "OPEN" || status === "IN_PROGRESS";
  const open: OpenItem[] = [];
  for (const one of fulfillmentOrders.filter(isOpen)) open.push(...(await readOpenItems(call, one)));
  const numbers = new Set(shipments.map(({ trackingNumber }) => trackingNumber));
  const reported: Reported[] = [];
  for (const one of listOf(fulfillments).filter(isValid)) reported.push(...(await readReported(call, one, numbers)));
  return {
    reported,
    open,
    isHeld: fulfillmentOrders.some(({ status }) => status === "ON_HOLD"),
    withoutParcel: new Set(
      lines.filter(({ requiresShipping }) => requiresShipping === false).map((item) => idOf(item.id)),
    ),
  };
}

function isValid({ status }: Json): boolean {
  return status !== "CANCELLED" && status !== "ERROR" && status !== "FAILURE";
}

/** Reads the quantities of a fulfillment with one of these tracking numbers. Each needs a request of its own. */
async function readReported(
  call: Call,
  fulfillment: Json,
  numbers: ReadonlySet<string | undefined>,
): Promise<Reported[]> {
  const given = listOf(fulfillment.trackingInfo).map(({ number }) => number);
  const known = given.filter((number): number is string => typeof number === "string" && number !== "");
  const wanted = (known.length === 0 ? [undefined] : known).filter((number) => numbers.has(number));
  if (wanted.length === 0) return [];
  const ask = async (after: string | null): Promise<unknown> => {
    const data = await query(call, fulfilledQuery, { id: fulfillment.id, after });
    return objectOf(data.fulfillment).fulfillmentLineItems;
  };
  const quantities = new Map<string, number>();
  for (const { quantity, lineItem } of await allNodes(await ask(null), ask)) {
    const lineId = idOf(objectOf(lineItem).id);
    quantities.set(lineId, (quantities.get(lineId) ?? 0) + numberOf(quantity));
  }
  const id = idOf(fulfillment.id);
  return wanted.map((trackingNumber) => ({ id, trackingNumber, quantities }));
}

async function readOpenItems(call: Call, fulfillmentOrder: Json): Promise<OpenItem[]> {
  const { id, lineItems, assignedLocation } = fulfillmentOrder;
  const items = await allNodes(lineItems, async (after) => {
    const data = await query(call, moreOpenQuery, { id, after });
    return objectOf(data.fulfillmentOrder).lineItems;
  });
  return items.map((item) => ({
    id: String(item.id),
    fulfillmentOrderId: String(id),
    locationId: String(objectOf(objectOf(assignedLocation).location).id),
    lineId: idOf(objectOf(item.lineItem).id),
    remaining: numberOf(item.remainingQuantity),
  }));
}

/** Quantities by line that Shopify does not have yet. A shipment is identified by its tracking number. */
function missingOf(shipment: Shipment, state: State): Map<string, number> {
  const missing = new Map<string, number>();
  const known = state.reported.filter(({ trackingNumber }) => trackingNumber === shipment.trackingNumber);
  // A shipment without lines contains all remaining quantities.
  if (shipment.quantities.size === 0 && known.length === 0) {
    for (const { lineId, remaining } of state.open) missing.set(lineId, (missing.get(lineId) ?? 0) + remaining);
    return missing;
  }
  for (const [lineId, quantity] of shipment.quantities) {
    const done = known.reduce((sum, { quantities }) => sum + (quantities.get(lineId) ?? 0), 0);
    const open = state.open.reduce((sum, item) => sum + (item.lineId === lineId ? item.remaining : 0), 0);
    const left = state.withoutParcel.has(lineId) ? Math.min(quantity - done, open) : quantity - done;
    if (left > 0) missing.set(lineId, left);
  }
  return missing;
}

function trackingOf({ trackingNumber, carrier, trackingUrl }: Shipment): Json {
  return filled({ number: trackingNumber, company: carrier, url: trackingUrl });
}

async function send(call: Call, record: Json): Promise<Sent> {
  const shipments = shipmentsIn(record);
  const state = await readState(call, record, shipments);
  const created: string[] = [];
  for (const shipment of shipments) {
    const missing = missingOf(shipment, state);
    for (const group of allocate(missing, state)) {
      const result = await mutate(call, createMutation, "fulfillmentCreate", {
        fulfillment: {
          lineItemsByFulfillmentOrder: group,
          trackingInfo: trackingOf(shipment),
          notifyCustomer: call.settings.notifyCustomer === true,
        },
      });
      const { id } = objectOf(result.fulfillment);
      if (String(id) === "") throw answerWithoutId("fulfillmentCreate.fulfillment.id");
      created.push(idOf(id));
    }
  }
  return sentOf(created, shipments, state);
}

/** The fulfillments of these shipments: a shipment from several locations has several. */
function sentOf(created: string[], shipments: Shipment[], state: State): Sent {
  const before = state.reported.filter(({ trackingNumber, quantities }) =>
    shipments.some(
      (shipment) =>
        shipment.trackingNumber === trackingNumber &&
        (trackingNumber !== undefined || [...quantities.keys()].every((lineId) => shipment.quantities.has(lineId))),
    ),
  );
  const all = [...new Set([...before.map(({ id }) => id), ...created])];
  return { ...(all.length === 0 ? {} : { externalId: all.at(-1)! }), details: { created, fulfillments: all } };
}

/** Corrects tracking number, carrier and link. Shopify cannot change the quantities. */
async function update(call: Call, record: Json, { details }: Sent): Promise<Sent | undefined> {
  const [shipment] = shipmentsIn(record);
  const { fulfillments } = objectOf(details);
  const ids = Array.isArray(fulfillments) ? (fulfillments as string[]) : [];
  if (ids.length === 0) return undefined;
  for (const id of ids) {
    await mutate(call, correctMutation, "fulfillmentTrackingInfoUpdate", {
      id: gidOf("Fulfillment", id),
      tracking: trackingOf(shipment!),
      notify: call.settings.notifyCustomer === true,
    });
  }
  return { externalId: ids.at(-1)!, details: { created: [], fulfillments: ids } };
}

/** One fulfillment per location, as Shopify requires. Subtracts the allocated quantities from the state. */
function allocate(missing: Map<string, number>, state: State): Json[][] {
  const byLocation = new Map<string, Map<string, Json[]>>();
  for (const [lineId, quantity] of missing) {
    let left = quantity;
    for (const item of state.open) {
      const taken = item.lineId === lineId ? Math.min(left, item.remaining) : 0;
      if (taken === 0) continue;
      left -= taken;
      item.remaining -= taken;
      const orders = byLocation.get(item.locationId) ?? new Map<string, Json[]>();
      byLocation.set(item.locationId, orders);
      orders.set(item.fulfillmentOrderId, [
        ...(orders.get(item.fulfillmentOrderId) ?? []),
        { id: item.id, quantity: taken },
      ]);
    }
    if (left > 0) {
      const why = state.isHeld ? "it is on hold at Shopify" : "it was fulfilled or removed there in another way";
      throw new RemoteError("nothing_left", `Shopify cannot fulfil ${left} of line ${lineId}: ${why}.`);
    }
  }
  return [...byLocation.values()].map((orders) =>
    [...orders].map(([fulfillmentOrderId, items]) => ({ fulfillmentOrderId, fulfillmentOrderLineItems: items })),
  );
}

async function find(call: Call, record: Json): Promise<Sent | "in part" | undefined> {
  const shipments = shipmentsIn(record);
  const state = await readState(call, record, shipments);
  const known = sentOf([], shipments, state);
  if (shipments.every((shipment) => missingOf(shipment, state).size === 0)) return known;
  // Some fulfillments were created, for example for one of two locations.
  return known.externalId === undefined ? undefined : "in part";
}

export const fulfillmentsPush = pushTask("fulfillments.push", {
  description:
    "Reports the shipments of the orders with their tracking numbers, and corrects numbers that were changed since. What " +
    "Shopify knows already is left out.",
  idempotent: true,
  send,
  find,
  update,
});
