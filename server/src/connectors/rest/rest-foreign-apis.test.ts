import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { startApi, startBigCommerce, startMagento, startVendure } from "../../testing/stand-in-apis.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";

let hub: TestHub;
let org: TestOrg;

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
});

let bridges = 0;

async function aBridge(baseUrl: string, tasks: object[], more: object = {}): Promise<string> {
  const given = { name: `API ${++bridges}`, connector: "rest", settings: { baseUrl, tasks }, ...more };
  const { status, body } = await org.post("/bridges", given);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
}

const execute = async (bridgeId: string, taskName: string, input: object = {}) =>
  (await org.post("/tasks/execute-sync", { bridgeId, taskName, input })).body;

async function anOrder(status = "ready"): Promise<{ id: string; number: string }> {
  return (await org.post("/orders", { status, lines: [{ sku: "A", quantity: 1 }] })).body;
}

async function shippedOrder(tracking: string): Promise<{ id: string; number: string }> {
  const order = await anOrder();
  const actions = [{ type: "mark_shipped", params: { tracking_number: tracking, carrier: "ups" } }];
  await org.post("/operations/run", { order_ids: [order.id], actions });
  return order;
}

const exceptionsOf = async (orderId: string) => (await org.get(`/exceptions?orderId=${orderId}`)).body.data;

const mutation = `mutation ($orderCode: String!, $tracking: String!) { addFulfillmentToOrder(input: …) { … } }`;
const variables = { orderCode: "{{record.number}}", tracking: "{{record.shipments[0].trackingNumber}}" };
const failsWhen = {
  condition: {
    any: [
      { path: "errors", op: "not_empty" },
      { path: "data.addFulfillmentToOrder.errorCode", op: "not_empty" },
    ],
  },
  messagePath: "data.addFulfillmentToOrder.message",
};
const fulfil = {
  name: "fulfillments.push",
  mode: "push",
  request: { method: "POST", path: "/admin-api", body: { query: mutation, variables } },
  externalIdPath: "data.addFulfillmentToOrder.id",
  failsWhen,
};

