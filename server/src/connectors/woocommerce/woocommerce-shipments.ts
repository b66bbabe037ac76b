import { answerWithoutId, readJson } from "../../core/outbound/ask-remote.ts";
import { localDateOf } from "../../core/time-zones.ts";
import type { Call, Sent } from "../connector.ts";
import type { Json } from "../shape.ts";
import { asText, filled, listOf, objectOf } from "../shape.ts";
import type { Shipment } from "../shipment-record.ts";
import { shipmentsIn } from "../shipment-record.ts";
import { pushTask } from "../standard-tasks.ts";
import { askRoute, askWoo, orderIdOf } from "./woocommerce-api.ts";

/** One way to report shipments. Its availability depends on the version, features and extensions of the shop. */
type Way = {
  name: string;
  /** Shipments that the shop has already; undefined if the shop does not support this way. */
  known(call: Call, orderId: string): Promise<Known[] | undefined>;
  /** The id of the new shipment in the shop; undefined if the response has none, so that the shipment may be missing. */
  add(call: Call, orderId: string, shipment: Shipment): Promise<string | undefined>;
  /** Missing if this way cannot correct a shipment. */
  correct?(call: Call, orderId: string, id: string, shipment: Shipment): Promise<void>;
};

type Known = { id: string; trackingNumber: string };

const fulfillments: Way = {
  name: "fulfillments",
  async known(call, orderId) {
    const body = await askRoute(call, { path: `/wc/v3/orders/${orderId}/fulfillments` });
    if (body === undefined) return undefined;
    const list = listOf(Array.isArray(body) ? body : objectOf(body).fulfillments);
    return list
      .filter(({ date_deleted: deletedAt }) => !deletedAt)
      .map((item) => {
        const meta = listOf(item.meta_data).find(({ key }) => key === "_tracking_number");
        return { id: String(item.id), trackingNumber: asText(meta?.value) };
      });
  },
  async add(call, orderId, shipment) {
    const items = [...shipment.quantities].map(([id, qty]) => ({ item_id: Number(id), qty }));
    const body = await askWoo(call, {
      method: "POST",
      path: `/wc/v3/orders/${orderId}/fulfillments`,
      body: {
        json: {
          status: "fulfilled",
          is_fulfilled: true,
          ...noticeAnd(call, { ...trackingOf(shipment), _items: items }),
        },
      },
    });
    const answer = objectOf(readJson(body));
    return idIn(objectOf(answer.fulfillment).id ?? answer.id);
  },
  async correct(call, orderId, id, shipment) {
    const path = `/wc/v3/orders/${orderId}/fulfillments/${id}`;
    await askWoo(call, { method: "PUT", path, body: { json: noticeAnd(call, trackingOf(shipment)) }, retry: "safe" });
  },
};

function trackingOf({ trackingNumber, carrier, trackingUrl }: Shipment): Json {
  return { _tracking_number: trackingNumber, _shipment_provider: carrier, _tracking_url: trackingUrl };
}

function noticeAnd({ settings }: Call, meta: Json): Json {
  const pairs = Object.entries(filled(meta)).map(([key, value]) => ({ key, value }));
  return { notify_customer: settings.notifyCustomer === true, meta_data: pairs };
}

const shipmentTracking: Way = {
  name: "shipment_tracking",
  async known(call, orderId) {
    const body = await askRoute(call, { path: `/wc-shipment-tracking/v3/orders/${orderId}/shipment-trackings` });
    if (body === undefined) return undefined;
    return listOf(body).map((item) => ({
      id: String(item.tracking_id),
      trackingNumber: asText(item.tracking_number),
    }));
  },
  async add(call, orderId, shipment) {
    const { shippedAt } = shipment;
    const body = await askWoo(call, {
      method: "POST",
      path: `/wc-shipment-tracking/v3/orders/${orderId}/shipment-trackings`,
      body: {
        json: filled({
          custom_tracking_provider: shipment.carrier ?? "Carrier",
          custom_tracking_link: shipment.trackingUrl,
          tracking_number: shipment.trackingNumber ?? "",
          date_shipped: shippedAt && localDateOf(shippedAt, await call.timeZone()),
        }),
      },
    });
    return idIn(objectOf(readJson(body)).tracking_id);
  },
};

