import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ResourceKind } from "../core/resources.ts";
import { aSmallCard } from "../features/carrier-accounts/carrier-accounts.schemas.ts";
import { aParcel } from "../features/labels/labels.schemas.ts";
import type { Route } from "../route.ts";
import { operatorOnlyScopes, scopes } from "../core/scopes.ts";
import { buildOneOfEverything } from "../testing/builders.ts";
import { eventually } from "../testing/eventually.ts";
import { allRoutes, pathOf } from "../testing/route-samples.ts";
import type { Answer, TestClient } from "../testing/test-client.ts";
import { startTestHub } from "../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
// A workbook is packed, and has the rows of the CSV.
const isReadable = ({ method, scope, answerType }: Route): boolean =>
  method === "GET" && scope !== "admin" && !answerType?.includes("sheet");
const routes = allRoutes(hub.mounts).filter(({ route }) => isReadable(route));

// Each of these values identifies a person.
const person = {
  name: "Ada Xyzzy",
  email: "ada@xyzzy.example",
  phone: "+1 518 555 0199",
  address1: "12 Xyzzy Street",
  address2: "Xyzzy door",
};
const tells = ({ text }: Answer): boolean => /xyzzy|5550199/i.test(text.replaceAll(" ", ""));

/** May do everything that an API key may, except read personal data. */
let stranger: TestClient;
const ids: Partial<Record<ResourceKind, string[]>> = {};
let bridgeId: string;
let transformationIds: string[];

const run = async (who: TestClient, type: string, params: object, number = "P-1"): Promise<Answer> =>
  await who.post("/operations/run", { order_ids: [number], actions: [{ type, params }] });
/** A shop that says no, and to whom. */
const rude = createServer((request, response) => {
  request.resume();
  response.writeHead(422, { "content-type": "application/json" });
  response.end(JSON.stringify({ message: `${person.name}, ${person.address1}, is not known here` }));
});
afterAll(() => rude.close());

const filled = { to: "{{customer.name}}", text: "For {{shippingAddress.name}}", who: "{{shippingAddress}}", n: 1 };
const changed = { address: { name: "Bea Xyzzy", address1: "13 Xyzzy Street", city: "Albany" } };

