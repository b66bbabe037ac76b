import { beforeAll, describe, expect, test } from "vitest";
import { callFor, pullAll, taskOf } from "../../testing/connector-calls.ts";
import { startApi } from "../../testing/stand-in-apis.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import type { Call } from "../connector.ts";
import { rest } from "./rest.ts";

let hub: TestHub;
let org: TestOrg;

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
});
type Failure = { status: number; body?: unknown; headers?: Record<string, string> };

/** Lists orders without lines, as SP-API v0 does. `failing`: how the lines of an order are answered instead. */
async function startSellerApi(count: number) {
  const now = Date.now();
  const orders = Array.from({ length: count }, (_, i) => ({
    AmazonOrderId: `A-${i + 1}`,
    LastUpdateDate: new Date(now - (count - i) * 3_600_000).toISOString(),
  }));
  const failing = new Map<string, (asked: number) => Failure | undefined>();
  const counts = new Map<string, number>();
  const api = await startApi(({ url }) => {
    const [, , id, what] = url.pathname.split("/");
    if (id === undefined) {
      const since = url.searchParams.get("since") ?? "";
      return { body: { payload: { Orders: orders.filter(({ LastUpdateDate }) => LastUpdateDate >= since) } } };
    }
    const asked = (counts.get(id) ?? 0) + 1;
    counts.set(id, asked);
    const failure = failing.get(id)?.(asked);
    if (failure) return failure;
    if (what === "address") return { body: { payload: { ShippingAddress: { City: "Reno" } } } };
    const isSecond = url.searchParams.get("NextToken") === "t2";
    const item = (n: number) => ({ SellerSKU: `${id}-${n}`, QuantityOrdered: n });
    const OrderItems = isSecond ? [item(2)] : [item(1)];
    return { body: { payload: { OrderItems, ...(isSecond ? {} : { NextToken: "t2" }) } } };
  });
  return { ...api, orders, failing, counts };
}

const items = {
  request: { path: "/orders/{{record.AmazonOrderId}}/items" },
  recordPath: "payload.OrderItems",
  mergeAs: "lines",
  pagination: { kind: "cursor", param: "NextToken", nextCursorPath: "payload.NextToken" },
};
const address = { request: { path: "/orders/{{record.AmazonOrderId}}/address" }, recordPath: "payload" };

let bridges = 0;

async function aBridge(baseUrl: string, details: object[] = [items], more: object = {}) {
  const task = {
    name: "orders.import",
    mode: "pull",
    request: { path: "/orders" },
    recordsPath: "payload.Orders",
    externalIdPath: "AmazonOrderId",
    updatedAtPath: "LastUpdateDate",
    updatedSince: { param: "since" },
    details,
    ...more,
  };
  const settings = { baseUrl, tasks: [task] };
  const made = await org.post("/bridges", { name: `Seller ${++bridges}`, connector: "rest", settings });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const bridgeId = made.body.id as string;
  const about = { bridgeId, taskName: "orders.import" };
  const mappings = [
    { template: `${bridges}/{{AmazonOrderId}}`, target: "number" },
    { source: "ShippingAddress.City", target: "shippingAddress.city" },
    {
      target: "lines",
      each: "lines",
      mappings: [
        { source: "@.SellerSKU", target: "sku" },
        { source: "@.QuantityOrdered", target: "quantity" },
      ],
    },
  ];
  await org.post("/transformations", { ...about, name: "Orders", direction: "inbound", mappings });
  const pull = async () => (await org.post("/tasks/execute-sync", about)).body;
  const exceptions = async () => (await org.get(`/exceptions?bridgeId=${bridgeId}&status=open`)).body.data;
  return { bridgeId, pull, exceptions };
}

test("each record gets the responses of its details, in pages and side by side", async () => {
  const shop = await startSellerApi(6);
  const { bridgeId, pull } = await aBridge(shop.url, [items, address]);
  expect(await pull()).toMatchObject({ status: "succeeded", result: { fetched: 6, created: 6, failed: 0 } });
  const { data } = (await org.get(`/orders?bridgeId=${bridgeId}&limit=10`)).body;
  const found = data.find(({ externalId }: { externalId: string }) => externalId === "A-4");
  const order = (await org.get(`/orders/${found.id}`)).body;
  expect(order.lines).toMatchObject([
    { sku: "A-4-1", quantity: 1 },
    { sku: "A-4-2", quantity: 2 },
  ]);
  expect(order.shippingAddress.city).toBe("Reno");
  // One list, and three requests for each order.
  expect(shop.asked).toHaveLength(1 + 6 * 3);
});

