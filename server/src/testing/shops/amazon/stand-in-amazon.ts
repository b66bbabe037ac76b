import type { CarrierReply, CarrierRequest } from "../../carriers/stand-in-api.ts";
import { createRefreshEndpoint } from "../oauth2-tokens.ts";
import { runShop } from "../run-shop.ts";
import { amazonOrders } from "./amazon-orders.ts";

const client = { id: "amzn1.application-oa2-client.1", secret: "amazon-secret", refreshToken: "Atzr|refresh" };

type Confirmation = {
  marketplaceId?: string;
  packageDetail?: {
    packageReferenceId: string;
    carrierCode: string;
    carrierName?: string;
    trackingNumber: string;
    shipDate: string;
    orderItems: { orderItemId: string; quantity: number }[];
  };
};

/**
 * Orders (2026-01-01) and shipment confirmations (v0) of the Selling Partner API. Data beyond the core of an order is answered only
 * if it is asked for; the next page needs the token of the last one; too many requests are answered with 429 (fault rate_limit).
 */
export async function startAmazon() {
  const orders = amazonOrders();
  const confirmations: (Confirmation["packageDetail"] & { orderId: string })[] = [];
  const tokens = createRefreshEndpoint({ ...client, auth: "body" });
  const optional = {
    BUYER: "buyer",
    RECIPIENT: "recipient",
    PROCEEDS: "proceeds",
    PAYMENT: "payment",
    FULFILLMENT: "fulfillment",
    PACKAGES: "packages",
  };

  const shown = (order: Record<string, unknown>, query: URLSearchParams) => {
    const wanted = (query.get("includedData") ?? "").split(",");
    const hidden = Object.entries(optional).filter(([name]) => !wanted.includes(name));
    const items = (order.orderItems as Record<string, unknown>[]).map((item) =>
      without(
        item,
        hidden.map(([, member]) => member),
      ),
    );
    return {
      ...without(
        order,
        hidden.map(([, member]) => member),
      ),
      orderItems: items,
    };
  };

  const list = ({ url: { searchParams: query } }: CarrierRequest): CarrierReply => {
    const after = query.get("lastUpdatedAfter");
    if (after === null || Number.isNaN(Date.parse(after)))
      return failure(400, "InvalidInput", "Exactly one of createdAfter and lastUpdatedAfter is required.");
    if (query.get("marketplaceIds") === "") return failure(400, "InvalidInput", "marketplaceIds is empty.");
    const size = Number(query.get("maxResultsPerPage") ?? 100);
    if (size > 100) return failure(400, "InvalidInput", "maxResultsPerPage must be between 1 and 100.");
    const found = orders.filter(({ lastUpdatedTime: at }) => Date.parse(at) >= Date.parse(after));
    const token = query.get("paginationToken");
    const from = token === null ? 0 : Number(Buffer.from(token, "base64").toString());
    const next =
      from + size < found.length ? { nextToken: Buffer.from(String(from + size)).toString("base64") } : undefined;
    const body = {
      orders: found.slice(from, from + size).map((order) => shown(order, query)),
      ...(next ? { pagination: next } : {}),
    };
    return { status: 200, headers: { "x-amzn-ratelimit-limit": "0.0056" }, body };
  };

  const find = ({ url }: CarrierRequest, [, id]: RegExpExecArray): CarrierReply => {
    const found = orders.find(({ orderId }) => orderId === id);
    return found
      ? { status: 200, body: { order: shown(found, url.searchParams) } }
      : failure(404, "NotFound", "The order was not found.");
  };

  const confirm = (request: CarrierRequest, [, id]: RegExpExecArray): CarrierReply => {
    const order = orders.find(({ orderId }) => orderId === id);
    if (!order) return failure(404, "NotFound", "The order was not found.");
    const { marketplaceId, packageDetail: detail } = request.json() as Confirmation;
    const { marketplaceId: expected } = order.salesChannel as { marketplaceId: string };
    if (marketplaceId !== expected || !detail) return failure(400, "InvalidInput", "Invalid marketplaceId.");
    if (!/^[1-9]\d*$/.test(detail.packageReferenceId))
      return failure(400, "InvalidInput", "packageReferenceId must be a positive number.");
    if (!detail.carrierCode || Number.isNaN(Date.parse(detail.shipDate)))
      return failure(400, "InvalidInput", "Invalid Input");
    if (detail.carrierCode === "Other" && !detail.carrierName)
      return failure(400, "InvalidInput", "carrierName is required.");
    if (["CANCELLED", "PENDING"].includes(order.fulfillment.fulfillmentStatus))
      return failure(400, "InvalidOrderStatus", "The order cannot be confirmed in its status.");
    for (const { orderItemId, quantity } of detail.orderItems) {
      const item = order.orderItems.find((one) => one.orderItemId === orderItemId);
      if (!item || item.quantityOrdered < quantity)
        return failure(400, "InvalidInput", `Invalid quantity for item ${orderItemId}.`);
    }
    confirmations.push({ orderId: order.orderId, ...detail });
    const { packageReferenceId, trackingNumber, carrierCode: carrier, orderItems: packageItems } = detail;
    order.packages.push({ packageReferenceId, trackingNumber, carrier, packageItems });
    return { status: 204 };
  };

  const standIn = await runShop({
    operations: [
      { name: "token", method: "POST", path: /^\/auth\/o2\/token$/, answer: tokens.answer },
      { name: "orders", method: "GET", path: /^\/orders\/2026-01-01\/orders$/, answer: list },
      { name: "order", method: "GET", path: /^\/orders\/2026-01-01\/orders\/([\d-]+)$/, answer: find },
      {
        name: "confirm",
        method: "POST",
        path: /^\/orders\/v0\/orders\/([\d-]+)\/shipmentConfirmation$/,
        answer: confirm,
      },
    ],
    notFound: () => failure(404, "NotFound", "The resource was not found."),
    rateLimited: () => failure(429, "QuotaExceeded", "You exceeded your quota for the requested resource."),
    broken: () => failure(503, "InternalFailure", "We encountered an internal error. Please try again."),
    authorize: ({ headers }, { name }) =>
      name === "token" || tokens.accepts(String(headers["x-amz-access-token"]))
        ? undefined
        : failure(403, "Unauthorized", "Access to requested resource is denied."),
  });
  return { ...standIn, client, tokens, orders, confirmations };
}

function without(value: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

function failure(status: number, code: string, message: string): CarrierReply {
  return { status, body: { errors: [{ code, message, details: "" }] } };
}