beforeAll(async () => {
  const withheld = new Set(["admin", "pii:read", ...operatorOnlyScopes]);
  stranger = await org.withScopes(scopes.filter((scope) => !withheld.has(scope)));
  const everything = await buildOneOfEverything(org);
  for (const kind of Object.keys(everything) as ResourceKind[]) ids[kind] = [everything[kind]];
  const card = { card: aSmallCard };
  const chart = { rows: [{ origin: "070-073", destination: "900-902", zone: "8" }] };
  const chartPath = `/carrier-accounts/${everything.carrier_account}/zone-chart`;
  expect((await org.call("PUT", chartPath, chart)).status).toBe(200);
  ids.rate_card = [(await org.post(`/carrier-accounts/${everything.carrier_account}/rate-cards`, card)).body.id];
  const { name, email, phone, address1, address2 } = person;
  const theirs = {
    status: "ready",
    customer: { name, email, phone },
    shippingAddress: { name, address1, address2, phone, city: "Albany", zip: "12207" },
    billingAddress: { name, email, countryCode: "US" },
    lines: [{ sku: "MUG-1", quantity: 2 }],
  };
  const numbered = ["P-1", "P-2"].map((number) => org.post("/orders", { ...theirs, number }));
  ids.order = (await Promise.all(numbered)).map(({ body }) => body.id);
  await org.patch("/orders/P-1", { customer: { name: "Ada Xyzzy-King" }, billingAddress: { address1 } });

  bridgeId = (await org.post("/bridges", { name: "Shop", connector: "demo" })).body.id;
  const failingId = (await org.post("/bridges", { name: "Closed shop", connector: "demo" })).body.id;
  await new Promise<void>((resolve) => void rude.listen(0, "127.0.0.1", resolve));
  const push = {
    name: "orders.export",
    mode: "push",
    request: { path: "/orders" },
    idempotencyHeader: "Idempotency-Key",
  };
  const baseUrl = `http://127.0.0.1:${(rude.address() as AddressInfo).port}`;
  const rest = { name: "Rude shop", connector: "rest", settings: { baseUrl, tasks: [push] } };
  const rudeId = (await org.post("/bridges", rest)).body.id;
  ids.bridge = [bridgeId, failingId, rudeId];
  const sought = { path: "customer.name", op: "starts_with", value: "Ada Xyzzy" };
  const saved = [
    { type: "update_address", params: changed },
    { type: "add_tags", params: { tags: ["hers"] }, when: { any: [sought, { not: sought }] } },
    { type: "assert", params: { when: sought } },
  ];
  ids.pipeline = [(await org.post("/operations/pipelines", { name: "For her", actions: saved })).body.id];
  const about = { bridgeId, taskName: "noop" };
  const theirInput = { customer: { name, email, tel: 15185550199 } };
  const timed = { ...about, cron: "0 3 * * *", input: theirInput, isActive: false };
  ids.schedule = [(await org.post("/schedules", timed)).body.id];
  const searched = { list: "orders", name: "Hers", settings: { search: name }, isShared: true };
  ids.view = [(await org.post("/views", searched)).body.id];
  const address = await run(org, "update_address", changed);
  const task = (bridge_id: string, task_name: string, input: object) =>
    run(org, "run_task", { bridge_id, task_name, input });
  const runs = [
    address,
    await task(bridgeId, "noop", filled),
    await task(failingId, "fail", { message: "{{customer.name}}" }),
    await run(org, "mark_shipped", { tracking_number: "1Z1" }),
    await org.post(`/operations/runs/${address.body.id}/undo`),
    await task(rudeId, "orders.export", {}),
    await org.post("/operations/run", { order_ids: ["P-1"], actions: saved }),
  ];
  ids.operation_run = runs.map(({ body }) => body.id);
  const inShopsWords = { customer: { first_name: "Xyzzy" }, shipTo: person, emails: [{ email }] };
  await org.post("/tasks/execute-sync", { ...about, input: inShopsWords });
  const orders = { orderIds: ids.order };
  const told = await org.post("/tasks/execute-sync", { bridgeId: rudeId, taskName: "orders.export", input: orders });
  expect([told.status, tells(told)]).toEqual([200, true]);
  const mappings = [{ source: "shipTo.name", target: "recipient.name", type: "number" }];
  const wrong = { ...about, name: "No number", direction: "outbound", mappings, isActive: true };
  const moved = { ...about, name: "Moves it", direction: "outbound", mappings: [{ source: "to", target: "who" }] };
  transformationIds = [
    (await org.post("/transformations", wrong)).body.id,
    (await org.post("/transformations", moved)).body.id,
  ];
  await org.post("/tasks/execute-sync", { ...about, input: inShopsWords });
  const executions = await eventually(
    async () => (await org.get("/tasks/executions?limit=100")).body.data,
    (data) => data.length >= 6 && data.every((one: { finishedAt: unknown }) => one.finishedAt !== null),
  );
  for (const id of [failingId, rudeId]) {
    await eventually(
      async () => (await org.get(`/bridges/${id}`)).body.health.lastError,
      (error) => error !== null,
    );
  }
  ids.execution = executions.map(({ id }: { id: string }) => id);
  const demo = await org.post("/carrier-accounts", { name: "Labels", carrier: "demo" });
  const theirParcel = { ...aParcel, carrierAccountId: demo.body.id, to: { ...aParcel.to, ...person } };
  ids.label = [(await org.post("/shipments/labels", theirParcel)).body.label.id];
  ids.shipment = (await org.get("/shipments?limit=100")).body.data.map(({ id }: { id: string }) => id);
});