describe("a GraphQL API that responds to failures with status 200", () => {
  test("a fulfillment is sent; an error result is a failure that quotes its message and opens an exception", async () => {
    const vendure = await startVendure();
    const bridgeId = await aBridge(vendure.url, [fulfil]);
    const order = await shippedOrder("T-1");
    expect(await execute(bridgeId, "fulfillments.push", { orderIds: [order.id] })).toMatchObject({
      status: "succeeded",
      result: { results: [{ status: "sent", externalId: "1" }] },
    });
    const second = await shippedOrder("T-2");
    vendure.fulfillments.push({ id: "9", orderCode: second.number, tracking: "another" });
    const refused = await execute(bridgeId, "fulfillments.push", { orderIds: [second.id] });
    expect(refused).toMatchObject({ status: "failed", error: { code: "rejected" } });
    expect(refused.error.message).toContain("One or more OrderItems are already part of a Fulfillment");
    expect(await exceptionsOf(second.id)).toMatchObject([{ kind: "push", code: "rejected", status: "open" }]);
  });

  test("errors without data are a failure, and a repeated execution sends it", async () => {
    const vendure = await startVendure();
    const bridgeId = await aBridge(vendure.url, [fulfil]);
    const order = await shippedOrder("T-3");
    vendure.failing.mutations = true;
    const failed = await execute(bridgeId, "fulfillments.push", { orderIds: [order.id] });
    expect(failed).toMatchObject({ status: "failed", result: { results: [{ status: "failed" }] } });
    expect(failed.error.message).toContain("connect ECONNREFUSED");
    vendure.failing.mutations = false;
    expect(await execute(bridgeId, "fulfillments.push", { orderIds: [order.id] })).toMatchObject({
      result: { results: [{ status: "sent", externalId: "1" }] },
    });
    expect(vendure.fulfillments).toHaveLength(1);
  });

  test("a failed lookup does not send the record twice", async () => {
    const vendure = await startVendure();
    const query = "query ($orderCode: String!) { orders { … } }";
    const lookup = {
      request: { method: "POST", path: "/admin-api", body: { query, variables } },
      externalIdPath: "data.orders.items[0].id",
    };
    // The answer to the mutation is not where it is looked for: whether it arrived is asked.
    const bridgeId = await aBridge(vendure.url, [{ ...fulfil, externalIdPath: "data.createFulfillment.id", lookup }]);
    const order = await shippedOrder("T-4");
    vendure.failing.queries = true;
    const input = { orderIds: [order.id] };
    const unknown = await execute(bridgeId, "fulfillments.push", input);
    expect(unknown.result.results).toMatchObject([
      { status: "outcome_unknown", error: { code: "unexpected_response" } },
    ]);
    const stillUnknown = await execute(bridgeId, "fulfillments.push", input);
    expect(stillUnknown.result.results).toMatchObject([{ status: "outcome_unknown", error: { code: "rejected" } }]);
    expect(vendure.fulfillments).toHaveLength(1);
    vendure.failing.queries = false;
    const found = await execute(bridgeId, "fulfillments.push", input);
    expect(found.result.results).toMatchObject([{ status: "already_sent", externalId: "1" }]);
    expect(vendure.fulfillments).toHaveLength(1);
  });

  test("a pull and a call with errors fail with the quoted message", async () => {
    const vendure = await startVendure();
    vendure.failing.queries = true;
    const request = { method: "POST", path: "/admin-api", body: { query: "query { orders { items { id } } }" } };
    const failsWhenErrors = { condition: { path: "errors", op: "not_empty" }, messagePath: "errors[0].message" };
    const pull = { name: "orders.import", mode: "pull", request, recordsPath: "data.orders.items" };
    const bridgeId = await aBridge(vendure.url, [
      { ...pull, failsWhen: failsWhenErrors },
      { name: "orders.count", mode: "call", request, failsWhen: failsWhenErrors, idempotent: true },
    ]);
    for (const taskName of ["orders.import", "orders.count"]) {
      const failed = await execute(bridgeId, taskName);
      expect(failed, taskName).toMatchObject({ status: "failed", error: { code: "rejected" } });
      expect(failed.error.message).toContain("(200: Error: connect ECONNREFUSED)");
    }
    vendure.failing.queries = false;
    expect(await execute(bridgeId, "orders.count")).toMatchObject({ status: "succeeded" });
  });
});

