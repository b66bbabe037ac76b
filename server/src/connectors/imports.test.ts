import { afterAll, describe, expect, test } from "vitest";
import { callFor, importAll, pullAll, storeRecords, taskOf } from "../testing/connector-calls.ts";
import type { Fault, StandInShop } from "../testing/stand-in-shop.ts";
import { startStandInShop } from "../testing/stand-in-shop.ts";
import type { Call, Connector, PulledRecord, PullTask, Settings } from "./connector.ts";
import { rest } from "./rest/rest.ts";
import { shopify } from "./shopify/shopify.ts";
import { woocommerce } from "./woocommerce/woocommerce.ts";

const shops: StandInShop[] = [];
afterAll(async () => {
  for (const shop of shops) await shop.close();
});

type Kind = {
  name: string;
  connector: Connector;
  settings(url: string): Settings;
  credentials(token: string): Record<string, unknown>;
  /** Part of the name of the requests that list orders. */
  list: string;
};

function restKind(kind: "page" | "offset" | "cursor" | "link"): Kind {
  const pagination = { page: {}, offset: {}, cursor: { param: "after", nextCursorPath: "meta.next" }, link: {} }[kind];
  return {
    name: `rest by ${kind}`,
    connector: rest,
    list: `/rest/${kind}/orders`,
    settings: (url) => ({
      baseUrl: `${url}/rest`,
      auth: { kind: "bearer" },
      tasks: [
        {
          name: "orders.import",
          mode: "pull",
          request: { path: `/${kind}/orders` },
          recordsPath: "data",
          externalIdPath: "id",
          updatedAtPath: "updated_at",
          totalPath: "meta.total",
          updatedSince: { param: "updated_since" },
          pagination: { kind, pageSize: 10, ...pagination },
        },
      ],
    }),
    credentials: (token) => ({ token }),
  };
}

const kinds: Kind[] = [
  {
    name: "shopify",
    connector: shopify,
    list: "HubOrders",
    settings: (baseUrl) => ({ shop: "stand-in", baseUrl, pageSize: 10 }),
    credentials: (accessToken) => ({ accessToken }),
  },
  {
    name: "woocommerce",
    connector: woocommerce,
    list: "/wc/v3/orders",
    settings: (url) => ({ url, pageSize: 10 }),
    credentials: (consumerSecret) => ({ consumerKey: "ck_test", consumerSecret }),
  },
  restKind("page"),
  restKind("offset"),
  restKind("cursor"),
  restKind("link"),
];

/** Only where the shop hangs is time short: elsewhere a busy machine must not look like a shop that fails. */
async function open(kind: Kind, seed: number, attemptTimeoutMs = 15_000) {
  const shop = await startStandInShop({ seed, orders: 37 });
  shops.push(shop);
  const waits: number[] = [];
  const settings = kind.settings(shop.url);
  const call: Call = callFor({
    settings,
    credentials: kind.credentials(shop.token),
    client: {
      attemptTimeoutMs,
      sleep: (ms) => Promise.resolve(waits.push(ms)),
      breaker: { failures: 1000, openMs: 1 },
    },
  });
  return { shop, call, waits, task: taskOf(kind.connector, "pull", "orders.import", settings) };
}

/** Orders that the shop has in another state than what was stored; none when nothing is lost, old or made up. */
function differences(shop: StandInShop, store: Map<string, PulledRecord>): string[] {
  const there = shop.data.orders.map(({ id, updatedAt }) => `${id} ${Date.parse(updatedAt)}`);
  const kept = [...store.values()].map(({ externalId, updatedAt }) => `${externalId} ${Date.parse(updatedAt!)}`);
  return [...new Set(there).symmetricDifference(new Set(kept))];
}

const faults: Omit<Fault, "match">[] = [
  { kind: "rate_limit", times: 2, skip: 1, retryAfterSeconds: 3 },
  { kind: "error", times: 1, skip: 0 },
  { kind: "error", times: 4, skip: 2 },
  { kind: "hang", times: 1, skip: 1 },
  { kind: "drop_before", times: 1, skip: 2 },
  { kind: "drop_after", times: 4, skip: 1 },
  { kind: "truncated", times: 1, skip: 0 },
  { kind: "truncated", times: 3, skip: 2 },
  { kind: "cut", times: 1, skip: 1 },
  { kind: "slow", times: 3, skip: 0 },
  { kind: "duplicate_page", times: 1, skip: 1 },
  { kind: "duplicate_page", times: 2, skip: 2 },
];

