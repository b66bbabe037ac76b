import { asText } from "../connectors/shape.ts";
import { byChange, totalOf } from "./stand-in-data.ts";
import type { ShopData, ShopOrder } from "./stand-in-data.ts";
import type { Reply, ShopRequest } from "./stand-in-exchange.ts";

/** What a shop has of the three ways to tell it about shipments. */
export type WooFeatures = { fulfillments: boolean; shipmentTracking: boolean };

const noRoute: Reply = {
  status: 404,
  body: { code: "rest_no_route", message: "No route was found", data: { status: 404 } },
};

export function answerWoo(data: ShopData, request: ShopRequest, token: string, features: WooFeatures): Reply {
  const { pathname, searchParams } = request.url;
  const expected = `Basic ${Buffer.from(`ck_test:${token}`).toString("base64")}`;
  if (request.headers.authorization !== expected) {
    return {
      status: 401,
      body: { code: "woocommerce_rest_cannot_view", message: "Sorry, you cannot list resources." },
    };
  }
  const path = pathname.replace(/^\/wp-json/, "");
  if (path === "/wc/v3/system_status") {
    return { status: 200, body: { environment: { version: "10.2.0" }, settings: { currency: "USD" } } };
  }
  if (path === "/wc/v3/settings/general") return { status: 200, body: generalSettings };
  const named = path === "/wc/v3/products" ? searchParams.get("include") : null;
  if (named !== null) return namedProducts(data, named);
  if (path === "/wc/v3/orders") return listOrders(data, searchParams);
  const variable = /^\/wc\/v3\/products(?:\/(\d+)\/variations)?$/.exec(path);
  if (variable) return listProducts(data, searchParams, variable[1] === undefined ? undefined : Number(variable[1]));
  const found = /^\/(wc|wc-shipment-tracking)\/v3\/orders\/(\d+)(?:\/([\w-]+)(?:\/(\d+))?)?$/.exec(path);
  if (!found) return noRoute;
  const [, space, id, part, partId] = found;
  if (part === "fulfillments" && !features.fulfillments) return noRoute;
  if (space === "wc-shipment-tracking" && !features.shipmentTracking) return noRoute;
  const order = data.find(Number(id));
  if (!order) return { status: 404, body: { code: "woocommerce_rest_shop_order_invalid_id", message: "Invalid ID." } };
  return onOrder(data, order, request, part, Number(partId));
}

const generalSettings = [
  { id: "woocommerce_store_address", value: "1 Port Street" },
  { id: "woocommerce_store_city", value: "Newark" },
  { id: "woocommerce_store_postcode", value: "07114" },
  { id: "woocommerce_default_country", value: "US:NJ" },
];

function listOrders(data: ShopData, query: URLSearchParams): Reply {
  const after = query.get("modified_after");
  const search = query.get("search");
  const include = query.get("include")?.split(",").map(Number);
  const size = Number(query.get("per_page") ?? 10);
  const page = Number(query.get("page") ?? 1);
  const all = data.orders
    .filter(({ updatedAt }) => after === null || updatedAt > `${after}Z`)
    .filter(({ id, status }) => include === undefined || (include.includes(id) && status !== "trash"))
    .filter(({ number }) => search === null || number.includes(search))
    .toSorted(byChange);
  const headers = { "x-wp-total": String(all.length), "x-wp-totalpages": String(Math.ceil(all.length / size)) };
  return { status: 200, headers, body: all.slice((page - 1) * size, page * size).map(orderBody) };
}

/** The products with these ids, which the stand-in makes up. Variations are not listed. */
function namedProducts({ virtualProducts }: ShopData, ids: string): Reply {
  const named = ids.split(",").map(Number);
  return { status: 200, body: named.map((id) => ({ id, virtual: virtualProducts.includes(id) })) };
}

