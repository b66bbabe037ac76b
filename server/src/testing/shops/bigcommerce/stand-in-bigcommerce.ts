import type { CarrierReply, CarrierRequest } from "../../carriers/stand-in-api.ts";
import { runShop } from "../run-shop.ts";
import { bigcommerceOrders } from "./bigcommerce-orders.ts";

type BigcommerceShipment = {
  id: number;
  order_id: number;
  order_address_id: number;
  tracking_number: string;
  shipping_provider: string;
  tracking_carrier: string;
  items: { order_product_id: number; quantity: number }[];
};

/**
 * Orders, their products, addresses, coupons and shipments of BigCommerce's v2 API. An empty list is answered with 204 and no body.
 */
export async function startBigcommerceStore({ token = "bigcommerce-token", hash = "abc123" } = {}) {
  const orders = bigcommerceOrders();
  const shipments: BigcommerceShipment[] = [];
  const root = `/stores/${hash}/v2`;

  const list = (request: CarrierRequest, all: unknown[]): CarrierReply => {
    const { searchParams: query } = request.url;
    const size = Number(query.get("limit") ?? 50);
    if (size > 250) return failure(400, "The field 'limit' must be at most 250.");
    const from = (Number(query.get("page") ?? 1) - 1) * size;
    const page = all.slice(from, from + size);
    return page.length === 0 ? { status: 204 } : { status: 200, body: page };
  };

  const listOrders = (request: CarrierRequest): CarrierReply => {
    const { searchParams: query } = request.url;
    const since = query.get("min_date_modified");
    if (since !== null && Number.isNaN(Date.parse(since)))
      return failure(400, "The field 'min_date_modified' is invalid.");
    const found = orders
      .map(({ order }) => order)
      .filter(({ date_modified: at }) => since === null || Date.parse(at) >= Date.parse(since))
      .toSorted((a, b) => a.id - b.id);
    return list(request, found);
  };

  const part = (request: CarrierRequest, [, orderId, name]: RegExpExecArray): CarrierReply => {
    const found = orders.find(({ order }) => order.id === Number(orderId));
    if (!found) return failure(404, "The requested resource was not found.");
    if (name === "products") return list(request, found.products);
    if (name === "coupons") return list(request, found.coupons);
    if (name === "shipments")
      return list(
        request,
        shipments.filter((one) => one.order_id === found.order.id),
      );
    return list(request, found.shippingAddresses);
  };

  const ship = (request: CarrierRequest, [, orderId]: RegExpExecArray): CarrierReply => {
    const found = orders.find(({ order }) => order.id === Number(orderId));
    if (!found) return failure(404, "The requested resource was not found.");
    const given = request.json() as BigcommerceShipment;
    if (!found.shippingAddresses.some(({ id }) => id === given.order_address_id)) {
      return failure(400, "The field 'order_address_id' is invalid.", {
        invalid_reason: "The order address id is not valid.",
      });
    }
    for (const { order_product_id: id, quantity } of given.items) {
      const product = found.products.find((one) => one.id === id);
      const sent = shipments.flatMap(({ items }) => items).filter((one) => one.order_product_id === id);
      const left =
        (product?.quantity ?? 0) - (product?.quantity_shipped ?? 0) - sent.reduce((sum, one) => sum + one.quantity, 0);
      if (quantity > left)
        return failure(
          400,
          `The quantity specified for item ${id} is greater than the quantity of the product that is available to ship.`,
        );
    }
    const shipment = { ...given, id: shipments.length + 1, order_id: found.order.id };
    shipments.push(shipment);
    return { status: 201, body: shipment };
  };

  const path = (tail: string): RegExp => new RegExp(`^${root}/orders${tail}$`);
  const standIn = await runShop({
    operations: [
      { name: "orders", method: "GET", path: path(""), answer: listOrders },
      {
        name: "part",
        method: "GET",
        path: path("/(\\d+)/(products|shipping_addresses|coupons|shipments)"),
        answer: part,
      },
      { name: "ship", method: "POST", path: path("/(\\d+)/shipments"), answer: ship },
    ],
    notFound: () => failure(404, "The route is not found, check the URL."),
    rateLimited: () => ({
      status: 429,
      headers: { "x-rate-limit-time-reset-ms": "1000" },
      body: { title: "Too many requests" },
    }),
    broken: () => ({ status: 500, body: [{ status: 500, message: "An error has occurred." }] }),
    authorize: ({ headers }) => (headers["x-auth-token"] === token ? undefined : failure(401, "Unauthorized")),
  });
  return { ...standIn, token, hash, orders, shipments };
}

function failure(status: number, message: string, details?: object): CarrierReply {
  return { status, body: [{ status, message, ...(details ? { details } : {}) }] };
}
