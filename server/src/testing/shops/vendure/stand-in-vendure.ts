import type { CarrierReply, CarrierRequest, StandIn } from "../../carriers/stand-in-api.ts";
import { GraphqlFault, readOperation, select } from "../graphql-operation.ts";
import { bearerOf, runShop } from "../run-shop.ts";
import type { VendureOrder } from "./vendure-orders.ts";
import { vendureOrders } from "./vendure-orders.ts";

type Fulfillment = {
  id: string;
  orderLines: { orderLineId: string; quantity: number }[];
  method: string;
  trackingCode: string;
};

type ListOptions = {
  skip?: number | null;
  take?: number | null;
  filter?: { updatedAt?: { after?: string | null }; orderPlacedAt?: { isNull?: boolean } };
};
type FulfillInput = {
  lines: { orderLineId: string; quantity: number }[];
  handler: { code: string; arguments: { name: string; value: string }[] };
};

/** Vendure's default for lists of the admin API. */
const maxTake = 1000;

/**
 * Orders and fulfillments of Vendure's admin API. Every outcome has status 200, also a missing session; a rejected mutation is a
 * member of its result union. Faults besides those of the connection: `exception` (an error of the server without data).
 */
export async function startVendureShop({ token = "vendure-session-token" } = {}) {
  const orders = vendureOrders();
  const fulfillments: Fulfillment[] = [];

  const list = ({ options }: { options?: ListOptions }) => {
    const { skip, take, filter = {} } = options ?? {};
    if ((take ?? 0) > maxTake) throw new GraphqlFault(`Cannot take more than ${maxTake} results`, "USER_INPUT_ERROR");
    const { after } = filter.updatedAt ?? {};
    const found = orders
      .filter((order) => after === undefined || after === null || Date.parse(order.updatedAt) > Date.parse(after))
      .filter((order) => filter.orderPlacedAt?.isNull !== false || order.orderPlacedAt !== null)
      .toSorted((a, b) => Number(a.id) - Number(b.id));
    const from = skip ?? 0;
    return { items: found.slice(from, from + (take ?? found.length)), totalItems: found.length };
  };

  const fulfill = ({ input }: { input: FulfillInput }) => {
    const { lines, handler } = input;
    if (handler.code !== "manual-fulfillment")
      return refusal("INVALID_FULFILLMENT_HANDLER_ERROR", "The fulfillmentHandler is not valid");
    if (lines.length === 0)
      return refusal("EMPTY_ORDER_LINE_SELECTION_ERROR", "At least one OrderLine must be specified");
    for (const { orderLineId, quantity } of lines) {
      const line = orders.flatMap((order) => order.lines).find(({ id }) => id === orderLineId);
      if (!line) throw new GraphqlFault(`No OrderLine with the id "${orderLineId}" could be found`, "ENTITY_NOT_FOUND");
      const sent = fulfillments.flatMap((one) => one.orderLines).filter((one) => one.orderLineId === orderLineId);
      if (sent.reduce((sum, one) => sum + one.quantity, quantity) > line.quantity) {
        return refusal("ITEMS_ALREADY_FULFILLED_ERROR", "One or more OrderItems are already part of a Fulfillment");
      }
    }
    const argument = (name: string): string => handler.arguments.find((one) => one.name === name)?.value ?? "";
    const id = String(fulfillments.length + 1);
    fulfillments.push({ id, orderLines: lines, method: argument("method"), trackingCode: argument("trackingCode") });
    return { id, state: "Pending", trackingCode: argument("trackingCode") };
  };

  const fulfillmentsOf = (order: VendureOrder) =>
    fulfillments
      .filter(({ orderLines }) =>
        orderLines.some(({ orderLineId }) => order.lines.some(({ id }) => id === orderLineId)),
      )
      .map(({ id, method, trackingCode }) => ({ id, state: "Pending", method, trackingCode }));

  const resolve = (name: string, variables: never): unknown => {
    if (name === "orders") return list(variables);
    if (name === "addFulfillmentToOrder") return fulfill(variables);
    if (name === "order") {
      const found = orders.find(({ id }) => id === (variables as { id: string }).id);
      return found ? { ...found, fulfillments: fulfillmentsOf(found) } : null;
    }
    throw new GraphqlFault(`Cannot query field "${name}" on type "Query".`);
  };

  const answer = (request: CarrierRequest, _match: RegExpExecArray, standIn: StandIn): CarrierReply => {
    const { query, variables = {} } = request.json() as { query: string; variables?: object };
    try {
      const { fields } = readOperation(query);
      if (standIn.takeFault("exception")) throw new GraphqlFault("connect ECONNREFUSED", "INTERNAL_SERVER_ERROR");
      if (bearerOf(request.headers.authorization) !== token) {
        throw new GraphqlFault("You are not currently authorized to perform this action", "FORBIDDEN");
      }
      const data = Object.fromEntries(
        fields.map(({ name, as, fields: inner }) => [
          as,
          select(resolve(name, variables as never), inner, name === "addFulfillmentToOrder"),
        ]),
      );
      return { status: 200, body: { data } };
    } catch (error) {
      if (!(error instanceof GraphqlFault)) throw error;
      // A query that does not fit the schema is the only failure with another status.
      const status = error.code === "GRAPHQL_VALIDATION_FAILED" ? 400 : 200;
      return { status, body: { errors: [{ message: error.message, extensions: { code: error.code } }], data: null } };
    }
  };

  const standIn = await runShop({
    operations: [{ name: "graphql", method: "POST", path: /^\/admin-api$/, answer }],
    notFound: () => ({ status: 404, body: { message: "Cannot find this path", error: "Not Found", statusCode: 404 } }),
    rateLimited: () => ({ status: 429, body: { message: "Too many requests" } }),
    broken: () => ({ status: 500, body: { message: "Internal server error" } }),
    authorize: () => undefined,
  });
  return { ...standIn, token, orders, fulfillments };
}

function refusal(errorCode: string, message: string) {
  return { errorCode, message };
}