function listProducts({ products }: ShopData, query: URLSearchParams, variationOf: number | undefined): Reply {
  const size = Number(query.get("per_page") ?? 10);
  const page = Number(query.get("page") ?? 1);
  const all = products.filter((product) => product.variationOf === variationOf).toSorted((a, b) => a.id - b.id);
  const body = all.slice((page - 1) * size, page * size).map(({ id, sku, isTracked, locations }) => ({
    id,
    sku,
    type: products.some((product) => product.variationOf === id) ? "variable" : "simple",
    manage_stock: variationOf !== undefined && !isTracked ? "parent" : isTracked,
    stock_quantity: isTracked ? (Object.values(locations)[0]?.[0] ?? 0) : null,
  }));
  const headers = { "x-wp-total": String(all.length), "x-wp-totalpages": String(Math.ceil(all.length / size)) };
  return { status: 200, headers, body };
}

/** In the shop's own time, that of New York in winter, and in UTC; neither says so. */
function timesOf(name: string, at: string): Record<string, string> {
  const local = new Date(Date.parse(at) - 5 * 3_600_000).toISOString();
  return { [name]: local.slice(0, 19), [`${name}_gmt`]: at.replace("Z", "") };
}

function orderBody(order: ShopOrder) {
  const [first, ...rest] = order.name.split(" ");
  const address = {
    first_name: first,
    last_name: rest.join(" "),
    company: "",
    address_1: order.street ?? "1 Main Street",
    address_2: "",
  };
  const place = { city: order.city, state: "NY", postcode: "12207", country: "US" };
  return {
    id: order.id,
    number: order.number,
    status: order.status ?? (order.isCompleted ? "completed" : order.isPaid ? "processing" : "pending"),
    currency: "USD",
    total: totalOf(order),
    ...timesOf("date_created", order.createdAt),
    ...timesOf("date_modified", order.updatedAt),
    customer_note: "",
    billing: { ...address, ...place, email: order.email, phone: "" },
    shipping: { ...address, ...place },
    shipping_lines: [{ method_title: "Flat rate" }],
    payment_method: "stripe",
    payment_method_title: "Credit card",
    date_paid: order.isPaid ? order.createdAt.slice(0, 19) : null,
    date_paid_gmt: order.isPaid ? order.createdAt.slice(0, 19) : null,
    date_completed: null,
    date_completed_gmt: null,
    refunds: (order.refunds ?? []).map(({ id, amount }) => ({ id, reason: "", total: `-${amount}` })),
    line_items: order.lines.map((line) => ({
      id: line.id,
      name: line.title,
      product_id: 0,
      variation_id: 0,
      quantity: line.quantity,
      total: (Number(line.price) * line.quantity).toFixed(2),
      meta_data: (line.properties ?? []).map(({ key, value }, index) => ({
        id: index + 1,
        key,
        value,
        display_key: key,
        display_value: value,
      })),
      sku: line.sku,
      price: Number(line.price),
      ...line.more,
    })),
    meta_data: [],
    ...order.more,
  };
}

/** Quantities and totals of refunds are negative, and each line says which line of the order it is of. */
function refundBodies({ refunds = [], lines }: ShopOrder) {
  return refunds.map(({ id, at, amount, lines: refunded, meta = [] }) => ({
    id,
    ...timesOf("date_created", at),
    amount,
    reason: "",
    refunded_by: 1,
    refunded_payment: true,
    meta_data: meta,
    line_items: refunded.map(({ lineId, quantity }, index) => ({
      id: id * 100 + index,
      name: lines.find((line) => line.id === lineId)?.title ?? "",
      quantity: -quantity,
      total: `-${amount}`,
      meta_data: [{ id: 1, key: "_refunded_item_id", value: String(lineId) }],
    })),
  }));
}