/** Every shop has notes; a reported shipment is found by the tracking number in its note. */
const orderNotes: Way = {
  name: "note",
  async known(call, orderId) {
    const body = readJson(await askWoo(call, { path: `/wc/v3/orders/${orderId}/notes` }));
    return listOf(body).flatMap(({ id, note }) => {
      const found = /^Shipped with .{0,300} \[([^\]]{0,300})\]/.exec(asText(note));
      return found ? [{ id: String(id), trackingNumber: found[1]! }] : [];
    });
  },
  async add(call, orderId, shipment) {
    const link = shipment.trackingUrl === undefined ? "" : ` ${shipment.trackingUrl}`;
    const note = `Shipped with ${shipment.carrier ?? "a carrier"} [${shipment.trackingNumber ?? ""}]${link}`;
    const isForCustomer = call.settings.notifyCustomer === true;
    const body = await askWoo(call, {
      method: "POST",
      path: `/wc/v3/orders/${orderId}/notes`,
      body: { json: { note, customer_note: isForCustomer } },
    });
    return idIn(objectOf(readJson(body)).id);
  },
};

const ways = [fulfillments, shipmentTracking, orderNotes];

function idIn(value: unknown): string | undefined {
  return typeof value === "number" || typeof value === "string" ? String(value) : undefined;
}

async function chooseWay(call: Call, orderId: string): Promise<{ way: Way; known: Known[] }> {
  const wanted = call.settings.trackingMethod ?? "auto";
  const candidates = ways.filter(({ name }) => wanted === "auto" || wanted === name);
  for (const way of candidates) {
    const known = await way.known(call, orderId);
    if (known) return { way, known };
  }
  return { way: orderNotes, known: (await orderNotes.known(call, orderId))! };
}

function isKnown(shipment: Shipment, known: Known[]): boolean {
  return known.some(({ trackingNumber }) => trackingNumber === (shipment.trackingNumber ?? ""));
}

async function send(call: Call, record: Json): Promise<Sent> {
  const shipments = shipmentsIn(record);
  const orderId = await orderIdOf(call, record);
  const { way, known } = await chooseWay(call, orderId);
  const created: string[] = [];
  for (const shipment of shipments) {
    if (isKnown(shipment, known)) continue;
    const id = await way.add(call, orderId, shipment);
    if (id === undefined) throw answerWithoutId(way === shipmentTracking ? "tracking_id" : "id");
    known.push({ id, trackingNumber: shipment.trackingNumber ?? "" });
    created.push(id);
  }
  await complete(call, orderId, record);
  return sentOf(orderId, way, shipments, known, created);
}

function sentOf(orderId: string, way: Way, shipments: Shipment[], known: Known[], created: string[]): Sent {
  const ids = known.filter((one) => shipments.some((shipment) => isKnown(shipment, [one]))).map(({ id }) => id);
  return { externalId: orderId, details: { method: way.name, created, shipments: ids } };
}

/** An order with one of these is left as it is: a merchant who cancelled after the first attempt must not find it completed by the second. */
const ended = new Set(["completed", "cancelled", "refunded", "failed", "trash"]);

async function complete(call: Call, orderId: string, record: Json): Promise<void> {
  const wantsStatus = call.settings.completeOrders !== false;
  if (!wantsStatus || (record.status !== "shipped" && record.status !== "delivered")) return;
  const path = `/wc/v3/orders/${orderId}`;
  const { status } = objectOf(readJson(await askWoo(call, { path })));
  if (ended.has(asText(status))) return;
  // Not repeated here: the next attempt looks first.
  await askWoo(call, { method: "PUT", path, body: { json: { status: "completed" } } });
}

async function find(call: Call, record: Json): Promise<Sent | undefined> {
  const shipments = shipmentsIn(record);
  const orderId = await orderIdOf(call, record);
  const { way, known } = await chooseWay(call, orderId);
  if (!shipments.every((shipment) => isKnown(shipment, known))) return undefined;
  await complete(call, orderId, record);
  return sentOf(orderId, way, shipments, known, []);
}

/** Notes and entries of the Shipment Tracking extension cannot be corrected. */
async function update(call: Call, record: Json, sent: Sent): Promise<Sent | undefined> {
  const [shipment] = shipmentsIn(record);
  const { method, shipments: ids } = objectOf(sent.details);
  const way = ways.find(({ name }) => name === method);
  const [id] = Array.isArray(ids) ? (ids as string[]) : [];
  if (!way?.correct || !id || sent.externalId === undefined) return undefined;
  await way.correct(call, sent.externalId, id, shipment!);
  return sent;
}

export const fulfillmentsPush = pushTask("fulfillments.push", {
  description:
    "Reports the shipments of the orders: as order fulfilments where the shop has them, else through the Shipment " +
    "Tracking extension, else as an order note. What the shop knows already is left out; numbers that were changed since " +
    "are corrected where they are order fulfilments.",
  idempotent: true,
  send,
  find,
  update,
});
