import { startWithAccount } from "../../server/src/testing/carriers/stand-in-accounts.ts";
import type { SlowProxy } from "../../server/src/testing/slow-proxy.ts";
import { startSlowProxy } from "../../server/src/testing/slow-proxy.ts";
import type { Bench, Figure } from "./bench.ts";
import type { HubClient } from "./hub-client.ts";
import { signInWithKey } from "./hub-client.ts";
import { startHub, withDataDir } from "./hub-process.ts";
import { time } from "./interleaved.ts";

const orders = 1_000;
const delayMs = 50;
/** Requests at the same time to an account of each of these carriers. */
const concurrency = 8;
const carriers = ["easypost", "shipengine", "karrio"] as const;
/** Of all requests, where nothing but the carriers took time. The accounts are asked at the same time. */
const floorMs = (orders / concurrency) * delayMs;

const address = { company: "Byron Mugs", city: "Newark", provinceCode: "NJ", zip: "07114", countryCode: "US" };
const actions = [{ type: "choose_rate", params: {} }];

export const quotesBench: Bench = {
  name: "quotes",
  bar: `preflight of ${orders} orders x ${carriers.length} carrier accounts that answer after ${delayMs} ms: <= 1.5x of requests / limit x delay`,
  run: () => withDataDir(measure),
};

async function measure(dataDir: string): Promise<Figure[]> {
  const hub = await startHub(dataDir, { HUB_PRIVATE_ADDRESSES: "allow" });
  const closing: (() => Promise<void>)[] = [];
  try {
    const client = await signInWithKey(hub.url);
    const proxies = await Promise.all(carriers.map((carrier) => openAccount(client, carrier, closing)));
    const orderIds = await makeOrders(client);
    const preflight = async (): Promise<void> => {
      const { summary } = await client.post<{ summary: { ok: number } }>("/operations/preflight", {
        order_ids: orderIds,
        actions,
        detail_limit: 0,
      });
      if (summary.ok !== orders) throw new Error(`the preflight has prices for ${summary.ok} orders`);
    };
    // Also starts the worker process.
    await preflight();
    const begun = proxies.reduce((sum, proxy) => sum + proxy.begun(), 0);
    const ours = await time(preflight);
    const sent = proxies.reduce((sum, proxy) => sum + proxy.begun(), 0) - begun;
    return [
      {
        what: `prices of ${orders} orders from ${carriers.length} accounts`,
        unit: "ms",
        ours,
        floor: floorMs,
        limit: { on: "ratio", atMost: 1.5 },
      },
      {
        what: "requests to carriers",
        unit: "requests",
        ours: sent,
        floor: orders * carriers.length,
        limit: { on: "ratio", atMost: 1 },
      },
    ];
  } finally {
    for (const close of closing) await close();
    await hub.stop();
  }
}

async function openAccount(
  client: HubClient,
  carrier: (typeof carriers)[number],
  closing: (() => Promise<void>)[],
): Promise<SlowProxy> {
  const { standIn, account } = await startWithAccount[carrier]();
  const proxy = await startSlowProxy(standIn.url, delayMs);
  closing.push(proxy.close, standIn.close);
  await client.post("/carrier-accounts", { ...account, settings: { ...account.settings, baseUrl: proxy.url } });
  return proxy;
}

/** With an address each: parcels that are alike are asked for once. */
async function makeOrders(client: HubClient): Promise<string[]> {
  const { id: locationId } = await client.post<{ id: string }>("/locations", {
    name: "Dock",
    address: { ...address, address1: "1 Port Street" },
  });
  const body = Array.from({ length: orders }, (_, i) => ({
    status: "ready",
    locationId,
    shippingAddress: { ...address, name: "Ada Byron", address1: `${i + 1} Main Street` },
    packages: [{ weight: { value: 2, unit: "lb" } }],
    lines: [{ sku: "MUG", quantity: 1 }],
  }));
  const { results } = await client.post<{ results: { id: string }[] }>("/orders/bulk", { orders: body });
  return results.map(({ id }) => id);
}