/** What is printed shows who it is for, and a sample who is in it, or they are of no use. And only people have codes of an app and preferences, not keys. What an import tells is a number, of one that has to be named. */
const refusals: Record<string, number> = {
  "/shipments/labels/:id/content": 403,
  "/shipments/manifests/:id/content": 403,
  "/bridges/:id/samples": 403,
  "/orders/:id/customer": 403,
  "/me/totp": 409,
  "/me/preferences": 409,
  "/notifications": 409,
  "/notifications/count": 409,
  "/notifications/settings": 409,
  "/orders/import/watch": 400,
  "/rate-comparisons/:id/mix": 409,
  "/rate-comparisons/:id/mix.csv": 409,
  "/rate-comparisons/:id/scenarios/:scenarioId": 404,
  // No parcel has the tracking number in the sample path.
  "/invoices/:id/parcels/:trackingNumber": 404,
};
/** What these have to be asked with. */
const queries: Record<string, () => string> = {
  "/search": () => "?q=P-1",
  "/invoices/charges": () => "?trackingNumber=RP1",
  "/orders/facets": () => "?field=sku",
  "/reports/deliveries": () => "?groupBy=carrier",
  "/overview/series": () => "?group_by=state",
  "/pickups/slots": () => `?carrierAccountId=${ids.carrier_account![0]}&locationId=${ids.location![0]}`,
};

/** The route for each of the things that an id in its path may point at. */
function pathsOf(mounted: (typeof routes)[number]): string[] {
  const kinds = Object.values(mounted.route.ids ?? {});
  const most = Math.max(1, ...kinds.map((kind) => ids[kind]!.length));
  return Array.from({ length: most }, (_, i) => pathOf(mounted, (kind) => ids[kind]![i % ids[kind]!.length]!));
}

describe("the recipient of an order is hidden without pii:read", () => {
  test.each(routes)("in $name", async (mounted) => {
    for (const path of pathsOf(mounted)) {
      const answer = await stranger.get(path + (queries[mounted.route.path]?.() ?? ""));
      const expected = refusals[mounted.route.path] ?? 200;
      expect([path, answer.status, tells(answer)]).toEqual([path, expected, false]);
    }
  });

  test("in responses to preflight, run, undo, retry and replay", async () => {
    const preflight = { order_ids: ["P-2"], actions: [{ type: "update_address", params: changed }] };
    const preflighted = await stranger.post("/operations/preflight", preflight);
    const address = await run(stranger, "update_address", { address: { city: "Troy" } }, "P-2");
    const input = { number: "{{number}}", city: "{{shippingAddress.city}}" };
    const task = await run(stranger, "run_task", { bridge_id: bridgeId, task_name: "noop", input });
    expect([address.status, task.status]).toEqual([201, 201]);
    const answers = [
      preflighted,
      address,
      task,
      await stranger.post(`/operations/runs/${address.body.id}/undo`),
      await stranger.post(`/operations/runs/${task.body.id}/undo`),
      await stranger.post("/tasks/execute-sync", { bridgeId, taskName: "noop", input: { shipTo: person } }),
      ...(await Promise.all(ids.execution!.map((id) => stranger.post(`/tasks/executions/${id}/retry`)))),
      ...(await Promise.all(transformationIds.map((id) => stranger.post(`/transformations/${id}/replay`, {})))),
    ];
    expect(answers.map(tells)).toEqual(answers.map(() => false));
  });
});

test("with pii:read it is visible", async () => {
  const telling: string[] = [];
  for (const mounted of routes) {
    for (const path of pathsOf(mounted)) {
      if (!telling.includes(mounted.route.path) && tells(await org.get(path))) telling.push(mounted.route.path);
    }
  }
  expect(telling).toEqual([
    "/orders",
    "/orders/export.csv",
    "/orders/:id",
    "/orders/:id/timeline",
    "/shipments",
    "/shipments/:id",
    "/shipments/labels",
    "/shipments/labels/:id",
    "/shipments/labels/:id/content",
    "/operations/runs",
    "/operations/runs/:id",
    "/operations/runs/:id/watch",
    "/operations/runs/:id/results",
    "/operations/pipelines",
    "/operations/pipelines/:id",
    "/tasks/executions",
    "/tasks/executions/:id",
    "/tasks/executions/:id/watch",
    "/exceptions",
    "/bridges/:id/samples",
    "/schedules",
    "/schedules/:id",
    "/views",
    "/views/:id",
  ]);
});
