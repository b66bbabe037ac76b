import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import type { Attacker } from "./siege-prepare.ts";
import type { TallyKeeper } from "./siege-tally.ts";
import type { Attack, Of } from "./siege-small-attacks.ts";
import { smallAttacks } from "./siege-small-attacks.ts";
import type { Outgoing, Target } from "./siege-wire.ts";
import { connectTo, readResponses, renderRequest } from "./siege-wire.ts";

const api = "/api/v1";
const mebi = 1024 ** 2;

export type AttackKind = "all" | "small" | "slow sockets";

export function attacksOf(attacker: Attacker, kind: AttackKind): Attack[] {
  const of = (make: (attacker: Attacker) => Outgoing[]): Buffer[] => make(attacker).map(renderRequest);
  if (kind === "slow sockets") return slowSockets();
  if (kind === "small") return [...slowSockets(), ...smallAttacks(of)];
  return [
    ...slowSockets(),
    ...slowBodies(of),
    ...badBodies(of),
    ...costlyRequests(of),
    ...backgroundWork(of),
    ...oddReaders(of),
    ...smallAttacks(of),
  ];
}

/** 600 anonymous sockets with heads and bodies that never end (security 2, protocol 1). */
function slowSockets(): Attack[] {
  const head = Buffer.from(`GET ${api}/orders HTTP/1.1\r\nhost: hub.example\r\nx-slow: ${"a".repeat(4_000)}`);
  const body = renderRequest({ path: `${api}/auth/token`, body: `{"email":"${"a".repeat(3_000)}`, length: 4_000 });
  const manner = "trickles request" as const;
  return [
    { name: "heads that trickle", everyMs: 20, most: 300, requests: [head], manner, isAnonymous: true },
    { name: "anonymous bodies that trickle", everyMs: 20, most: 300, requests: [body], manner, isAnonymous: true },
  ];
}

function slowBodies(of: Of): Attack[] {
  const requests = of(({ token }) => [
    { path: `${api}/orders`, token, body: `{"number":"${"a".repeat(500)}`, length: 4_000 },
  ]);
  return [{ name: "bodies that trickle", everyMs: 50, most: 100, requests, manner: "trickles request" }];
}

/** Large, wrong, compressed, deep (security 3 and 4, protocol 6). */
function badBodies(of: Of): Attack[] {
  const unknownKeys = `{${Array.from({ length: 800_000 }, (_, i) => `"k${i}":1`).join(",")}}`;
  const emptyItems = `{"items":[${"{},".repeat(15 * mebi)}{}]}`;
  const mistakes = JSON.stringify({
    orders: Array.from({ length: 10_000 }, () => ({ lines: [{ quantity: -1 }], x: 1 })),
  });
  const bomb = gzipSync(Buffer.alloc(64 * mebi, " "));
  const smallBomb = gzipSync(`{"lines":[${" ".repeat(9 * mebi)}]}`);
  const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  const gzip = { "content-encoding": "gzip" };
  return [
    {
      name: "9 MiB of unknown keys",
      everyMs: 1_000,
      most: 10,
      requests: of(({ token }) => [{ path: `${api}/orders`, token, body: unknownKeys }]),
    },
    {
      name: "45 MiB of empty items",
      everyMs: 5_000,
      most: 4,
      requests: of(({ token }) => [{ path: `${api}/rate-comparisons`, token, body: emptyItems }]),
    },
    {
      name: "10,000 wrong orders",
      everyMs: 2_000,
      most: 10,
      requests: of(({ token }) => [{ path: `${api}/orders/bulk`, token, body: mistakes }]),
    },
    {
      name: "compressed bombs",
      everyMs: 200,
      most: 20,
      requests: of(({ token }) => [
        { path: `${api}/orders`, token, body: bomb, headers: gzip },
        { path: `${api}/orders`, token, body: smallBomb, headers: gzip },
      ]),
    },
    {
      name: "deep bodies",
      everyMs: 500,
      most: 10,
      requests: of(({ token }) => [{ path: `${api}/orders`, token, body: deep }]),
    },
    {
      name: "anonymous large bodies",
      everyMs: 200,
      most: 20,
      requests: [renderRequest({ path: `${api}/auth/token`, body: unknownKeys })],
      isAnonymous: true,
    },
  ];
}

