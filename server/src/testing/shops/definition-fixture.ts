import { expect } from "vitest";
import type { TestOrg } from "../test-hub.ts";
import { startTestHub } from "../test-hub.ts";
import type { ExpectedOrder } from "./expected-orders.ts";
import { compareOrders } from "./expected-orders.ts";

type Settings = { tasks: { pagination?: { pageSize?: number } }[] };
type Values = Record<string, string | number>;
type Order = Record<string, unknown> & { id: string; externalId: string; lines: { id: string; quantity: number }[] };

/** A hub with one bridge made from a ready-made definition, which reads pages of four orders. */
export async function definitionFixture(
  name: string,
  values: { variables: Values; credentials: Record<string, string> },
) {
  const hub = await startTestHub();
  const org = await hub.org();
  const bridgeId = await install(org, name, values);
  const { settings } = (await org.get(`/bridges/${bridgeId}`)).body as { settings: Settings };
  for (const { pagination } of settings.tasks) if (pagination) pagination.pageSize = 4;
  expect((await org.patch(`/bridges/${bridgeId}`, { settings: { tasks: settings.tasks } })).status).toBe(200);

  const execute = async (taskName: string, input: object = {}) =>
    (await org.post("/tasks/execute-sync", { bridgeId, taskName, input })).body;

  /** Orders of the organization by their ID at the vendor. */
  const orders = async (): Promise<Map<string, Order>> => {
    const { data } = (await org.get("/orders?limit=100")).body as { data: { id: string }[] };
    const all = await Promise.all(data.map(async ({ id }) => (await org.get(`/orders/${id}`)).body as Order));
    return new Map(all.map((order) => [order.externalId, order]));
  };

  return {
    org,
    bridgeId,
    execute,
    orders,
    test: async () => (await org.post(`/bridges/${bridgeId}/test`)).body,
    importOrders: async (input: object = {}) => await execute("orders.import", input),
    /** Compares each field of the orders of the hub with these, by their ID at the vendor. */
    expectOrders: async (expected: Record<string, ExpectedOrder>) => compareOrders(await orders(), expected),
    orderOf: async (externalId: string): Promise<Order> => {
      const found = (await orders()).get(externalId);
      expect(found, `order ${externalId}`).toBeDefined();
      return found!;
    },
    /** Ships these quantities, or all remaining items, and reports the shipment to the vendor. */
    async ship({ id }: Order, trackingNumber: string, quantities?: Record<string, number>, carrier = "ups") {
      const { status } = (await org.get(`/orders/${id}`)).body;
      if (status !== "ready" && status !== "partially_shipped") await org.patch(`/orders/${id}`, { status: "ready" });
      const items = Object.entries(quantities ?? {}).map(([line, quantity]) => ({ id: line, quantity }));
      const params = { tracking_number: trackingNumber, carrier, ...(quantities ? { line_items: items } : {}) };
      const run = await org.post("/operations/run", { order_ids: [id], actions: [{ type: "mark_shipped", params }] });
      expect(run.body.results[0].error).toBeNull();
      return await execute("fulfillments.push", { orderIds: [id] });
    },
    exceptionsOf: async ({ id }: Order) => (await org.get(`/exceptions?orderId=${id}`)).body.data,
  };
}

export async function install(
  org: TestOrg,
  definition: string,
  values: { variables: Values; credentials: Record<string, string> },
  name = definition,
): Promise<string> {
  const { status, body } = await org.post(`/bridges/definitions/${definition}/install`, { name, ...values });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.bridge.id;
}
