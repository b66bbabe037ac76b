import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import type { ShopData, ShopOrder } from "./stand-in-data.ts";
import { createShopData } from "./stand-in-data.ts";
import type { Reply, ShopRequest } from "./stand-in-exchange.ts";
import { answerRest } from "./stand-in-rest.ts";
import { answerShopify, operationOf } from "./stand-in-shopify.ts";
import { createStandInWarehouse } from "./stand-in-warehouse.ts";
import type { TokenEndpoint } from "./stand-in-tokens.ts";
import { createTokenEndpoint } from "./stand-in-tokens.ts";
import type { WooFeatures } from "./stand-in-woo.ts";
import { answerWoo } from "./stand-in-woo.ts";

const faultKinds = [
  "rate_limit",
  "throttled",
  "error",
  "empty_success",
  "unauthorized",
  "hang",
  "drop_before",
  "drop_after",
  "hang_after",
  "truncated",
  "cut",
  "slow",
  "duplicate_page",
  "touch",
] as const;

export type Fault = {
  kind: (typeof faultKinds)[number];
  /** Requests whose name has this in it; the name is "POST HubOrders" or "GET /rest/page/orders". Default: all. */
  match?: string;
  /** How many requests it hits; default 1. */
  times?: number;
  /** How many it lets pass before. */
  skip?: number;
  retryAfterSeconds?: number;
};

export type StandInShop = {
  url: string;
  token: string;
  /** Access tokens that end: of the client `client`, whose secret is the token. */
  tokens: TokenEndpoint;
  data: ShopData;
  /** The names of all requests, in order. */
  requests: string[];
  inject(fault: Fault): void;
  calm(): void;
  close(): Promise<void>;
};

type Options = {
  port?: number;
  seed?: number;
  orders?: number;
  token?: string;
  journalFile?: string;
  woo?: Partial<WooFeatures>;
  /** Further APIs of the shop, asked first; undefined: not one of its requests. */
  answer?(request: ShopRequest, data: ShopData): Reply | undefined;
  /** What goes wrong by itself with a request of this name and body. */
  mishap?(name: string, body: string): Fault["kind"] | undefined;
};