function onOrder(
  data: ShopData,
  order: ShopOrder,
  request: ShopRequest,
  part: string | undefined,
  partId: number,
): Reply {
  const body = (request.body === "" ? {} : JSON.parse(request.body)) as Record<string, unknown>;
  const isPost = request.method === "POST";
  switch (part) {
    case undefined:
      if (request.method === "PUT" && body.status === "completed" && !order.isCompleted) {
        order.isCompleted = true;
        delete order.status;
        data.touch([order]);
        data.record("order.complete", order.id, "");
      } else if (request.method === "PUT" && typeof body.status === "string" && body.status !== order.status) {
        order.status = body.status;
        data.touch([order]);
        data.record("order.status", order.id, body.status);
      }
      return { status: 200, body: orderBody(order) };
    case "refunds":
      return isPost ? addRefund(data, order, body) : { status: 200, body: order.refundDetails ?? refundBodies(order) };
    case "fulfillments": {
      if (request.method === "GET") return { status: 200, body: order.shipments.map(fulfillmentBody) };
      const meta = body.meta_data as { key: string; value: unknown }[];
      const number = asText(meta.find(({ key }) => key === "_tracking_number")?.value);
      if (request.method === "PUT") return correctShipment(data, order, partId, number);
      return { status: 201, body: { fulfillment: fulfillmentBody(addShipment(data, order, number)) } };
    }
    case "shipment-trackings": {
      if (!isPost) return { status: 200, body: order.shipments.map(trackingBody) };
      const added = addShipment(data, order, asText(body.tracking_number));
      added.shippedOn = asText(body.date_shipped);
      return { status: 201, body: trackingBody(added) };
    }
    case "notes": {
      if (!isPost) return { status: 200, body: order.notes };
      const note = { id: data.newId(), note: asText(body.note) };
      order.notes.push(note);
      data.record("note.create", order.id, /\[([^\]]*)\]/.exec(note.note)?.[1] ?? "");
      return { status: 201, body: note };
    }
    default:
      return noRoute;
  }
}

/** As WooCommerce: not more than what is left of the total. */
function addRefund(data: ShopData, order: ShopOrder, body: Record<string, unknown>): Reply {
  const refunds = (order.refunds ??= []);
  const left = refunds.reduce((sum, { amount }) => sum - Number(amount), Number(totalOf(order)));
  const amount = asText(body.amount);
  if (Number(amount) > left)
    return { status: 400, body: { code: "woocommerce_rest_invalid_order_refund", message: "Invalid refund amount." } };
  const id = data.newId();
  refunds.push({
    id,
    at: order.updatedAt,
    amount,
    lines: [],
    meta: body.meta_data as { key: string; value: string }[],
  });
  data.record("refund.create", order.id, amount);
  return { status: 201, body: { id, amount } };
}

type Added = ShopOrder["shipments"][number];

function addShipment(data: ShopData, order: ShopOrder, trackingNumber: string): Added {
  const added: Added = { id: data.newId(), trackingNumber, carrier: "", items: new Map() };
  order.shipments.push(added);
  data.record("fulfillment.create", order.id, trackingNumber);
  return added;
}

function correctShipment(data: ShopData, order: ShopOrder, id: number, trackingNumber: string): Reply {
  const shipment = order.shipments.find((candidate) => candidate.id === id);
  if (!shipment)
    return { status: 404, body: { code: "woocommerce_rest_fulfillment_invalid_id", message: "Invalid ID." } };
  shipment.trackingNumber = trackingNumber;
  data.record("fulfillment.update", order.id, trackingNumber);
  return { status: 200, body: { fulfillment: fulfillmentBody(shipment) } };
}

function fulfillmentBody({ id, trackingNumber }: Added) {
  return {
    id,
    status: "fulfilled",
    is_fulfilled: true,
    date_deleted: null,
    meta_data: [{ key: "_tracking_number", value: trackingNumber }],
  };
}

function trackingBody({ id, trackingNumber, shippedOn }: Added) {
  return { tracking_id: String(id), tracking_number: trackingNumber, date_shipped: shippedOn };
}
