import { describe, expect, onTestFinished, test } from "vitest";
import { afterFile } from "../../testing/after-file.ts";
import type { StandIn } from "../../testing/carriers/stand-in-api.ts";
import type { StandInWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { startWithAccount } from "../../testing/carriers/stand-in-accounts.ts";
import { eventually } from "../../testing/eventually.ts";
import type { SlowProxy } from "../../testing/slow-proxy.ts";
import { startSlowProxy } from "../../testing/slow-proxy.ts";
import type { TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { aParcel } from "../labels/labels.schemas.ts";

const hub = await startTestHub({ taskSlots: 0 });
const choose = [{ type: "choose_rate", params: {} }];

type Account = { id: string; standIn: StandIn; proxy: SlowProxy };
type Carrier = keyof typeof startWithAccount;

async function openAccount(org: TestOrg, carrier: Carrier, delayMs: number): Promise<Account> {
  const { standIn, account }: StandInWithAccount = await startWithAccount[carrier]();
  const proxy = await startSlowProxy(standIn.url, delayMs);
  afterFile(async () => {
    await proxy.close();
    await standIn.close();
  });
  const settings = { ...account.settings, baseUrl: proxy.url };
  const { id } = (await org.post("/carrier-accounts", { ...account, settings })).body;
  return { id, standIn, proxy };
}

/** Orders of an organization of its own, with `distinct` addresses that repeat. */
async function makeOrders(count: number, distinct = count): Promise<{ org: TestOrg; orderIds: string[] }> {
  const org = await hub.org();
  const { id: locationId } = (await org.post("/locations", { name: "Dock", address: aParcel.from })).body;
  const orders = Array.from({ length: count }, (_, i) => ({
    status: "ready",
    locationId,
    shippingAddress: { ...aParcel.to, address1: `${1 + (i % distinct)} Analytical Way` },
    packages: [{ weight: { value: 2, unit: "lb" }, dimensions: { length: 10, width: 8, height: 4, unit: "in" } }],
    lines: [{ sku: "MUG", quantity: 1 }],
  }));
  const { results } = (await org.post("/orders/bulk", { orders })).body;
  return { org, orderIds: results.map(({ id }: { id: string }) => id) };
}

const ratesAt = ({ standIn }: Account): number =>
  standIn.requests.filter(({ operation }) => operation === "rate" || operation === "quote").length;

type Message = {
  orders: number;
  evaluated: number;
  prices: { carrier_account_id: string; answered: number; failed: number; pending: number; status: string }[];
  report: { summary: Record<string, number>; orders: object[] } | null;
};

/** Messages of POST /operations/preflight/stream. `cancel` closes the connection. */
async function streamOf(org: TestOrg, body: object) {
  const closing = new AbortController();
  const response = await fetch(`${hub.url}/api/v1/operations/preflight/stream`, {
    method: "POST",
    headers: { authorization: `Bearer ${org.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: closing.signal,
  });
  async function* read(): AsyncGenerator<Message> {
    let rest = "";
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) yield JSON.parse(data) as Message;
      }
    }
  }
  return { response, messages: read(), cancel: () => closing.abort() };
}

describe("prices of a preflight", () => {
  test("parcels that are alike are asked for once, each account as its carrier allows, across batches", async () => {
    const { org, orderIds } = await makeOrders(300, 252);
    const accounts = [
      await openAccount(org, "easypost", 5),
      await openAccount(org, "ups", 5),
      await openAccount(org, "usps", 5),
    ];
    const report = (await org.post("/operations/preflight", { order_ids: orderIds, actions: choose })).body;
    expect(report.summary).toMatchObject({ orders: 300, ok: 300 });
    expect(accounts.map(ratesAt)).toEqual([252, 252, 252]);
    const most = accounts.map(({ proxy }) => proxy.most());
    for (const [i, limit] of [8, 4, 2].entries()) expect(most[i], `account ${i}`).toBe(limit);
  });

  test("a slow account does not hold back a fast one, and the stream shows both until the report", async () => {
    const { org, orderIds } = await makeOrders(24);
    const fast = await openAccount(org, "easypost", 0);
    const slow = await openAccount(org, "ups", 400);
    const { response, messages } = await streamOf(org, { order_ids: orderIds, actions: choose });
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const seen: Message[] = [];
    for await (const message of messages) seen.push(message);
    const of = ({ prices }: Message, { id }: Account) => prices.find((one) => one.carrier_account_id === id);
    const ahead = seen.find((message) => of(message, fast)?.pending === 0);
    expect(of(ahead!, slow)).toMatchObject({ status: "asking" });
    expect(of(ahead!, slow)!.pending).toBeGreaterThan(0);
    const last = seen.at(-1)!;
    expect(last).toMatchObject({ orders: 24, evaluated: 24, report: { summary: { ok: 24 } } });
    expect([of(last, fast), of(last, slow)]).toMatchObject([
      { answered: 24, failed: 0, pending: 0, status: "idle" },
      { answered: 24, failed: 0, pending: 0, status: "idle" },
    ]);
    expect(seen.slice(0, -1).every(({ report }) => report === null)).toBe(true);
    const plain = (await org.post("/operations/preflight", { order_ids: orderIds, actions: choose })).body;
    expect(last.report!.orders).toEqual(plain.orders);
  });

  test("a rate limit delays the orders of its account and fails none", async () => {
    const { org, orderIds } = await makeOrders(12);
    const account = await openAccount(org, "easypost", 0);
    // The HTTP client repeats each of the eight requests twice before the account waits.
    account.standIn.inject("rate_limit", { operation: "quote", times: 30 });
    account.standIn.inject("rate_limit", { operation: "rate", times: 30 });
    const report = (await org.post("/operations/preflight", { order_ids: orderIds, actions: choose })).body;
    expect(report.summary).toMatchObject({ orders: 12, ok: 12 });
    expect(ratesAt(account)).toBe(42);
  });

  test("an account that is down costs a few requests, and the others give the prices", async () => {
    const { org, orderIds } = await makeOrders(40);
    const up = await openAccount(org, "ups", 0);
    const down = await openAccount(org, "easypost", 0);
    down.standIn.inject("error_before", { times: 1_000 });
    const { messages } = await streamOf(org, { order_ids: orderIds, actions: choose });
    const last = (await Array.fromAsync(messages)).at(-1)!;
    expect(last.report!.summary).toMatchObject({ orders: 40, ok: 40 });
    const stopped = last.prices.find((one) => one.carrier_account_id === down.id);
    expect(stopped).toMatchObject({ answered: 0, failed: 40, pending: 0, status: "stopped" });
    expect(down.standIn.requests.length).toBeLessThan(30);
    expect(ratesAt(up)).toBe(40);

    const only = [{ type: "choose_rate", params: { carrier_account_ids: [down.id] } }];
    const refused = (await org.post("/operations/preflight", { order_ids: orderIds, actions: only })).body;
    expect(refused).toMatchObject({ verdict: "blocked", errors_by_code: { no_rate: 40 } });
  });
});

describe("a client that disconnects", () => {
  const isIdle = (proxy: SlowProxy) =>
    eventually(
      () => Promise.resolve(proxy.open()),
      (open) => open === 0,
      1_000,
    );

  /** Requests that were begun when those under way had ended, and a second later. */
  async function begunAndLater(proxy: SlowProxy): Promise<[number, number]> {
    await isIdle(proxy);
    const begun = proxy.begun();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return [begun, proxy.begun()];
  }

  test("cancels a stream: requests to carriers are aborted within a second, and no further ones begin", async () => {
    const { org, orderIds } = await makeOrders(100);
    const { proxy } = await openAccount(org, "easypost", 300);
    const { messages, cancel } = await streamOf(org, { order_ids: orderIds, actions: choose });
    for await (const { prices } of messages) if (prices.some(({ answered }) => answered > 0)) break;
    cancel();
    const [begun, later] = await begunAndLater(proxy);
    expect(later).toBe(begun);
    expect(begun).toBeLessThan(40);
  });

  test("ends a preflight without a stream in the same way", async () => {
    const { org, orderIds } = await makeOrders(100);
    const { proxy } = await openAccount(org, "easypost", 300);
    const closing = new AbortController();
    onTestFinished(() => closing.abort());
    const asking = fetch(`${hub.url}/api/v1/operations/preflight`, {
      method: "POST",
      headers: { authorization: `Bearer ${org.token}`, "content-type": "application/json" },
      body: JSON.stringify({ order_ids: orderIds, actions: choose }),
      signal: closing.signal,
    });
    await eventually(
      () => Promise.resolve(proxy.begun()),
      (begun) => begun > 8,
    );
    closing.abort();
    await expect(asking).rejects.toThrow("aborted");
    const [begun, later] = await begunAndLater(proxy);
    expect(later).toBe(begun);
    expect(begun).toBeLessThan(40);
  });
});

test("an invalid request is rejected before the stream starts", async () => {
  const org = await hub.org();
  const { response } = await streamOf(org, { order_ids: ["#1"], actions: [{ type: "no_such_action", params: {} }] });
  expect([response.status, response.headers.get("content-type")]).toEqual([
    400,
    "application/problem+json; charset=utf-8",
  ]);
});