describe("a response without the declared id", () => {
  const exporting = {
    name: "orders.export",
    mode: "push",
    request: { method: "POST", path: "/orders" },
    externalIdPath: "data.order.id",
  };

  test("leaves the outcome unknown: the order is not sent again, and an exception is opened", async () => {
    const partner = await startApi(() => ({ status: 201, body: { id: "E1" } }));
    const bridgeId = await aBridge(partner.url, [exporting]);
    const order = await anOrder();
    const first = await execute(bridgeId, "orders.export", { orderIds: [order.id] });
    expect(first).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
    expect(first.error.message).toContain("The answer has no id at data.order.id.");
    expect(await exceptionsOf(order.id)).toMatchObject([{ kind: "push", code: "outcome_unknown", status: "open" }]);
    const again = await execute(bridgeId, "orders.export", { orderIds: [order.id] });
    expect(again.result.results).toMatchObject([{ status: "outcome_unknown" }]);
    expect(partner.asked).toHaveLength(1);
  });

  test("puts an order sent by the action on hold", async () => {
    const partner = await startApi(() => ({ status: 204 }));
    const bridgeId = await aBridge(partner.url, [exporting]);
    const order = await anOrder();
    const actions = [{ type: "send_to_fulfillment", params: { bridge_id: bridgeId } }];
    const run = (await org.post("/operations/run", { order_ids: [order.id], actions })).body;
    const executionId = run.results[0].steps[0].execution_id;
    const look = async () => (await org.get(`/tasks/executions/${executionId}`)).body;
    const ended = await eventually(look, ({ finishedAt }) => finishedAt !== null);
    expect(ended).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
    expect((await org.get(`/orders/${order.id}`)).body.holds).toMatchObject([{ handle: "fulfillment" }]);
  });

  test("a push without externalIdPath accepts every success status", async () => {
    const partner = await startApi(() => ({ status: 202, body: "accepted" }));
    const { externalIdPath: _none, ...task } = exporting;
    const bridgeId = await aBridge(partner.url, [task]);
    const order = await anOrder();
    const sent = await execute(bridgeId, "orders.export", { orderIds: [order.id] });
    expect(sent.result.results).toMatchObject([{ status: "sent" }]);
  });

  test("a response with both a failure and an id is not sent again", async () => {
    const partner = await startApi(() => ({ body: { data: { order: { id: 5 } }, errors: ["a field of it failed"] } }));
    const failsWhen = { condition: { path: "errors", op: "not_empty" } };
    const bridgeId = await aBridge(partner.url, [{ ...exporting, failsWhen }]);
    const order = await anOrder();
    const sent = await execute(bridgeId, "orders.export", { orderIds: [order.id] });
    expect(sent.result.results).toMatchObject([{ status: "outcome_unknown" }]);
  });
});

test("an invalid failsWhen is rejected with its pointer", async () => {
  const request = { path: "/x" };
  const conditions = [
    { path: "errors", op: "nonempty" },
    { path: "status", op: "in_set", value: "bad ones" },
    { path: "number", op: "ne", value: "{{record.number}}" },
  ];
  const tasks = conditions.map((condition, i) => ({ name: `t${i}`, mode: "call", request, failsWhen: { condition } }));
  const given = { name: "Wrong", connector: "rest", settings: { baseUrl: "http://127.0.0.1:9", tasks } };
  const { status, body } = await org.post("/bridges", given);
  expect(status).toBe(400);
  expect(body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)).toEqual([
    "/settings/tasks/0/failsWhen/condition/op enum",
    "/settings/tasks/1/failsWhen/condition operator",
    "/settings/tasks/2/failsWhen/condition/value template",
  ]);
});

describe("pages", () => {
  const magento = (size: number, more: object = {}) => ({
    name: "stock.read",
    mode: "pull",
    recordType: "inventory",
    request: { path: "/rest/V1/orders" },
    recordsPath: "items",
    externalIdPath: "entity_id",
    updatedAtPath: "updated_at",
    pagination: {
      kind: "page",
      param: "searchCriteria[currentPage]",
      pageSize: size,
      pageSizeParam: "searchCriteria[pageSize]",
    },
    ...more,
  });

  test.each([
    ["by their total", 20, true, { totalPath: "total_count" }],
    ["that fill one page, by their total", 10, true, { totalPath: "total_count" }],
    ["by the last page that comes again, where no total is said", 30, false, {}],
  ])("of a shop that repeats its last page end %s", async (_, orders, hasTotal, more: object) => {
    const shop = await startMagento({ orders, hasTotal });
    const bridgeId = await aBridge(shop.url, [magento(10, more)]);
    const pulled = await execute(bridgeId, "stock.read");
    expect(pulled).toMatchObject({ status: "succeeded", result: { fetched: orders } });
    // And the next one does not stumble over where this one ended.
    expect(await execute(bridgeId, "stock.read")).toMatchObject({ status: "succeeded" });
  });

  test("that repeat the first page fail with advice", async () => {
    const shop = await startApi(() => ({ body: { items: [{ entity_id: 1 }, { entity_id: 2 }], count: 7 } }));
    const bridgeId = await aBridge(shop.url, [magento(2)]);
    const failed = await execute(bridgeId, "stock.read");
    expect(failed).toMatchObject({ status: "failed", error: { code: "pagination_loop" } });
    expect(failed.error.message).toContain("searchCriteria[currentPage]");
    const counted = await aBridge(shop.url, [magento(2, { totalPath: "count" })]);
    const message = (await execute(counted, "stock.read")).error.message;
    expect(message).toContain("reports 7 records and returned 2");
  });

  test.each([
    [4, 2],
    [4, 3],
    [0, 2],
  ])("end at a 204 without content: %i orders, %i a page", async (orders, size) => {
    const shop = await startBigCommerce({ orders });
    const task = {
      ...magento(size),
      recordsPath: "$",
      externalIdPath: "id",
      pagination: { kind: "page", pageSize: size },
    };
    const bridgeId = await aBridge(shop.url, [task]);
    const pulled = await execute(bridgeId, "stock.read");
    expect(pulled).toMatchObject({ status: "succeeded", result: { fetched: orders } });
  });
});

