import { rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { offloadThresholdOf } from "../../server/src/http/offload-threshold.ts";
import { plainFormat } from "../../server/src/http/mount.ts";
import { apiPrefix, routesOf } from "../../server/src/http/routes.ts";
import type { Launched } from "../../server/src/testing/launch-hub.ts";
import { launchHub, makeOpenFolder, unattended } from "../../server/src/testing/launch-hub.ts";
import { allRoutes, largestBodies, pathOf } from "../../server/src/testing/route-samples.ts";
import type { Bench, Figure } from "./bench.ts";
import { readyWithinMs, showErrors } from "./child.ts";
import type { HubClient } from "./hub-client.ts";
import { signInWithKey } from "./hub-client.ts";

const mostMs = 50;
const defaultBodyBytes = 10 * 1024 ** 2;
/** Larger bodies are offloaded in the same way and would only take longer to send. */
const mostBytes = 2 * 1024 ** 2;
/** `BENCH_ROUTES=/orders` limits the bench to routes that contain it. */
const onlyRoutes = process.env.BENCH_ROUTES ?? "";
const preload = path.join(import.meta.dirname, "../../server/src/testing/watch-holds.ts");

/**
 * Longest time that one request blocks the event loop, in CPU time: first requests for pages, small requests that cause much
 * work, each route with the largest body that is handled in process and the largest allowed, and the longest lists. Here and not
 * among the tests, because beside other work the same request takes several times as long.
 */
export const eventLoopBench: Bench = {
  name: "event-loop",
  bar: `no request holds the event loop for more than ${mostMs} ms`,
  async run() {
    const dataDir = await makeOpenFolder("hub-bench-");
    const hub = launchHub(dataDir, {
      preload,
      env: { ...unattended, HUB_PREVIEW_PORT: "off" },
      listener: showErrors,
    });
    try {
      await hub.printed(/^live +http:/m, readyWithinMs);
      const client = await signInWithKey(hub.url);
      // Pages before all else: what they are made of is kept from then on. Lists last: there are orders to list.
      const pages = await measureReads(hub, client, [
        "/docs/",
        "/docs/api/",
        "/docs/api/js/scalar.js",
        "/openapi.json",
      ]);
      const attacks = await measureAttacks(hub, client);
      const routes = await measureRoutes(hub, client);
      return [...pages, ...attacks, ...routes, ...(await measureReads(hub, client, longestLists()))];
    } finally {
      await hub.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
};

/** Longest block since the last call. */
async function longestHold(hub: Launched): Promise<number> {
  const before = hub.stdout().length;
  hub.send("SIGUSR2");
  for (;;) {
    const [, told] = /held ([\d.]+)/.exec(hub.stdout().slice(before)) ?? [];
    if (told !== undefined) return Number(told);
    await delay(5);
  }
}

async function send(
  hub: Launched,
  { headers }: HubClient,
  method: string,
  address: string,
  body?: string,
): Promise<number> {
  const sent =
    body === undefined
      ? { method, headers }
      : { method, headers: { ...headers, "content-type": "application/json" }, body };
  const response = await fetch(`${hub.url}${address}`, sent);
  const answer = await response.text();
  if (response.status >= 500) console.error(`  ${method} ${address}: ${answer.slice(0, 500)}`);
  return response.status;
}

const mounted = allRoutes([{ prefix: apiPrefix, routes: routesOf("live"), format: plainFormat }]);

async function measureRoutes(hub: Launched, client: HubClient): Promise<Figure[]> {
  const figures: Figure[] = [];
  let first = 0;
  const wanted = mounted.filter(({ route }) => route.body && route.scope !== "public" && !route.setsCookie);
  for (const one of wanted.filter(({ name }) => name.includes(onlyRoutes))) {
    const { bodyLimitBytes = defaultBodyBytes } = one.route;
    const bounds = offloadThresholdOf(one.route);
    const size = { ...bounds, bytes: Math.min(bounds.bytes, bodyLimitBytes) };
    const here = size.bytes === 0 ? [] : largestBodies(one.route, size);
    const all = largestBodies(one.route, { bytes: Math.min(mostBytes, bodyLimitBytes) });
    const address = `${apiPrefix}${pathOf(one, () => crypto.randomUUID())}`;
    await longestHold(hub);
    for (const body of here) await send(hub, client, one.route.method, address, body);
    const compiled = await longestHold(hub);
    if (compiled > mostMs) console.error(`  ${one.name}: ${compiled} ms when its check is compiled`);
    first = Math.max(first, compiled);
    let ours = 0;
    for (const body of [...here, ...all]) {
      const status = await send(hub, client, one.route.method, address, body);
      const held = await longestHold(hub);
      if (held > mostMs) console.error(`  ${one.name}: ${held} ms (${status}) ${body.length} B ${body.slice(0, 120)}`);
      ours = Math.max(ours, held);
    }
    figures.push({ what: one.name, unit: "ms", ours, limit: { on: "ours", atMost: mostMs } });
  }
  return [...figures, { what: "first request of a route, once per process", unit: "ms", ours: first }];
}

function longestLists(): string[] {
  type ListQuery = { properties?: Record<string, { maximum?: number; default?: unknown }>; required?: string[] };
  return mounted.flatMap((one) => {
    const { properties = {}, required = [] } = (one.route.query ?? {}) as ListQuery;
    const maximum = properties.limit?.maximum;
    if (one.route.method !== "GET" || maximum === undefined || !one.name.includes(onlyRoutes)) return [];
    if (required.some((name) => name !== "limit" && properties[name]!.default === undefined)) return [];
    // More than 100 orders have to be named.
    const limit = one.route.path === "/orders" ? 100 : maximum;
    return [`${apiPrefix}${pathOf(one, () => crypto.randomUUID())}?limit=${limit}`];
  });
}

async function measureReads(hub: Launched, client: HubClient, addresses: string[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const address of addresses) {
    if (address.startsWith(apiPrefix)) await send(hub, client, "GET", address);
    await longestHold(hub);
    const status = await send(hub, client, "GET", address);
    const ours = await longestHold(hub);
    const what = `GET ${address.replaceAll(/[0-9a-f-]{36}/g, "ID")} (${status})`;
    figures.push({ what, unit: "ms", ours, limit: { on: "ours", atMost: mostMs } });
  }
  return figures;
}

/** Small bodies with many records, and other requests that a security review used to block the event loop. */
async function measureAttacks(hub: Launched, client: HubClient): Promise<Figure[]> {
  const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
  const mappings = many(400, (i) => ({ source: "text", target: `out${i}`, transforms: ["title", "slug", "upper"] }));
  const csv = `number,sku,quantity\n${many(5_000, (i) => `C-${i},A,1`).join("\n")}`;
  const bridge = await client.post<{ id: string }>("/bridges", { name: "Bench", connector: "demo" });
  const tags = [{ type: "add_tags", params: { tags: ["seen"] } }];
  const attacks: [what: string, address: string, body: unknown][] = [
    ["10,000 shipments {}", "/shipments/bulk", { shipments: many(10_000, () => ({})) }],
    ["99 shipments {}", "/shipments/bulk", { shipments: many(99, () => ({})) }],
    ["10,000 orders {}", "/orders/bulk", { orders: many(10_000, () => ({})) }],
    ["99 orders {}", "/orders/bulk", { orders: many(99, () => ({})) }],
    ["5,000 bad orders", "/orders/bulk", { orders: many(5_000, (i) => ({ number: i, x: 1 })) }],
    ["99 bad orders", "/orders/bulk", { orders: many(99, (i) => ({ number: i, x: 1 })) }],
    ["10,000 tracking events", "/shipments/events", { events: many(10_000, (i) => ({ trackingNumber: `T${i}` })) }],
    ["99 tracking events", "/shipments/events", { events: many(99, (i) => ({ trackingNumber: `T${i}` })) }],
    ["preflight of 10,000", "/operations/preflight", { order_ids: many(10_000, (i) => `C-${i}`), actions: tags }],
    ["preflight of 999", "/operations/preflight", { order_ids: many(999, (i) => `C-${i}`), actions: tags }],
    ["run over 999", "/operations/run", { order_ids: many(999, (i) => `C-${i}`), actions: tags }],
    ["run over 499", "/operations/run", { order_ids: many(499, (i) => `C-${i + 1_000}`), actions: tags }],
    ["run over 10,000", "/operations/run", { order_ids: many(10_000, (i) => `C-${i}`), actions: tags }],
    ["trial of 400 mappings", "/transformations/test", { mappings, sampleData: { text: "Lorem ipsum ".repeat(200) } }],
    ["import of 5,000 rows", "/orders/import", { csv }],
    [
      "import of 5,000 shipments",
      "/shipments/import",
      { csv: csv.replace("number,sku,quantity", "trackingNumber,x,y") },
    ],
    ["1,000 tasks", "/tasks/bulk", { tasks: many(1_000, () => ({ bridgeId: bridge.id, taskName: "noop" })) }],
  ];
  // Starts the offload process before the measurement.
  await send(hub, client, "POST", `${apiPrefix}/orders/import`, JSON.stringify({ csv }));
  const figures: Figure[] = [];
  for (const [what, address, body] of attacks) {
    const text = JSON.stringify(body);
    // Warm-up: the first call compiles the code, once per process.
    await send(hub, client, "POST", apiPrefix + address, text);
    await longestHold(hub);
    const status = await send(hub, client, "POST", apiPrefix + address, text);
    const ours = await longestHold(hub);
    console.error(`  ${what}: ${ours} ms (${status})`);
    figures.push({ what: `${what} (${status})`, unit: "ms", ours, limit: { on: "ours", atMost: mostMs } });
  }
  return figures;
}