/** A shop on loopback that speaks Shopify GraphQL, WooCommerce v3, plain REST and as a warehouse, and fails in the ways shops do. */
export async function startStandInShop(options: Options = {}): Promise<StandInShop> {
  const { seed = 1, orders = 60, token = "stand-in-token", journalFile } = options;
  const data = createShopData({ seed, orders, ...(journalFile === undefined ? {} : { journalFile }) });
  const features: WooFeatures = { fulfillments: true, shipmentTracking: true, ...options.woo };
  const requests: string[] = [];
  const served = new Map<string, Reply>();
  const tokens = createTokenEndpoint(token);
  const warehouse = createStandInWarehouse(data, token);
  let faults: Required<Fault>[] = [];
  const inject = ({ kind, match = "", times = 1, skip = 0, retryAfterSeconds = 1 }: Fault): void => {
    faults.push({ kind, match, times, skip, retryAfterSeconds });
  };

  let mishap = options.mishap;

  function takeFault(name: string, body: string): Required<Fault> | undefined {
    for (const fault of faults) {
      if (fault.times <= 0 || !name.includes(fault.match)) continue;
      if (fault.skip-- > 0) continue;
      fault.times--;
      return fault;
    }
    const kind = mishap?.(name, body);
    return kind && { kind, match: "", times: 1, skip: 0, retryAfterSeconds: 0 };
  }

  function answer(request: ShopRequest): Reply {
    const { pathname } = request.url;
    const own = options.answer?.(request, data);
    if (own) return own;
    if (pathname === "/admin/oauth/access_token" || pathname === "/oauth/token") return tokens.answer(request);
    if (pathname.startsWith("/admin/api/")) return answerShopify(data, request, tokens);
    if (pathname.startsWith("/wp-json/")) return answerWoo(data, request, token, features);
    if (pathname.startsWith("/rest/")) return answerRest(data, request, token, tokens);
    if (pathname.startsWith("/warehouse/")) return warehouse.answer(request);
    if (pathname.startsWith("/_control/")) return control(request);
    return { status: 404, body: { error: "not found" } };
  }

  function control({ url, body }: ShopRequest): Reply {
    const given = (body === "" ? {} : JSON.parse(body)) as Record<string, unknown>;
    if (url.pathname === "/_control/faults") inject(given as Fault);
    if (url.pathname === "/_control/calm") calm();
    if (url.pathname === "/_control/orders") data.addOrders(Number(given.count ?? 1));
    if (url.pathname === "/_control/touch") data.touch(data.orders.slice(0, Number(given.count ?? 1)));
    const happening = /^\/_control\/warehouse\/(\w+)$/.exec(url.pathname)?.[1];
    if (happening !== undefined) warehouse.happen(happening, given);
    const changed = url.pathname === "/_control/order" ? changeOrder(data, given as OrderChange) : undefined;
    const journal = data.journal.slice(Number(url.searchParams.get("from") ?? 0));
    const counts = { orders: data.orders.length, requests: requests.length };
    return { status: 200, body: { ...counts, journal, ...(changed ? { order: changed } : {}) } };
  }

  function calm(): void {
    faults = [];
    mishap = undefined;
  }

  const server = createServer((incoming, response) => {
    void readBody(incoming).then((body) => {
      const url = new URL(incoming.url ?? "/", `http://${incoming.headers.host ?? "localhost"}`);
      const request = { method: incoming.method ?? "GET", url, headers: incoming.headers, body };
      const isControl = url.pathname.startsWith("/_control/");
      const name = `${request.method} ${url.pathname.endsWith("/graphql.json") ? operationOf(body) : url.pathname}`;
      if (!isControl) requests.push(name);
      const fault = isControl ? undefined : takeFault(name, body);
      const early = fault && earlyReply(fault);
      if (fault?.kind === "drop_before") return void incoming.socket.destroy();
      if (fault?.kind === "hang") return;
      if (early) return write(response, early);
      const before = served.get(name);
      const reply = fault?.kind === "duplicate_page" && before ? before : answer(request);
      served.set(name, reply);
      if (fault?.kind === "drop_after") return void incoming.socket.destroy();
      if (fault?.kind === "hang_after") return;
      if (fault?.kind === "touch") touchSome(data);
      writeFaulty(response, incoming, reply, fault?.kind);
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    tokens,
    data,
    requests,
    inject,
    calm,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type OrderChange = {
  /** None: another one. */
  id?: number;
  values: Partial<ShopOrder>;
  /** It is handed to the customer there. */
  isFulfilled?: boolean;
  isDeleted?: boolean;
};

function changeOrder(data: ShopData, { id, values, isFulfilled, isDeleted }: OrderChange): ShopOrder {
  const order = id === undefined ? data.addOrder(values) : Object.assign(data.find(id)!, values);
  if (isFulfilled) {
    const items = new Map(order.lines.map((line) => [line.id, line.quantity]));
    order.shipments.push({ id: data.newId(), trackingNumber: "", carrier: "", items });
  }
  if (id !== undefined) data.touch([order]);
  if (isDeleted) data.orders.splice(data.orders.indexOf(order), 1);
  return order;
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Answers that are given without doing what was asked. */
function earlyReply({ kind, retryAfterSeconds }: Required<Fault>): Reply | undefined {
  if (kind === "rate_limit") {
    return { status: 429, headers: { "retry-after": String(retryAfterSeconds) }, body: { error: "slow down" } };
  }
  if (kind === "error") return { status: 500, body: { error: "something broke" } };
  if (kind === "empty_success") return { status: 200, body: {} };
  if (kind === "unauthorized") return { status: 401, body: { error: "the key was changed" } };
  if (kind !== "throttled") return undefined;
  const throttleStatus = { maximumAvailable: 2000, currentlyAvailable: 0, restoreRate: 1000 };
  const extensions = { cost: { requestedQueryCost: 100, actualQueryCost: null, throttleStatus } };
  return { status: 200, body: { errors: [{ message: "Throttled", extensions: { code: "THROTTLED" } }], extensions } };
}

/** An early order, which was listed already, and a late one change while a client pages through the list. */
function touchSome(data: ShopData): void {
  const byAge = data.orders.toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1));
  data.touch([byAge[0]!, byAge[1]!, byAge.at(-2)!]);
}

function write(response: ServerResponse, { status, headers = {}, body }: Reply, text = JSON.stringify(body)): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
}

function writeFaulty(response: ServerResponse, incoming: IncomingMessage, reply: Reply, kind?: Fault["kind"]): void {
  const text = JSON.stringify(reply.body);
  const half = Buffer.from(text).subarray(0, Math.floor(text.length / 2));
  if (kind === "truncated") return write(response, reply, half.toString());
  if (kind === "cut") {
    response.writeHead(reply.status, { "content-length": String(Buffer.byteLength(text)) }).write(half);
    setImmediate(() => incoming.socket.destroy());
    return;
  }
  if (kind !== "slow") return write(response, reply);
  response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
  const size = Math.ceil(text.length / 5);
  const parts = Array.from({ length: 5 }, (_, i) => text.slice(i * size, (i + 1) * size));
  const timer = setInterval(() => {
    const part = parts.shift();
    if (part !== undefined) response.write(part);
    if (parts.length === 0) response.end();
    if (parts.length === 0) clearInterval(timer);
  }, 5);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "0" },
      journal: { type: "string" },
      seed: { type: "string", default: "1" },
      orders: { type: "string", default: "60" },
      token: { type: "string", default: "stand-in-token" },
    },
  });
  const { url, token } = await startStandInShop({
    port: Number(values.port),
    seed: Number(values.seed),
    orders: Number(values.orders),
    token: values.token,
    ...(values.journal === undefined ? {} : { journalFile: values.journal }),
  });
  process.stdout.write(`${JSON.stringify({ url, token })}\n`);
}
