import { generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { installedDefinitions } from "../../connectors/rest/definitions/installed-definitions.ts";
import { recordFields } from "../../connectors/record-fields.ts";
import { installSampleDefinition } from "../../testing/sample-definition.ts";
import { startApi } from "../../testing/stand-in-apis.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";

let hub: TestHub;
let org: TestOrg;

beforeAll(async () => {
  installSampleDefinition();
  hub = await startTestHub();
  org = await hub.org();
});

const startShop = () =>
  startApi(({ url, headers }) => {
    const isKnown = headers["x-token"] === "hidden-1" && headers["x-api-key"] === "hidden-2";
    if (!isKnown || !url.pathname.startsWith("/stores/s1/")) return { status: 401, body: {} };
    return { body: [{ id: 1, no: `S-${url.searchParams.get("days")}-${url.searchParams.get("fixed")}` }] };
  });
const credentials = { token: "hidden-1", "headers.x-api-key": "hidden-2" };
const install = "/bridges/definitions/sample/install";

test("a definition shows what to fill in", async () => {
  const { body } = await org.get("/bridges/definitions");
  expect(body.data.find(({ name }: { name: string }) => name === "sample")).toEqual({
    name: "sample",
    title: "Sample shop",
    description: "A shop of the tests",
    docs: "docs/rest-connector.md",
    requiredScopes: "Read orders.",
    variables: [
      expect.objectContaining({ name: "shopUrl", label: "Shop URL", default: null, format: "url", description: null }),
      expect.objectContaining({ name: "store", default: null, format: "text" }),
      expect.objectContaining({ name: "channel", default: "" }),
      expect.objectContaining({ name: "days", default: 30, format: "number" }),
    ],
    credentials: [
      { name: "token", label: "Token", description: null, isSecret: true, isRequired: true },
      { name: "headers.x-api-key", label: "API key", description: null, isSecret: true, isRequired: true },
      expect.objectContaining({ name: "webhookSecret", isRequired: false }),
    ],
    tasks: [{ name: "orders.import", mode: "pull" }],
    schedules: [{ taskName: "orders.import", cron: "*/15 * * * *" }],
  });
});

test("installing creates the bridge, its transformation and schedule, which work at once", async () => {
  const shop = await startShop();
  const variables = { shopUrl: `${shop.url}/`, store: "s1", days: "7" };
  const made = await org.post(install, { name: "My shop", variables, credentials, schedules: true });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const { bridge, transformations, schedules } = made.body;
  expect(bridge).toMatchObject({ name: "My shop", connector: "rest", hasCredentials: true });
  expect(bridge.settings.baseUrl).toBe(`${shop.url}/stores/s1`);
  expect(bridge.settings.variables).toEqual({ fixed: "f", shopUrl: shop.url, store: "s1", channel: "", days: 7 });
  expect(JSON.stringify(made.body)).not.toContain("hidden");
  expect((await org.get(`/transformations/${transformations[0].id}`)).body).toMatchObject({
    bridgeId: bridge.id,
    name: "My shop: orders.import",
    mode: "replace",
    isActive: true,
  });
  expect((await org.get(`/schedules/${schedules[0].id}`)).body).toMatchObject({
    bridgeId: bridge.id,
    isActive: true,
    cron: "*/15 * * * *",
    owner: { type: "api_key" },
  });
  expect((await org.post(`/bridges/${bridge.id}/test`)).body).toMatchObject({ ok: true });
  const pulled = await org.post("/tasks/execute-sync", { bridgeId: bridge.id, taskName: "orders.import" });
  expect(pulled.body).toMatchObject({ status: "succeeded", result: { created: 1 } });
  expect((await org.get("/orders/S-7-f")).status).toBe(200);
  expect(shop.asked.at(-1)!.headers).not.toHaveProperty("x-channel");
});

test("without schedules none is created, and the same request with its key creates nothing again", async () => {
  const variables = { shopUrl: "https://shop.example.com", store: "s1" };
  const headers = { "idempotency-key": "once" };
  const first = await org.post(install, { name: "Once", variables, credentials }, { headers });
  expect(first).toMatchObject({ status: 201, body: { schedules: [] } });
  const again = await org.post(install, { name: "Once", variables, credentials }, { headers });
  expect(again.body).toEqual(first.body);
  const other = await org.post(install, { name: "Once", variables, credentials });
  expect(other).toMatchObject({ status: 409, body: { code: "name_taken" } });
  const { data } = (await org.get(`/transformations?bridgeId=${first.body.bridge.id}`)).body;
  expect(data).toHaveLength(1);
});

const pointersOf = ({ body }: { body: { errors?: { pointer: string; code: string }[] } }) =>
  (body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);

test("values that are missing, unknown or wrong are named, and nothing is created", async () => {
  const good = { shopUrl: "https://shop.example.com", store: "s1" };
  const post = (more: object) => org.post(install, { name: "Wrong", variables: good, credentials, ...more });
  expect(pointersOf(await org.post(install, { name: "Wrong" }))).toEqual([
    "/variables/shopUrl required",
    "/variables/store required",
    "/credentials/token required",
    "/credentials/headers.x-api-key required",
  ]);
  expect(
    pointersOf(await post({ variables: { ...good, sotre: "x", store: "no/slash", shopUrl: "shop", days: "few" } })),
  ).toEqual([
    "/variables/sotre unknown_field",
    "/variables/shopUrl invalid_url",
    "/variables/store pattern",
    "/variables/days type",
  ]);
  expect(pointersOf(await post({ credentials: { ...credentials, secret: "x" } }))).toEqual([
    "/credentials/secret unknown_field",
  ]);
  // The rules of the connector find the mistake; the error points at the variable.
  expect(pointersOf(await post({ variables: { ...good, shopUrl: "ftp://shop.example.com" } }))[0]).toMatch(
    /^\/variables\/shopUrl /,
  );
  expect(pointersOf(await post({ variables: { ...good, shopUrl: "https://shop.example.com?x=1" } }))).toEqual([
    "/variables/shopUrl invalid_url",
  ]);
  expect(pointersOf(await post({ credentials: { ...credentials, "headers.x-api-key": "ä" } }))[0]).toMatch(
    /^\/credentials\/headers\.x-api-key /,
  );
  expect((await org.get("/bridges?search=Wrong")).body.data).toEqual([]);
  expect(await org.post("/bridges/definitions/nowhere/install", { name: "X" })).toMatchObject({
    status: 404,
    body: { code: "definition_not_found" },
  });
});

test("needs the scopes of everything that it creates", async () => {
  const body = {
    name: "Scoped",
    variables: { shopUrl: "https://shop.example.com", store: "s1" },
    credentials,
    schedules: true,
  };
  const some = await org.withScopes(["bridges:write"]);
  const refused = await some.post(install, body);
  expect(refused).toMatchObject({ status: 403, body: { required: ["transformations:write"] } });
  const more = await org.withScopes(["bridges:write", "transformations:write", "tasks:execute"]);
  expect(await more.post(install, body)).toMatchObject({ status: 403, body: { required: ["schedules:write"] } });
  const most = await org.withScopes(["bridges:write", "transformations:write", "schedules:write"]);
  expect(await most.post(install, body)).toMatchObject({ status: 403, body: { required: ["tasks:execute"] } });
  expect((await org.get("/bridges?search=Scoped")).body.data).toEqual([]);
  expect((await more.post(install, { ...body, schedules: false })).status).toBe(201);
});

test("every installed definition can be installed with its examples, and its document exists", async () => {
  const names = installedDefinitions.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const {
    name,
    docs,
    variables,
    credentials: asked,
    transformations,
    schedules,
    settings,
  } of installedDefinitions) {
    expect(name).toMatch(/^[a-z0-9-]+$/);
    expect(existsSync(path.join(import.meta.dirname, "../../../..", docs)), docs).toBe(true);
    const secrets = asked.filter(({ isOptional }) => !isOptional).map((one) => [one.name, exampleOf(one.name)]);
    const made = await org.post(`/bridges/definitions/${name}/install`, {
      name: `Example of ${name}`,
      variables: Object.fromEntries(variables.map((one) => [one.name, one.example])),
      credentials: Object.fromEntries(secrets),
      schedules: true,
    });
    expect(made.status, `${name}: ${JSON.stringify(made.body)}`).toBe(201);
    const tasks = settings.tasks!.map((task) => task.name);
    for (const { taskName } of [...transformations, ...schedules]) expect(tasks, name).toContain(taskName);
    const imports = transformations.filter(({ taskName }) => taskName === "orders.import");
    const targets = imports.flatMap(({ mappings }) => mappings.map(({ target }) => target.split(/[.[]/)[0]!));
    expect(
      targets.filter((target) => !recordFields.orders.some(({ path: field }) => field === target)),
      name,
    ).toEqual([]);
  }
});

function exampleOf(name: string): string {
  return name === "privateKey" ? keys.privateKey : "example";
}

const keys = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
