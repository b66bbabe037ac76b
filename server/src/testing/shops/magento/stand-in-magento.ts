import type { CarrierReply, CarrierRequest } from "../../carriers/stand-in-api.ts";
import { runShop } from "../run-shop.ts";
import { isSignedBy } from "./oauth1-check.ts";
import { magentoOrders } from "./magento-orders.ts";

type Track = { track_number: string; title: string; carrier_code: string };
type MagentoShipment = {
  id: number;
  orderId: number;
  items: { order_item_id: number; qty: number }[];
  tracks: Track[];
  notify?: boolean;
};

const keys = {
  consumerKey: "magento-consumer-key",
  consumerSecret: "magento-consumer-secret",
  token: "magento-access-token",
  tokenSecret: "magento-token-secret",
};

/**
 * Orders and shipments of Magento's REST API, signed with the OAuth 1.0a keys of an integration. Behind the last page comes the
 * last page again; a new shipment is answered with its bare ID.
 */
export async function startMagentoShop() {
  const orders = magentoOrders();
  const shipments: MagentoShipment[] = [];

  const list = ({ url: { searchParams: query } }: CarrierRequest): CarrierReply => {
    const criteria = (path: string): string | null => query.get(`searchCriteria${path}`);
    const filter = "[filter_groups][0][filters][0]";
    const field = criteria(`${filter}[field]`);
    if (field !== null && field !== "updated_at") return failure(400, "Column not found: %1", [field]);
    const since = criteria(`${filter}[value]`);
    if (since !== null && !/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(since))
      return { status: 200, body: page([], 1, 1) };
    const found = orders
      .filter(({ updated_at: at }) => since === null || at >= since)
      .toSorted((a, b) => a.entity_id - b.entity_id);
    return {
      status: 200,
      body: page(found, Number(criteria("[pageSize]") ?? 20), Number(criteria("[currentPage]") ?? 1)),
    };
  };

  const ship = (request: CarrierRequest, [, orderId]: RegExpExecArray): CarrierReply => {
    const order = orders.find(({ entity_id: id }) => id === Number(orderId));
    if (!order) return failure(404, "The entity that was requested doesn't exist. Verify the entity and try again.");
    const { items = [], tracks = [], notify } = request.json() as Partial<MagentoShipment>;
    const shippable = ["processing", "new"].includes(order.state) && items.length > 0;
    if (!shippable)
      return failure(400, "Shipment Document Validation Error(s):\nThe order does not allow a shipment to be created.");
    for (const { order_item_id: id, qty } of items) {
      const item = order.items.find(({ item_id: known }) => known === id);
      if (!item)
        return failure(
          400,
          "Shipment Document Validation Error(s):\nThe shipment contains product item that is not part of the original order.",
        );
      const sent = shipments.flatMap((one) => one.items).filter(({ order_item_id: other }) => other === id);
      const left = item.qty_ordered - item.qty_shipped - sent.reduce((sum, one) => sum + one.qty, 0);
      if (qty > left) {
        const text =
          'Shipment Document Validation Error(s):\nThe quantity to ship must not be greater than the unshipped quantity for product SKU "%1".';
        return failure(400, text, [String(item.sku)]);
      }
    }
    const id = shipments.length + 1;
    shipments.push({ id, orderId: order.entity_id, items, tracks, ...(notify === undefined ? {} : { notify }) });
    return { status: 200, body: String(id), headers: { "content-type": "application/json; charset=utf-8" } };
  };

  const listShipments = ({ url: { searchParams: query } }: CarrierRequest): CarrierReply => {
    const orderId = Number(query.get("searchCriteria[filter_groups][0][filters][0][value]"));
    const found = shipments
      .filter((one) => one.orderId === orderId)
      .map(({ id, tracks }) => ({ entity_id: id, order_id: orderId, tracks }));
    return { status: 200, body: page(found, 20, 1) };
  };

  const standIn = await runShop({
    operations: [
      { name: "orders", method: "GET", path: /^\/rest\/V1\/orders$/, answer: list },
      { name: "ship", method: "POST", path: /^\/rest\/V1\/order\/(\d+)\/ship$/, answer: ship },
      { name: "shipments", method: "GET", path: /^\/rest\/V1\/shipments$/, answer: listShipments },
    ],
    notFound: () => failure(404, "Request does not match any route."),
    rateLimited: () => failure(429, "Too Many Requests"),
    broken: () => failure(500, "Internal Error. Details are available in Magento log file. Report ID: webapi-65"),
    authorize: (request) =>
      isSignedBy(request, keys) ? undefined : failure(401, "The signature is invalid. Verify and try again."),
  });
  return { ...standIn, keys, orders, shipments };
}

function page<T>(all: T[], size: number, wanted: number) {
  const lastPage = Math.max(1, Math.ceil(all.length / size));
  const current = Math.min(wanted, lastPage);
  return {
    items: all.slice((current - 1) * size, current * size),
    search_criteria: { filter_groups: [], page_size: size, current_page: wanted },
    total_count: all.length,
  };
}

function failure(status: number, message: string, parameters: string[] = []): CarrierReply {
  return { status, body: { message, ...(parameters.length > 0 ? { parameters } : {}) } };
}
