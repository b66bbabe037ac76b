import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { codeBlocks } from "../../testing/code-blocks.ts";
import { startApi } from "../../testing/stand-in-apis.ts";
import type { TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { installedDefinitions } from "./definitions/installed-definitions.ts";

let org: TestOrg;

beforeAll(async () => {
  org = await (await startTestHub()).org();
});

let bridges = 0;
const create = async (settings: object, credentials: object = {}) =>
  await org.post("/bridges", { name: `API ${++bridges}`, connector: "rest", settings, credentials });

const number = "{{record.shipments[0].trackingNumber}}";
const push = (more: object) => ({
  name: "fulfillments.push",
  mode: "push",
  request: { method: "POST", path: "/shipments", body: { number } },
  externalIdPath: "id",
  ...more,
});
const lookup = {
  request: { path: "/shipments" },
  recordsPath: "data",
  match: { path: "number", value: number },
  externalIdPath: "id",
};

async function shippedOrder(trackingNumber: string): Promise<string> {
  const { id } = (await org.post("/orders", { status: "ready", lines: [{ sku: "A", quantity: 1 }] })).body;
  const actions = [{ type: "mark_shipped", params: { tracking_number: trackingNumber, carrier: "ups" } }];
  await org.post("/operations/run", { order_ids: [id], actions });
  return id;
}

describe("a lookup in a list", () => {
  const statusOf = async (found: unknown) => {
    const sent: string[] = [];
    // The response to a shipment has no ID: whether it arrived is looked up.
    const api = await startApi(({ method, body }) => {
      if (method === "POST") sent.push(body);
      return { body: method === "POST" ? { ok: true } : found };
    });
    const { body } = await create({ baseUrl: api.url, tasks: [push({ lookup })] });
    const input = { orderIds: [await shippedOrder("T-2")] };
    const execute = async () =>
      (await org.post("/tasks/execute-sync", { bridgeId: body.id, taskName: "fulfillments.push", input })).body;
    await execute();
    const [result] = (await execute()).result.results;
    return { status: result.status, externalId: result.externalId, code: result.error?.code, sent: sent.length };
  };

  test("takes the record with the same value, not the first", async () => {
    const data = [
      { id: 1, number: "T-1" },
      { id: 2, number: "T-2" },
    ];
    expect(await statusOf({ data })).toMatchObject({ status: "already_sent", externalId: "2", sent: 1 });
  });

  test("without such a record, the record is sent again", async () => {
    expect(await statusOf({ data: [{ id: 1, number: "T-1" }] })).toMatchObject({ sent: 2 });
  });

  test("a response without the list leaves the outcome unknown", async () => {
    expect(await statusOf({ shipments: [] })).toMatchObject({
      status: "outcome_unknown",
      code: "unexpected_response",
      sent: 1,
    });
  });

  test("placeholders and paths of a match are checked", async () => {
    const wrong = { ...lookup, match: { path: "a..b", value: "{{page.number}}" } };
    const { status, body } = await create({ baseUrl: "https://api.example.com", tasks: [push({ lookup: wrong })] });
    expect(status).toBe(400);
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      "/settings/tasks/0/lookup/match/value",
      "/settings/tasks/0/lookup/match/path",
    ]);
  });
});

describe("a form", () => {
  test("has the members of the body as texts, without those that have no value", async () => {
    const api = await startApi(() => ({ body: { id: 7 } }));
    const request = {
      method: "POST",
      path: "/shipments",
      bodyFormat: "form",
      body: { number, quantity: "{{record.lines[0].quantity}}", note: "{{record.giftMessage}}", isPaid: true },
    };
    const { body } = await create({ baseUrl: api.url, tasks: [push({ request })] });
    const input = { orderIds: [await shippedOrder("T&3")] };
    const done = await org.post("/tasks/execute-sync", { bridgeId: body.id, taskName: "fulfillments.push", input });
    expect(done.body).toMatchObject({ status: "succeeded" });
    expect(api.asked[0]).toMatchObject({ body: "isPaid=true&number=T%263&quantity=1" });
    expect(api.asked[0]!.headers["content-type"]).toBe("application/x-www-form-urlencoded");
  });

  test("is rejected with OAuth 1.0a, whose signature does not cover it", async () => {
    const request = { method: "POST", path: "/shipments", bodyFormat: "form", body: { number } };
    const settings = { baseUrl: "https://api.example.com", auth: { kind: "oauth1" }, tasks: [push({ request })] };
    const { status, body } = await create(settings, { consumerKey: "a", consumerSecret: "b" });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ pointer: "/settings/tasks/0/request/bodyFormat", code: "not_with_oauth1" }]);
    const form = { ...request, body: { id: "1" } };
    const detailed = {
      name: "orders.import",
      mode: "pull",
      request: { path: "/orders" },
      details: [{ request: form }],
    };
    const more = { ...settings, test: { request: form }, tasks: [detailed] };
    const others = await create(more, { consumerKey: "a", consumerSecret: "b" });
    expect(others.body.errors).toMatchObject([
      { pointer: "/settings/test/request/bodyFormat", code: "not_with_oauth1" },
      { pointer: "/settings/tasks/0/details/0/request/bodyFormat", code: "not_with_oauth1" },
    ]);
  });
});

test.each(installedDefinitions.map(({ name, docs }) => [name, docs] as const))(
  "the document of %s has an installation that works",
  async (name, docs) => {
    const page = readFileSync(path.join(import.meta.dirname, "../../../..", docs), "utf8");
    const blocks = codeBlocks(page, "json");
    expect(blocks).toHaveLength(1);
    const block = blocks[0]!.block as Record<string, unknown>;
    expect(page).toContain(`/bridges/definitions/${name}/install`);
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 3072 });
    const key = privateKey.export({ type: "pkcs8", format: "pem" });
    const credentials = block.credentials as Record<string, string>;
    const given = {
      ...block,
      credentials: { ...credentials, ...("privateKey" in credentials ? { privateKey: key } : {}) },
    };
    const { status, body } = await org.post(`/bridges/definitions/${name}/install`, given);
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body.schedules).toHaveLength(2);
  },
);
