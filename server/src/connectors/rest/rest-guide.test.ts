import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { afterFile } from "../../testing/after-file.ts";
import { codeBlocks } from "../../testing/code-blocks.ts";
import { eventually } from "../../testing/eventually.ts";
import { createWebhookSender } from "../../testing/shop-webhooks.ts";
import { startVendure } from "../../testing/stand-in-apis.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const page = readFileSync(path.join(import.meta.dirname, "../../../../docs/rest-connector.md"), "utf8");

type Asked = { request: string; headers: IncomingMessage["headers"]; body: string };

/** Three orders, in pages of the requested size. */
function answerGraphql(body: string): object {
  const { first, after = "0" } = (JSON.parse(body) as { variables: { first: number; after?: string } }).variables;
  const updatedAt = new Date().toISOString();
  const left = [1, 2, 3].filter((id) => id > Number(after)).map((id) => ({ id, number: `G-${id}`, updatedAt }));
  const nodes = left.slice(0, first);
  const pageInfo = { hasNextPage: left.length > nodes.length, endCursor: String(nodes.at(-1)?.id) };
  return { data: { orders: { nodes, pageInfo } } };
}

/** 51 orders in numbered pages, without their lines. */
function answerOrders(query: URLSearchParams): object {
  const [page, size] = [Number(query.get("page")), Number(query.get("per_page"))];
  const orders = Array.from({ length: 51 }, (_, at) => ({ id: at + 1, number: `L-${at + 1}` }));
  return { items: orders.slice((page - 1) * size, page * size), total: orders.length };
}