const actions = [
  { type: "add_tags", params: { tags: ["siege"] } },
  { type: "set_priority", params: { priority: "high" } },
  { type: "add_note", params: { text: "besieged" } },
  { type: "set_custom_field", params: { key: "siege", value: 1 } },
];

/** Valid, allowed, and a lot (security 5). */
function costlyRequests(of: Of): Attack[] {
  const order = { lines: [{ sku: "MUG-01", quantity: 2, price: 9.5 }], customer: { name: "Ada Byron" }, total: 19 };
  const bulk = JSON.stringify({ orders: Array.from({ length: 2_000 }, () => order) });
  const numbers = Array.from({ length: 9_000 }, (_, i) => String(i + 1));
  const post = (path: string, token: string, body: unknown): Outgoing => ({
    path: `${api}${path}`,
    token,
    body: JSON.stringify(body),
  });
  return [
    {
      name: "bulk requests of 2,000 orders",
      everyMs: 3_000,
      most: 10,
      requests: of(({ token }) => [{ path: `${api}/orders/bulk`, token, body: bulk }]),
    },
    {
      name: "trials of costly mappings",
      everyMs: 250,
      most: 20,
      requests: of(({ token }) => [
        post("/transformations/test", token, { mappings: costlyMappings, sampleData: costlyData }),
      ]),
    },
    {
      name: "trials of saved mappings",
      everyMs: 250,
      most: 20,
      requests: of(({ token, transformationId }) => [
        post(`/transformations/${transformationId}/test`, token, { sampleData: costlyData }),
      ]),
    },
    {
      name: "drafts of mappings",
      everyMs: 500,
      most: 20,
      requests: of(({ token }) => [
        post("/transformations/suggest", token, { sampleData: costlyData, targetExample: costlyData }),
      ]),
    },
    {
      name: "preflights of 10,000 orders",
      everyMs: 500,
      most: 20,
      requests: of(({ token, orderIds }) => [post("/operations/preflight", token, { order_ids: orderIds, actions })]),
    },
    {
      name: "preflights of 1,000 orders",
      everyMs: 250,
      most: 20,
      requests: of(({ token, orderIds }) => [
        post("/operations/preflight", token, { order_ids: orderIds.slice(0, 1_000), actions }),
      ]),
    },
    {
      name: "preflights by short numbers",
      everyMs: 500,
      most: 20,
      requests: of(({ token }) => [
        post("/operations/preflight", token, { order_ids: numbers.slice(0, 6_500), actions }),
      ]),
    },
    {
      name: "runs of 1,000 orders, waited for",
      everyMs: 1_000,
      most: 20,
      requests: of(({ token, orderIds }) => [
        post("/operations/run", token, { order_ids: orderIds.slice(0, 1_000), actions }),
      ]),
    },
    {
      name: "long lists, deep pages, searches",
      everyMs: 50,
      most: 50,
      requests: of(({ token }) => [
        { path: `${api}/orders?limit=100`, token },
        { path: `${api}/orders?limit=100&page=90`, token },
        { path: `${api}/orders?search=mug&limit=100`, token },
        { path: `${api}/audit?limit=100`, token },
      ]),
    },
  ];
}

/** A mapping that uses most of what one may use. */
export const costlyMappings = Array.from({ length: 400 }, (_, i) => ({
  source: "text",
  target: `out${i}`,
  transforms: ["title", "slug", "upper", "lower", "trim", "title", "slug", "upper"],
}));
const costlyData = { text: "Lorem ipsum dolor sit amet ".repeat(80) };

/** Work in the background, after the response. */
function backgroundWork(of: Of): Attack[] {
  const post = (path: string, token: string, body: unknown): Outgoing => ({
    path: `${api}${path}`,
    token,
    body: JSON.stringify(body),
  });
  return [
    {
      name: "runs of 10,000 orders",
      everyMs: 2_000,
      most: 20,
      requests: of(({ token, orderIds }) => [post("/operations/run", token, { order_ids: orderIds, actions })]),
    },
    {
      name: "large comparisons",
      everyMs: 2_000,
      most: 20,
      requests: of(({ token, comparisonId }) => [post(`/rate-comparisons/${comparisonId}/process`, token, {})]),
    },
    {
      name: "executions that wait",
      everyMs: 100,
      most: 100,
      requests: of(({ token, bridgeId }) => [
        post("/tasks/execute", token, { bridgeId, taskName: "sleep", input: { ms: 60_000 } }),
        post("/tasks/execute-sync", token, { bridgeId, taskName: "sleep", input: { ms: 60_000 } }),
      ]),
    },
    {
      name: "executions in bulk",
      everyMs: 5_000,
      most: 10,
      requests: of(({ token, bridgeId }) => [
        post("/tasks/bulk", token, { tasks: Array.from({ length: 100 }, () => ({ bridgeId, taskName: "noop" })) }),
      ]),
    },
  ];
}

