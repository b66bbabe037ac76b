import { beforeAll, describe, expect, test } from "vitest";
import { startApi } from "../../testing/stand-in-apis.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";

let hub: TestHub;
let org: TestOrg;

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
});

type Order = { id: number; changed: string };
const ordersOf = (count: number): Order[] =>
  Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    changed: new Date(Date.UTC(2026, 0, 1) + i * 3_600_000).toISOString(),
  }));

let bridges = 0;

/** A bridge with one task that imports orders by their id. */
async function aBridge(baseUrl: string, task: object): Promise<() => Promise<Record<string, never>>> {
  const tasks = [{ name: "orders.import", mode: "pull", ...task }];
  const made = await org.post("/bridges", {
    name: `API ${++bridges}`,
    connector: "rest",
    settings: { baseUrl, tasks },
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const about = { bridgeId: made.body.id as string, taskName: "orders.import" };
  const mappings = [{ template: `A${bridges}-{{id}}`, target: "number" }];
  await org.post("/transformations", { ...about, name: "Orders", direction: "inbound", mappings });
  return async () => (await org.post("/tasks/execute-sync", about)).body;
}

describe("a GraphQL API, with page and start in the variables", () => {
  type Variables = { first: number; after?: string; filter?: { updatedAt?: { gte?: string } } };

  const request = {
    method: "POST",
    path: "/graphql",
    body: {
      query: "query ($first: Int!, $after: String, $filter: Filter) { orders { … } } # \\{{not a placeholder}}",
      variables: { first: "{{page.size}}", after: "{{page.cursor}}", filter: { updatedAt: { gte: "{{since}}" } } },
    },
  };
  const task = {
    request,
    recordsPath: "data.orders.nodes",
    updatedAtPath: "changed",
    updatedSince: {},
    pagination: {
      kind: "cursor",
      pageSize: 10,
      nextCursorPath: "data.orders.pageInfo.endCursor",
      hasNextPath: "data.orders.pageInfo.hasNextPage",
    },
  };

  async function startGraphql(orders: Order[]) {
    return await startApi(({ body }) => {
      const { first, after = "0", filter } = (JSON.parse(body) as { variables: Variables }).variables;
      const all = orders.filter(({ changed }) => changed >= (filter?.updatedAt?.gte ?? ""));
      const left = all.filter(({ id }) => id > Number(after));
      const nodes = left.slice(0, first);
      // The cursor of the last page is there as well.
      const pageInfo = { hasNextPage: left.length > first, endCursor: String(nodes.at(-1)?.id ?? after) };
      return { body: { data: { orders: { nodes, pageInfo } } } };
    });
  }

  test("is read to its last page, and then only what has changed", async () => {
    const orders = ordersOf(20);
    const shop = await startGraphql(orders);
    const pull = await aBridge(shop.url, task);
    expect(await pull()).toMatchObject({ status: "succeeded", result: { fetched: 20, created: 20 } });
    const variables = () => shop.asked.map(({ body }) => (JSON.parse(body) as { variables: Variables }).variables);
    expect(variables()).toEqual([{ first: 10 }, { first: 10, after: "10" }]);
    expect(shop.asked.map(({ url }) => url.search)).toEqual(["", ""]);
    expect(JSON.parse(shop.asked[0]!.body)).toMatchObject({
      query: expect.stringContaining("# {{not a placeholder}}"),
    });
    orders[3]!.changed = "2026-02-01T00:00:00.000Z";
    // The newest one is within the overlap.
    expect(await pull()).toMatchObject({ result: { fetched: 2, updated: 0, failed: 0 } });
    expect(variables().at(-1)).toEqual({ first: 10, filter: { updatedAt: { gte: "2026-01-01T18:55:00.000Z" } } });
  });

  test("that announces a next page without a cursor is an error, not the end", async () => {
    const shop = await startApi(() => ({
      body: { data: { orders: { nodes: [{ id: 1 }], pageInfo: { hasNextPage: true, endCursor: null } } } },
    }));
    const pull = await aBridge(shop.url, task);
    expect(await pull()).toMatchObject({ status: "failed", error: { code: "unexpected_response" } });
  });
});

test("a start inside of a longer value, with an initial one, and an offset that the request names (eBay)", async () => {
  const orders = ordersOf(5);
  const shop = await startApi(({ url }) => {
    const [offset, limit] = ["offset", "limit"].map((name) => Number(url.searchParams.get(name)));
    const from = /lastmodifieddate:\[(.*)\.\.\]/.exec(url.searchParams.get("filter") ?? "")?.[1] ?? "none";
    const all = orders.filter(({ changed }) => changed >= from);
    return { body: { orders: all.slice(offset, offset! + limit!), total: all.length } };
  });
  const pull = await aBridge(shop.url, {
    request: {
      path: "/order",
      query: {
        filter: "orderfulfillmentstatus:{NOT_STARTED|IN_PROGRESS},lastmodifieddate:[{{since}}..]",
        offset: "{{page.offset}}",
        limit: "{{page.size}}",
      },
    },
    recordsPath: "orders",
    updatedAtPath: "changed",
    updatedSince: { initial: "2026-01-01T01:00:00Z" },
    totalPath: "total",
    pagination: { kind: "offset", pageSize: 2 },
  });
  expect(await pull()).toMatchObject({ status: "succeeded", result: { fetched: 4 } });
  expect(shop.asked.map(({ url }) => Object.fromEntries(url.searchParams))).toEqual([
    {
      filter: expect.stringContaining("{NOT_STARTED|IN_PROGRESS},lastmodifieddate:[2026-01-01T01:00:00.000Z..]"),
      offset: "0",
      limit: "2",
    },
    { filter: expect.any(String), offset: "2", limit: "2" },
  ]);
  expect(await pull()).toMatchObject({ result: { fetched: 1 } });
  expect(shop.asked.at(-1)!.url.searchParams.get("filter")).toContain("[2026-01-01T03:55:00.000Z..]");
});

test("a start in days, a query language in the body, and hasMore with short pages (SuiteQL)", async () => {
  const orders = ordersOf(5);
  const shop = await startApi(({ url }) => {
    const offset = Number(url.searchParams.get("offset"));
    // The server decides how many there are in a page.
    const items = orders.slice(offset, offset + 2);
    return { body: { items, hasMore: offset + items.length < orders.length } };
  });
  const q = "SELECT id FROM transaction WHERE lastmodifieddate >= TO_TIMESTAMP('{{since}}', 'YYYY-MM-DD HH24:MI:SS')";
  const pull = await aBridge(shop.url, {
    request: {
      method: "POST",
      path: "/suiteql",
      query: { offset: "{{page.offset}}" },
      headers: { Prefer: "transient" },
      body: { q },
    },
    recordsPath: "items",
    updatedAtPath: "changed",
    updatedSince: { format: "datetime", initial: "10d" },
    pagination: { kind: "offset", pageSize: 100, hasNextPath: "hasMore" },
  });
  expect(await pull()).toMatchObject({ status: "succeeded", result: { fetched: 5 } });
  const since = /'(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)'/.exec(shop.asked[0]!.body)![1]!;
  const daysAgo = (Date.now() - Date.parse(`${since.replace(" ", "T")}Z`)) / 86_400_000;
  expect(Math.abs(daysAgo - 10)).toBeLessThan(0.01);
  expect(shop.asked.map(({ url }) => url.searchParams.get("offset"))).toEqual(["0", "2", "4"]);
});

test("a page in the path and in a header, and times in seconds on both sides (Etsy)", async () => {
  const orders = ordersOf(5).map(({ id, changed }) => ({ id, changed: Date.parse(changed) / 1000 }));
  const shop = await startApi(({ url, headers }) => {
    const page = Number(url.pathname.split("/").at(-1));
    expect(headers["x-page"]).toBe(`page ${page}`);
    const all = orders.filter(({ changed }) => changed >= Number(url.searchParams.get("min_last_modified") ?? 0));
    return { body: all.slice((page - 1) * 2, page * 2) };
  });
  const pull = await aBridge(shop.url, {
    request: {
      path: "/receipts/{{page.number}}",
      headers: { "X-Page": "page {{page.number}}", "X-Since": "{{since}}" },
    },
    updatedAtPath: "changed",
    updatedSince: { param: "min_last_modified", format: "unix" },
    pagination: { kind: "page", pageSize: 2 },
  });
  expect(await pull()).toMatchObject({ status: "succeeded", result: { fetched: 5 } });
  // The request names the start, so there is no parameter; without a value the header is not sent.
  expect(shop.asked[0]!.url.search).toBe("");
  expect(shop.asked[0]!.headers).not.toHaveProperty("x-since");
  await pull();
  expect(shop.asked.at(-1)!.url.search).toBe("");
  expect(shop.asked.at(-1)!.headers["x-since"]).toBe(String(Date.UTC(2026, 0, 1, 3, 55) / 1000));
});

test("placeholders and settings that cannot work are rejected with their pointers", async () => {
  const at = { updatedAtPath: "changed" };
  const tasks = [
    { request: { path: "/a", query: { q: "{{page.cursor}}" } }, pagination: { kind: "page" } },
    { request: { path: "/b", query: { q: "{{page.size}}" } }, pagination: { kind: "page" } },
    { request: { path: "/c", query: { q: "{{page.constructor}}" } } },
    { request: { path: "/d", query: { q: "{{since}}" } } },
    { request: { path: "/e" }, ...at, updatedSince: {} },
    { request: { path: "/f" }, ...at, updatedSince: { param: "since", initial: "2026-13-01" } },
    { request: { path: "/g" }, details: [{ request: { path: "/g/{{record.id}}", method: "PUT" } }] },
    {
      request: { path: "/h" },
      details: [{ request: { path: "/h" }, pagination: { kind: "cursor" }, recordPath: "a.*" }],
    },
    { request: { path: "/i" }, pagination: { kind: "page", hasNextPath: "a..b" } },
    { mode: "call", request: { path: "/j/{{page.number}}" }, details: [{ request: { path: "/x" } }] },
    { request: { path: "/k/{{page.cursor}}" }, pagination: { kind: "cursor", nextCursorPath: "next" } },
    { request: { path: "/l/{{since}}" }, ...at, updatedSince: {} },
    { request: { path: "/m/{{since}}" }, ...at, updatedSince: { initial: "30d" } },
    {
      request: { path: "/n", query: { n: "{{page.size}}" } },
      pagination: { kind: "cursor", pageSize: 50, nextCursorPath: "next" },
    },
    {
      request: { path: "/o", query: { n: "{{page.size}}", page: "{{page.number}}" } },
      pagination: { kind: "page", pageSize: 50 },
    },
  ].map((task, i) => ({ name: `t${i}`, mode: "pull", ...task }));
  const test = { request: { path: "/me", headers: { a: "{{input.x}}", b: "{{settings.y}}" } } };
  const settings = { baseUrl: "http://127.0.0.1:9", tasks, test };
  const { status, body } = await org.post("/bridges", { name: "Wrong", connector: "rest", settings });
  expect(status).toBe(400);
  expect(
    body.errors.map(
      ({ pointer, code }: { pointer: string; code: string }) => `${pointer.replace("/settings/", "")} ${code}`,
    ),
  ).toEqual([
    "test/request/headers unknown_placeholder",
    "test/request/headers unknown_placeholder",
    "tasks/0/request/query unknown_placeholder",
    "tasks/1/request/query unknown_placeholder",
    "tasks/2/request/query unknown_placeholder",
    "tasks/3/request/query unknown_placeholder",
    "tasks/4/updatedSince/param required",
    "tasks/5/updatedSince/initial not_a_time",
    "tasks/6/details/0/request/method not_a_read",
    "tasks/7/details/0/mergeAs required",
    "tasks/7/details/0/pagination/nextCursorPath required",
    "tasks/7/details/0/recordPath not_a_path",
    "tasks/8/pagination/hasNextPath not_a_path",
    "tasks/9/request/path unknown_placeholder",
    "tasks/9/details not_a_pull",
    "tasks/10/request/path no_first_value",
    "tasks/11/request/path no_first_value",
    "tasks/13/request no_position",
  ]);
});
