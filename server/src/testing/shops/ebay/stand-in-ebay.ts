import type { CarrierReply, CarrierRequest } from "../../carriers/stand-in-api.ts";
import { createRefreshEndpoint } from "../oauth2-tokens.ts";
import { bearerOf, runShop } from "../run-shop.ts";
import { ebayOrders } from "./ebay-orders.ts";

type EbayFulfillment = {
  orderId: string;
  fulfillmentId: string;
  trackingNumber: string;
  shippingCarrierCode: string;
  shippedDate: string;
  lineItems: { lineItemId: string; quantity: number }[];
};

const client = { id: "ebay-client", secret: "ebay-secret", refreshToken: "v^1.1#refresh" };
const root = "/sell/fulfillment/v1/order";

/**
 * Orders and shipping fulfillments of eBay's Fulfillment API. A new fulfillment is answered with 201, without a body; its ID is the
 * tracking number without other signs.
 */
export async function startEbay() {
  const orders = ebayOrders();
  const fulfillments: EbayFulfillment[] = [];
  const tokens = createRefreshEndpoint({ ...client, auth: "basic" });

  const list = ({ url: { searchParams: query } }: CarrierRequest): CarrierReply => {
    const limit = Number(query.get("limit") ?? 50);
    const offset = Number(query.get("offset") ?? 0);
    if (limit > 200) return failure(400, 30830, "The value of the limit is invalid.");
    const filter = query.get("filter");
    const since = /^lastmodifieddate:\[(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z)\.\.\]$/.exec(
      filter ?? "",
    )?.[1];
    if (filter !== null && since === undefined) return failure(400, 30700, "The filter is invalid.");
    const found = orders
      .filter(({ lastModifiedDate: at }) => since === undefined || Date.parse(at) >= Date.parse(since))
      .toSorted((a, b) => (a.orderId < b.orderId ? -1 : 1));
    const page = found.slice(offset, offset + limit);
    return { status: 200, body: { href: "https://api.ebay.com", total: found.length, limit, offset, orders: page } };
  };

  const ship = (request: CarrierRequest, [, id]: RegExpExecArray): CarrierReply => {
    const orderId = decodeURIComponent(id!);
    const order = orders.find((one) => one.orderId === orderId);
    if (!order) return failure(404, 32100, "Invalid order ID.");
    const { lineItems = [], trackingNumber = "", ...more } = request.json() as Partial<EbayFulfillment>;
    if (trackingNumber !== "" && !more.shippingCarrierCode)
      return failure(400, 32210, "Please specify shippingCarrierCode and trackingNumber.");
    for (const { lineItemId, quantity } of lineItems) {
      const item = order.lineItems.find((one) => one.lineItemId === lineItemId);
      if (!item || item.quantity < quantity) return failure(400, 32110, "Invalid line item or quantity.");
    }
    const fulfillmentId = trackingNumber === "" ? "999" : trackingNumber.replaceAll(/[^A-Za-z0-9]/g, "");
    const { shippingCarrierCode = "", shippedDate = "" } = more;
    fulfillments.push({ orderId, fulfillmentId, trackingNumber, shippingCarrierCode, shippedDate, lineItems });
    return {
      status: 201,
      headers: { location: `https://api.ebay.com${root}/${orderId}/shipping_fulfillment/${fulfillmentId}` },
    };
  };

  const find = (_request: CarrierRequest, [, orderId, id]: RegExpExecArray): CarrierReply => {
    const found = fulfillments.find((one) => one.orderId === decodeURIComponent(orderId!) && one.fulfillmentId === id);
    if (!found) return failure(404, 32300, "Invalid fulfillment ID.");
    return {
      status: 200,
      body: {
        fulfillmentId: found.fulfillmentId,
        shipmentTrackingNumber: found.trackingNumber,
        lineItems: found.lineItems,
      },
    };
  };

  const standIn = await runShop({
    operations: [
      { name: "token", method: "POST", path: /^\/identity\/v1\/oauth2\/token$/, answer: tokens.answer },
      { name: "orders", method: "GET", path: new RegExp(`^${root}$`), answer: list },
      { name: "ship", method: "POST", path: new RegExp(`^${root}/([^/]+)/shipping_fulfillment$`), answer: ship },
      { name: "find", method: "GET", path: new RegExp(`^${root}/([^/]+)/shipping_fulfillment/([^/]+)$`), answer: find },
    ],
    notFound: () => failure(404, 2002, "Resource not found"),
    rateLimited: () => failure(429, 2001, "Too many requests."),
    broken: () => failure(500, 30500, "System error."),
    authorize: ({ headers }, { name }) =>
      name === "token" || tokens.accepts(bearerOf(headers.authorization))
        ? undefined
        : failure(401, 1001, "Invalid access token"),
  });
  return { ...standIn, client, tokens, orders, fulfillments };
}

function failure(status: number, errorId: number, message: string): CarrierReply {
  const error = { errorId, domain: "API_FULFILLMENT", category: "REQUEST", message, longMessage: message };
  return { status, body: { errors: [error] } };
}