/** Responses that are not read, or not waited for (security 6). */
function oddReaders(of: Of): Attack[] {
  const exports = of(({ token, comparisonId }) => [
    { path: `${api}/orders/export.csv`, token },
    { path: `${api}/rate-comparisons/${comparisonId}/export.csv`, token },
    { path: `${api}/rate-comparisons/${comparisonId}/export.xlsx`, token },
  ]);
  const script = [renderRequest({ path: "/docs/api/js/scalar.js" })];
  const abandoned = of(({ token, orderIds }) => [
    { path: `${api}/orders?limit=100`, token },
    {
      path: `${api}/operations/preflight`,
      token,
      body: JSON.stringify({ order_ids: orderIds.slice(0, 500), actions }),
    },
    { path: `${api}/orders/export.csv`, token },
  ]);
  return [
    { name: "unread exports", everyMs: 250, most: 60, requests: exports, manner: "reads nothing" },
    { name: "exports read byte by byte", everyMs: 500, most: 30, requests: exports, manner: "trickles answer" },
    {
      name: "unread scripts",
      everyMs: 50,
      most: 300,
      requests: script,
      manner: "reads nothing",
      isAnonymous: true,
    },
    { name: "clients that disconnect", everyMs: 20, most: 50, requests: abandoned, manner: "hangs up" },
  ];
}

const dropEveryMs = 1_000;
const hangUpMs = 30;
const unreadMs = 40_000;

export function startAttack(target: Target, attack: Attack, keeper: TallyKeeper): { stop(): void } {
  const { name, requests, manner, most, isAnonymous } = attack;
  const open = new Set<Socket>();
  let count = 0;
  let isOver = false;

  function strike(): void {
    if (open.size >= most) return;
    const request = requests[count % requests.length]!;
    const socket = connectTo(target, isAnonymous ? count : undefined);
    count++;
    open.add(socket);
    keeper.sent(name);
    let isAnswered = false;
    const read = readResponses((response) => {
      isAnswered = true;
      keeper.answered(name, response);
      socket.destroy();
    });
    socket.on("error", () => {});
    if (manner !== "reads nothing") socket.on("data", read);
    const end = giveAndTake(socket, request, manner);
    socket.once("close", () => {
      open.delete(socket);
      end();
      if (!isAnswered && !isOver) keeper.cut(name);
    });
  }

  const timer = setInterval(strike, attack.everyMs);
  return {
    stop() {
      isOver = true;
      clearInterval(timer);
      for (const socket of open) socket.destroy();
    },
  };
}

/** Returns the clean-up for when the connection is closed. */
function giveAndTake(socket: Socket, request: Buffer, manner: Attack["manner"]): () => void {
  if (manner === "trickles request") {
    const most = Math.floor(request.length / 2);
    let given = most;
    socket.write(request.subarray(0, most));
    const drops = setInterval(() => socket.write(request.subarray(given, ++given)), dropEveryMs);
    return () => clearInterval(drops);
  }
  socket.write(request);
  if (manner === "hangs up") {
    const patience = setTimeout(() => socket.resetAndDestroy(), hangUpMs);
    return () => clearTimeout(patience);
  }
  if (manner === "reads nothing") {
    // A client that does not read does not see that the hub has closed the connection either.
    const patience = setTimeout(() => socket.destroy(), unreadMs);
    return () => clearTimeout(patience);
  }
  if (manner !== "trickles answer") return () => {};
  socket.pause();
  socket.on("data", () => socket.pause());
  const drops = setInterval(() => socket.resume(), dropEveryMs);
  return () => clearInterval(drops);
}
