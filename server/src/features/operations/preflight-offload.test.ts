import { expect, test } from "vitest";
import { afterFile } from "../../testing/after-file.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { eventually } from "../../testing/eventually.ts";
import { signIn, startHubProcess } from "../../testing/hub-process.ts";
import { adminPassword, unattended } from "../../testing/launch-hub.ts";
import { readyDataDir } from "../../testing/ready-data-dir.ts";
import { startSlowProxy } from "../../testing/slow-proxy.ts";
import { aParcel } from "../labels/labels.schemas.ts";

// In a hub process, where a worker process does large preflights: the disconnect has to reach it.
const hub = await startHubProcess({
  dataDir: await readyDataDir(),
  env: { ...unattended, HUB_PREVIEW_PORT: "off", HUB_PRIVATE_ADDRESSES: "allow" },
});
const client = await signIn(hub.url, { email: "admin@hub.local", password: adminPassword });
const { standIn, account } = await startWithAccount.easypost();
const proxy = await startSlowProxy(standIn.url, 300);
afterFile(async () => {
  await proxy.close();
  await standIn.close();
});
const settings = { ...account.settings, baseUrl: proxy.url };
const { id: accountId } = (await client.post("/carrier-accounts", { ...account, settings })).body;
const { id: locationId } = (await client.post("/locations", { name: "Dock", address: aParcel.from })).body;
const orders = Array.from({ length: 60 }, (_, i) => ({
  status: "ready",
  locationId,
  tags: i < 8 ? ["few"] : [],
  shippingAddress: { ...aParcel.to, address1: `${i + 1} Analytical Way` },
  packages: [{ weight: { value: 2, unit: "lb" } }],
  lines: [{ sku: "MUG", quantity: 1 }],
}));
await client.post("/orders/bulk", { orders });
const actions = [{ type: "choose_rate", params: { carrier_account_ids: [accountId] } }];

async function ask(path: string, filter: object, signal: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${client.token}`, "content-type": "application/json" };
  const body = JSON.stringify({ filter, actions });
  return await fetch(`${hub.url}/api/v1/operations/${path}`, { method: "POST", headers, body, signal });
}

test("the stream of a worker process shows the progress and ends with the report", async () => {
  const text = await (await ask("preflight/stream", { tag: "few" }, AbortSignal.timeout(60_000))).text();
  const blocks = text.trim().split("\n\n");
  expect(blocks.length).toBeGreaterThan(1);
  expect(blocks[0]).toMatch(/^data: \{"orders":8,"evaluated":0,/);
  const [, last] = /^event: end\ndata: (.*)$/.exec(blocks.at(-1)!)!;
  expect(JSON.parse(last!)).toMatchObject({ evaluated: 8, report: { verdict: "ready", summary: { ok: 8 } } });
});

test.each(["preflight/stream", "preflight"])(
  "a client that leaves %s ends the requests of the worker process to carriers",
  async (path) => {
    const leaving = new AbortController();
    const before = proxy.begun();
    const asking = ask(path, {}, leaving.signal);
    await eventually(
      () => Promise.resolve(proxy.begun() - before),
      (begun) => begun > 8,
    );
    leaving.abort();
    await asking.then((response) => response.body?.cancel()).catch(() => {});
    // Between two requests none is open for a moment: quiet is a whole second without a request.
    const duringASecond = async (): Promise<number> => {
      const begun = proxy.begun();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return proxy.begun() - begun + proxy.open();
    };
    await eventually(duringASecond, (requests) => requests === 0, 5_000);
    expect(proxy.begun() - before).toBeLessThan(60);
  },
);
