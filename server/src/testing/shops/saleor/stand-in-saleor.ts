import type { CarrierReply, CarrierRequest, StandIn } from "../../carriers/stand-in-api.ts";
import { GraphqlFault, readOperation, select } from "../graphql-operation.ts";
import { bearerOf, runShop } from "../run-shop.ts";
import { saleorOrders } from "./saleor-orders.ts";

type FulfillVariables = {
  order: string;
  input: {
    lines: { orderLineId: string; stocks: { quantity: number; warehouse: string }[] }[];
    trackingNumber?: string;
    notifyCustomer?: boolean;
  };
};
type ListVariables = { first?: number; after?: string | null; filter?: { updatedAt?: { gte?: string | null } } };

type SaleorFulfillment = {
  id: string;
  orderId: string;
  trackingNumber: string;
  lines: { orderLineId: string; quantity: number; warehouse: string }[];
};

/**
 * Orders and fulfillments of Saleor's API: relay pages, and mutations whose refusals are in `errors` of their result, with status
 * 200. Faults besides those of the connection: `exception`.
 */
export async function startSaleor({ token = "saleor-app-token" } = {}) {
  const orders = saleorOrders();
  const fulfillments: SaleorFulfillment[] = [];

  const list = ({ first, after, filter }: ListVariables) => {
    if (first === undefined || first > 100)
      throw new GraphqlFault("Requesting more than 100 records is not allowed.", "GraphQLError");
    const gte = filter?.updatedAt?.gte;
    const found = orders.filter(
      ({ updatedAt }) => gte === undefined || gte === null || Date.parse(updatedAt) >= Date.parse(gte),
    );
    const from = after ? Number(Buffer.from(after, "base64").toString()) : 0;
    const edges = found.slice(from, from + first).map((node, index) => ({ cursor: cursorAt(from + index + 1), node }));
    const end = from + edges.length;
    return {
      edges,
      totalCount: found.length,
      pageInfo: { hasNextPage: end < found.length, endCursor: edges.at(-1)?.cursor ?? null },
    };
  };

  const fulfill = ({ order: id, input }: FulfillVariables) => {
    const order = orders.find((one) => one.id === id);
    if (!order) return refusal("order", `Couldn't resolve to a node: ${id}`, "NOT_FOUND");
    const lines = input.lines.flatMap(({ orderLineId, stocks }) => stocks.map((stock) => ({ orderLineId, ...stock })));
    for (const { orderLineId, quantity, warehouse } of lines) {
      const line = order.lines.find((one) => one.id === orderLineId);
      if (!line || warehouse !== "V2FyZWhvdXNlOjE=")
        return refusal("warehouse", "Invalid line or warehouse.", "NOT_FOUND");
      if (quantity > line.quantity - line.quantityFulfilled) {
        return refusal(
          "orderLineId",
          `Only ${line.quantity - line.quantityFulfilled} item${line.quantity === 1 ? "" : "s"} remaining to fulfill.`,
          "FULFILL_ORDER_LINE",
        );
      }
    }
    for (const { orderLineId, quantity } of lines)
      order.lines.find((one) => one.id === orderLineId)!.quantityFulfilled += quantity;
    const fulfillment = {
      id: `RnVsZmlsbG1lbnQ6${fulfillments.length + 1}`,
      orderId: id,
      trackingNumber: input.trackingNumber ?? "",
      lines,
    };
    fulfillments.push(fulfillment);
    return { errors: [], fulfillments: [{ id: fulfillment.id }] };
  };

  const resolve = (name: string, variables: never): unknown => {
    if (name === "orders") return list(variables);
    if (name === "orderFulfill") return fulfill(variables);
    if (name === "shop") return { name: "Stand-in" };
    if (name === "order") {
      const { id } = variables as { id: string };
      const found = orders.find((one) => one.id === id);
      return found ? { ...found, fulfillments: fulfillments.filter((one) => one.orderId === id) } : null;
    }
    throw new GraphqlFault(`Cannot query field "${name}" on type "Query".`);
  };

  const answer = (request: CarrierRequest, _match: RegExpExecArray, standIn: StandIn): CarrierReply => {
    const { query, variables = {} } = request.json() as { query: string; variables?: object };
    try {
      const { fields } = readOperation(query);
      if (standIn.takeFault("exception")) throw new GraphqlFault("Internal Server Error", "OperationalError");
      if (bearerOf(request.headers.authorization) !== token) {
        throw new GraphqlFault(
          "To access this path, you need one of the following permissions: MANAGE_ORDERS",
          "PermissionDenied",
        );
      }
      const data = Object.fromEntries(
        fields.map(({ name, as, fields: inner }) => [as, select(resolve(name, variables as never), inner)]),
      );
      return { status: 200, body: { data } };
    } catch (error) {
      if (!(error instanceof GraphqlFault)) throw error;
      const status = error.code === "GRAPHQL_VALIDATION_FAILED" ? 400 : 200;
      return {
        status,
        body: { errors: [{ message: error.message, extensions: { exception: { code: error.code } } }], data: null },
      };
    }
  };

  const standIn = await runShop({
    operations: [{ name: "graphql", method: "POST", path: /^\/graphql\/$/, answer }],
    notFound: () => ({ status: 404, body: { detail: "Not found" } }),
    rateLimited: () => ({ status: 429, body: { detail: "Too many requests" } }),
    broken: () => ({ status: 500, body: { detail: "Server error" } }),
    authorize: () => undefined,
  });
  return { ...standIn, token, orders, fulfillments };
}

const cursorAt = (position: number): string => Buffer.from(String(position)).toString("base64");

function refusal(field: string, message: string, code: string) {
  return { errors: [{ field, message, code }], fulfillments: null };
}