/** The warehouse of the page, its order desk, and where the desk gives out tokens. */
async function startWarehouse() {
  const asked: Asked[] = [];
  const answers: Record<string, object> = {
    "GET /v2/ping": { ok: true },
    "POST /v2/orders": { id: "W-77" },
    "GET /v2/orders": { data: [] },
    "GET /v2/parcels": {
      data: [{ id: 1, tracking: "1Z999", carrier: "ups", state: "in_transit", changed_at: new Date().toISOString() }],
      next: null,
    },
    "POST /oauth2/token": { access_token: "of-the-desk", token_type: "Bearer", expires_in: 3600 },
    "GET /api/orders": { data: [] },
    "GET /v3/ping": { ok: true },
    "GET /services/rest/ping": { ok: true },
  };
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      const { pathname, searchParams } = new URL(incoming.url!, "http://127.0.0.1");
      const request = `${incoming.method} ${pathname}`;
      asked.push({ request, headers: incoming.headers, body });
      let answer = answers[request];
      if (request === "POST /graphql") answer = answerGraphql(body);
      if (request === "GET /orders") answer = answerOrders(searchParams);
      if (request.endsWith("/products")) answer = [{ sku: "C", quantity: 2 }];
      response.writeHead(answer ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(answer ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterFile(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test("following the guide connects a warehouse that gets orders, reports parcels and sends webhooks", async () => {
  const hub = await startTestHub();
  const [org, warehouse] = [await hub.org(), await startWarehouse()];
  const block = (name: string): Record<string, unknown> => {
    const here = page.replaceAll(
      /https:\/\/(warehouse|desk|login|etsy|erp|lists|graphql)\.example\.com/g,
      warehouse.url,
    );
    const [found] = codeBlocks(here, `json ${name}`);
    return found!.block as Record<string, unknown>;
  };
  const order = {
    number: "WH-1",
    status: "ready",
    lines: [{ sku: "A", quantity: 2 }],
    shippingAddress: { city: "Reno" },
  };
  const { id: orderId } = (await org.post("/orders", order)).body;

  const { id: bridgeId } = (await org.post("/bridges", block("create-bridge"))).body;
  expect((await org.post(`/bridges/${bridgeId}/test`)).body).toMatchObject({ ok: true });
  expect((await org.patch(`/bridges/${bridgeId}`, block("add-export"))).status).toBe(200);
  const exported = await org.post("/tasks/execute-sync", { bridgeId, ...block("export-one") });
  expect(exported.body.result.results).toMatchObject([{ status: "sent", externalId: "W-77" }]);
  const sent = warehouse.asked.find(({ request }) => request === "POST /v2/orders")!;
  expect(JSON.parse(sent.body)).toMatchObject({ reference: "WH-1", ship_to: { city: "Reno" }, lines: [{ sku: "A" }] });
  expect(sent.headers).toMatchObject({
    authorization: "Bearer the token that the warehouse gave you",
    "idempotency-key": expect.any(String),
  });

  expect((await org.patch(`/bridges/${bridgeId}`, block("add-tracking"))).status).toBe(200);
  expect((await org.post("/transformations", { bridgeId, ...block("map-tracking") })).status).toBe(201);
  const actions = [{ type: "mark_shipped", params: { tracking_number: "1Z999", carrier: "ups" } }];
  await org.post("/operations/run", { order_ids: [orderId], actions });
  const schedule = await org.post("/schedules", { bridgeId, ...block("schedule-tracking") });
  const pulled = (await org.post(`/schedules/${schedule.body.id}/trigger`)).body.executionId;
  const look = async () => (await org.get(`/tasks/executions/${pulled}`)).body;
  expect(await eventually(look, ({ finishedAt }) => finishedAt !== null)).toMatchObject({ status: "succeeded" });
  const [shipment] = (await org.get(`/orders/${orderId}`)).body.shipments;
  expect((await org.get(`/shipments/${shipment.id}`)).body).toMatchObject({ status: "in_transit" });

  const { id: etsyId } = (await org.post("/bridges", block("second-secret"))).body;
  expect((await org.post(`/bridges/${etsyId}/test`)).body).toMatchObject({ ok: true });
  expect(warehouse.asked.at(-1)).toMatchObject({
    request: "GET /v3/ping",
    headers: { authorization: "Bearer of-the-desk", "x-api-key": "the keystring of your app" },
  });

  const { id: erpId } = (await org.post("/bridges", block("signed-requests"))).body;
  expect((await org.post(`/bridges/${erpId}/test`)).body).toMatchObject({ ok: true });
  expect(warehouse.asked.at(-1)!.headers.authorization).toMatch(/^OAuth realm="1234567_SB1", .*oauth_signature="/);

  const read = async (name: string) => {
    const { id } = (await org.post("/bridges", block(name))).body;
    return (await org.post(`/bridges/${id}/samples`, { taskName: "orders.import", limit: 3 })).body.records;
  };
  expect(await read("graphql-import")).toMatchObject([{ externalId: "1" }, { externalId: "2" }, { externalId: "3" }]);
  expect(warehouse.asked.filter(({ request }) => request === "POST /graphql")).toHaveLength(2);
  const { id: pagedId } = (await org.post("/bridges", block("details"))).body;
  const line = ["sku", "quantity"].map((target) => ({ target, source: `@.${target}` }));
  const mappings = [
    { target: "number", source: "number" },
    { target: "lines", each: "products", mappings: line },
  ];
  const named = { name: "Paged", bridgeId: pagedId, taskName: "orders.import", direction: "inbound", mappings };
  expect((await org.post("/transformations", named)).status).toBe(201);
  const paged = await org.post("/tasks/execute-sync", { bridgeId: pagedId, taskName: "orders.import" });
  expect(paged.body.result).toMatchObject({ fetched: 51, created: 51 });
  expect((await org.get("/orders/L-51")).body.lines).toMatchObject([{ sku: "C", quantity: 2 }]);

  const vendure = await startVendure();
  const shop = JSON.parse(
    JSON.stringify(block("graphql")).replace("https://vendure.example.com", vendure.url),
  ) as object;
  const { id: shopId } = (await org.post("/bridges", shop)).body;
  const push = { bridgeId: shopId, taskName: "fulfillments.push", input: { orderIds: ["WH-1"] } };
  expect((await org.post("/tasks/execute-sync", push)).body.result.results).toMatchObject([{ status: "sent" }]);
  expect(vendure.fulfillments).toMatchObject([{ orderCode: "WH-1", tracking: "1Z999" }]);

  const { id: deskId } = (await org.post("/bridges", block("webhooks"))).body;
  const secret = (block("webhooks").credentials as { webhookSecret: string }).webhookSecret;
  expect((await org.post("/transformations", { bridgeId: deskId, ...block("map-orders") })).status).toBe(201);
  const record = { id: 1, reference: "D-1", city: "Reno", items: [{ sku: "B", quantity: 1 }] };
  const webhook = { data: { ...record, updated_at: "2026-03-01T10:00:00Z" } };
  expect((await createWebhookSender(hub.anonymous, deskId).standard(webhook, { secret })).body.status).toBe("accepted");
  const find = async () => (await org.get(`/orders?bridgeId=${deskId}`)).body.data;
  await eventually(find, (orders) => orders.length === 1);
  await org.post("/tasks/execute-sync", { bridgeId: deskId, taskName: "orders.import" });
  expect(warehouse.asked.at(-1)).toMatchObject({
    request: "GET /api/orders",
    headers: { authorization: "Bearer of-the-desk" },
  });
});