describe("a record whose details cannot be read", () => {
  test("is rejected alone with an exception, and read again by the next import", async () => {
    const shop = await startSellerApi(5);
    const { pull, exceptions } = await aBridge(shop.url);
    shop.failing.set("A-2", () => ({ status: 404, body: { errors: [{ message: "No such order" }] } }));
    shop.failing.set("A-3", () => ({ status: 500 }));
    const first = await pull();
    expect(first).toMatchObject({ status: "completed_with_errors", result: { fetched: 5, created: 3, failed: 2 } });
    expect(first.result.failures).toMatchObject([
      { externalId: "A-2", code: "not_found" },
      { externalId: "A-3", code: "remote_error" },
    ]);
    expect(
      (await exceptions()).map(({ subject, kind }: { subject: { name: string }; kind: string }) => [
        subject.name,
        kind,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ["A-2", "rejected_record"],
        ["A-3", "rejected_record"],
      ]),
    );
    shop.failing.clear();
    // From the oldest of them on.
    expect(await pull()).toMatchObject({ status: "succeeded", result: { fetched: 4, created: 2, unchanged: 2 } });
    expect(await exceptions()).toEqual([]);
    expect(await pull()).toMatchObject({ result: { fetched: 1, unchanged: 1 } });
  });

  test("does not keep the following imports from moving on for more than a day", async () => {
    const shop = await startSellerApi(40);
    const { pull } = await aBridge(shop.url);
    shop.failing.set("A-2", () => ({ status: 404 }));
    expect(await pull()).toMatchObject({ result: { fetched: 40, created: 39 } });
    // The failed one is 38 hours old; the newest 24 and one within the overlap are read again.
    expect((await pull()).result.fetched).toBeLessThanOrEqual(25);
  });

  test("is one whose response has a failure or lacks the value", async () => {
    const shop = await startSellerApi(4);
    const failsWhen = { condition: { path: "error", op: "not_empty" }, messagePath: "error" };
    const { pull } = await aBridge(shop.url, [{ ...items, failsWhen }]);
    shop.failing.set("A-1", () => ({ status: 200, body: { error: "being archived" } }));
    shop.failing.set("A-2", () => ({ status: 200, body: { payload: {} } }));
    const { failures } = (await pull()).result;
    expect(failures).toMatchObject([
      { externalId: "A-1", code: "rejected" },
      { externalId: "A-2", code: "unexpected_response" },
    ]);
    expect(failures[0].errors[0].message).toContain("being archived");
  });
});

test("at most four details are requested at a time, and none after a failure that ends the page", async () => {
  let [running, most, asked] = [0, 0, 0];
  const data = Array.from({ length: 20 }, (_, i) => ({ id: i + 1 }));
  const http: Call["http"] = {
    async request({ url }) {
      const isDetail = new URL(url).pathname !== "/x";
      if (isDetail) [running, asked] = [running + 1, asked + 1];
      most = Math.max(most, running);
      await new Promise(setImmediate);
      const status = isDetail && asked === 6 ? 401 : 200;
      if (isDetail) running--;
      const text = JSON.stringify(isDetail ? {} : data);
      const json = (): unknown => JSON.parse(text);
      const rest = { headers: {}, bytes: Buffer.from(text), retryAfterMs: undefined, mayHaveHappened: false };
      return { status, text, json, ...rest };
    },
  };
  const details = [{ request: { path: "/x/{{record.id}}" } }];
  const settings = {
    baseUrl: "https://erp.example",
    tasks: [{ name: "t", mode: "pull", request: { path: "/x" }, details }],
  };
  const pulled = pullAll(taskOf(rest, "pull", "t", settings), callFor({ settings, http }));
  await expect(pulled).rejects.toMatchObject({ code: "unauthorized" });
  expect(most).toBe(4);
  expect(asked).toBeLessThan(12);
});

test("a detail without content adds nothing", async () => {
  const shop = await startSellerApi(2);
  const { pull } = await aBridge(shop.url, [{ ...address, mergeAs: "ShippingAddress" }]);
  shop.failing.set("A-1", () => ({ status: 204 }));
  expect(await pull()).toMatchObject({ status: "succeeded", result: { fetched: 2, created: 2 } });
});

test("a rate limit is waited for, as long as the other side asks", async () => {
  const shop = await startSellerApi(3);
  const { pull } = await aBridge(shop.url, [address]);
  // The client itself repeats a request three times.
  shop.failing.set("A-2", (asked) => (asked <= 4 ? { status: 429, headers: { "retry-after": "0.1" } } : undefined));
  expect(await pull()).toMatchObject({ status: "succeeded", result: { fetched: 3, created: 3 } });
  expect(shop.counts.get("A-2")).toBe(5);
});

test("an outage fails the page, without an exception for each record", async () => {
  const shop = await startSellerApi(3);
  const { pull, exceptions } = await aBridge(shop.url, [address]);
  for (const { AmazonOrderId } of shop.orders) shop.failing.set(AmazonOrderId, () => ({ status: 503 }));
  const failed = await pull();
  expect(failed).toMatchObject({
    error: { code: expect.stringMatching(/remote_error|circuit_open/), retryable: true },
  });
  expect((await exceptions()).filter(({ kind }: { kind: string }) => kind === "rejected_record")).toEqual([]);
});

test("rejected credentials end the import", async () => {
  const shop = await startSellerApi(3);
  const { pull } = await aBridge(shop.url, [address]);
  shop.failing.set("A-2", () => ({ status: 401 }));
  expect(await pull()).toMatchObject({ status: "failed", error: { code: "unauthorized" } });
});

test("a sample reads the details of a few records only", async () => {
  const shop = await startSellerApi(30);
  const { bridgeId } = await aBridge(shop.url, [address]);
  const { body } = await org.post(`/bridges/${bridgeId}/samples`, { taskName: "orders.import", limit: 2 });
  expect(body.records[0].source).toMatchObject({ AmazonOrderId: "A-1", ShippingAddress: { City: "Reno" } });
  expect(shop.asked.length).toBeLessThanOrEqual(11);
});