describe("signing in", () => {
  const signedIn = async (auth: object, credentials: object, settings: object = {}) => {
    const api = await startApi(({ url }) =>
      url.pathname === "/token" ? { body: { access_token: "T", token_type: "bearer" } } : { body: {} },
    );
    const whole = { baseUrl: api.url, testPath: "/ping", auth, ...settings };
    const filled = JSON.parse(JSON.stringify(whole).replace("TOKEN_URL", `${api.url}/token`)) as object;
    const given = { name: `API ${++bridges}`, connector: "rest", settings: filled, credentials };
    const { status, body } = await org.post("/bridges", given);
    if (status !== 201) return body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`);
    const tested = await org.post(`/bridges/${body.id}/test`);
    expect(tested.body).toMatchObject({ ok: true });
    expect(JSON.stringify([body, tested.body, (await org.get(`/bridges/${body.id}`)).body])).not.toContain("hidden");
    const { authorization, "x-api-key": key, "x-amz-access-token": amazon } = api.asked.at(-1)!.headers;
    const asking = api.asked.find(({ url }) => url.pathname === "/token");
    expect(asking?.headers["x-api-key"]).toBeUndefined();
    return { authorization, key, amazon };
  };
  const oauth2 = { kind: "oauth2", tokenUrl: "TOKEN_URL" };
  const client = { clientId: "hub", clientSecret: "hidden" };

  test("the access token is sent in the configured header, with or without a prefix", async () => {
    expect(await signedIn(oauth2, client)).toEqual({ authorization: "Bearer T" });
    expect(await signedIn({ ...oauth2, paramName: "X-Amz-Access-Token" }, client)).toEqual({ amazon: "T" });
    const zoho = { ...oauth2, paramName: "Authorization", prefix: "Zoho-oauthtoken" };
    expect(await signedIn(zoho, client)).toEqual({ authorization: "Zoho-oauthtoken T" });
    const header = { kind: "header", paramName: "Authorization", prefix: "ApiKey" };
    expect(await signedIn(header, { token: "hidden" })).toEqual({ authorization: "ApiKey hidden" });
  });

  test("secret headers are sent in addition to the token, only to the base URL, and win over plain ones", async () => {
    const credentials = { ...client, headers: { "x-api-key": "hidden" } };
    const settings = { headers: { "X-API-Key": "plain" } };
    expect(await signedIn(oauth2, credentials, settings)).toEqual({ authorization: "Bearer T", key: "hidden" });
  });

  test("a secret header that the hub or the auth kind sets itself is rejected", async () => {
    const headers = { host: "x", Authorization: "x" };
    expect(await signedIn({ kind: "bearer" }, { token: "x", headers })).toEqual([
      "/credentials/headers/host reserved_header",
      "/credentials/headers/Authorization reserved_header",
    ]);
    expect(await signedIn({ kind: "header" }, { token: "x", headers: { "X-Api-Key": "y" } })).toEqual([
      "/credentials/headers/X-Api-Key reserved_header",
    ]);
  });
});