describe.each(kinds)("an import from $name", (kind) => {
  test("imports every order once, and new or changed ones with the next import", async () => {
    const { shop, call, task } = await open(kind, 1);
    const store = new Map<string, PulledRecord>();
    const { cursor } = await importAll(task, call, store);
    expect(differences(shop, store)).toEqual([]);
    shop.data.addOrders(12);
    shop.data.touch(shop.data.orders.slice(3, 6));
    const countLists = (): number => shop.requests.filter((name) => name.includes(kind.list)).length;
    const before = countLists();
    await importAll(task, call, store, cursor);
    expect(differences(shop, store)).toEqual([]);
    expect(countLists() - before).toBeLessThan(before);
  });

  test("reads few records twice within one import", async () => {
    const { shop, call, task } = await open(kind, 2);
    const pages = await pullAll(task, call);
    expect(pages.flatMap(({ records }) => records).length).toBe(shop.data.orders.length);
  });

  test("resumes after every page", async () => {
    const { shop, call, task } = await open(kind, 3);
    const all = await pullAll(task, call);
    for (let k = 1; k <= all.length; k++) {
      const store = new Map<string, PulledRecord>();
      const read = await pullAll(task, call, undefined, k);
      storeRecords(store, read);
      await importAll(task, call, store, JSON.parse(JSON.stringify(read.at(-1)!.cursor)));
      expect(differences(shop, store)).toEqual([]);
    }
  });

  test.each(faults)("loses and repeats nothing when the shop fails: $kind, $times times after $skip", async (fault) => {
    const { shop, call, waits, task } = await open(
      kind,
      4 + (fault.skip ?? 0),
      fault.kind === "hang" ? 300 : undefined,
    );
    shop.inject({ ...fault, match: kind.list });
    const store = new Map<string, PulledRecord>();
    await importAll(task, call, store);
    expect(differences(shop, store)).toEqual([]);
    if (fault.kind === "rate_limit") expect(waits).toEqual([3000, 3000]);
  });

  test("loses nothing when orders change between its pages", async () => {
    for (const skip of [0, 1, 2]) {
      const { shop, call, task } = await open(kind, 20 + skip);
      shop.inject({ kind: "touch", match: kind.list, skip, times: 2 });
      const store = new Map<string, PulledRecord>();
      const { cursor } = await importAll(task, call, store);
      expect(store.size).toBe(shop.data.orders.length);
      await importAll(task, call, store, cursor);
      expect(differences(shop, store)).toEqual([]);
    }
  });

  test("ends at once when the credentials are rejected, and can be resumed later", async () => {
    const { shop, call, task } = await open(kind, 30);
    shop.inject({ kind: "unauthorized", match: kind.list, skip: 2 });
    const store = new Map<string, PulledRecord>();
    let last: unknown;
    const read = async (pull: PullTask): Promise<void> => {
      for await (const page of pull.pull(call, undefined)) {
        storeRecords(store, [page]);
        last = page.cursor;
      }
    };
    await expect(read(task)).rejects.toMatchObject({ code: "unauthorized", retryable: false });
    await importAll(task, call, store, last);
    expect(differences(shop, store)).toEqual([]);
  });

  test("stops when it is cancelled", async () => {
    const { shop, call, task } = await open(kind, 31);
    const stop = new AbortController();
    shop.inject({ kind: "hang", match: kind.list });
    const pulling = pullAll(task, { ...call, signal: stop.signal });
    await expect.poll(() => shop.requests.length).toBeGreaterThan(0);
    stop.abort();
    await expect(pulling).rejects.toMatchObject({ code: "cancelled" });
  });

  test("a long Retry-After is passed to the task engine", async () => {
    const { shop, call, task } = await open(kind, 32);
    shop.inject({ kind: "rate_limit", match: kind.list, retryAfterSeconds: 120 });
    await expect(pullAll(task, call)).rejects.toMatchObject({
      code: "rate_limited",
      retryable: true,
      retryAfterMs: 120_000,
    });
  });
});
