import { setTimeout as delay } from "node:timers/promises";

/** An organization with little traffic, which must not notice the attack. */
export type Quiet = { hubUrl: string; floorUrl: string; token: string; orderIds: string[] };

/** `at`: when it was sent. Status 0: no response. */
export type Reply = { kind: string; status: number; at: number; ms: number; text: string };

/** `hub` and `floor`: the same read, compared with each other. `changes`: lists and changes at the hub, which must succeed. */
export type QuietReplies = { hub: Reply[]; floor: Reply[]; changes: Reply[] };

type Call = { kind: string; method: string; url: string; token?: string; body?: unknown };

const readsPerSecond = 5;
const changesPerSecond = 1;
const answerWithinMs = 30_000;
const actions = [{ type: "add_tags", params: { tags: ["quiet"] } }];

function changeAt(n: number, { hubUrl, token, orderIds }: Quiet): Call {
  const id = orderIds[n % orderIds.length]!;
  const few = Array.from({ length: 5 }, (_, i) => orderIds[(n + i) % orderIds.length]!);
  const kinds = [
    { kind: "list orders", method: "GET", path: "/orders?limit=25" },
    { kind: "create an order", method: "POST", path: "/orders", body: { lines: [{ sku: "MUG-01", quantity: 1 }] } },
    { kind: "update an order", method: "PATCH", path: `/orders/${id}`, body: { customFields: { round: String(n) } } },
    { kind: "preflight of 5", method: "POST", path: "/operations/preflight", body: { order_ids: few, actions } },
    { kind: "run of 5", method: "POST", path: "/operations/run", body: { order_ids: few, actions } },
  ];
  const { path, ...call } = kinds[n % kinds.length]!;
  return { ...call, url: `${hubUrl}/api/v1${path}`, token };
}

export function startQuietClient(quiet: Quiet): { replies: QuietReplies; stop(): Promise<void> } {
  const { hubUrl, floorUrl, token, orderIds } = quiet;
  const kind = "read an order";
  const idAt = (n: number): string => orderIds[n % orderIds.length]!;
  const hub = sendAtRate(readsPerSecond, (n) => ({
    kind,
    method: "GET",
    url: `${hubUrl}/api/v1/orders/${idAt(n)}`,
    token,
  }));
  const floor = sendAtRate(readsPerSecond, (n) => ({ kind, method: "GET", url: `${floorUrl}/orders/${idAt(n)}` }));
  const changes = sendAtRate(changesPerSecond, (n) => changeAt(n, quiet));
  return {
    replies: { hub: hub.replies, floor: floor.replies, changes: changes.replies },
    stop: async () => void (await Promise.all([hub, floor, changes].map((one) => one.stop()))),
  };
}

/** Each request is sent when it is due, whether or not earlier ones were answered; `stop` waits for all of them. */
function sendAtRate(perSecond: number, callAt: (n: number) => Call): { replies: Reply[]; stop(): Promise<void> } {
  const replies: Reply[] = [];
  const open = new Set<Promise<void>>();
  const began = performance.now();
  let isOver = false;
  const sending = (async () => {
    for (let n = 0; !isOver; n++) {
      await delay(Math.max(0, began + (n * 1000) / perSecond - performance.now()));
      const call = send(callAt(n)).then((reply) => void replies.push(reply));
      open.add(call);
      void call.then(() => open.delete(call));
    }
  })();
  return {
    replies,
    async stop() {
      isOver = true;
      await sending;
      await Promise.all(open);
    },
  };
}

async function send({ kind, method, url, token, body }: Call): Promise<Reply> {
  const at = performance.now();
  try {
    const response = await fetch(url, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(answerWithinMs),
    });
    const text = await response.text();
    return { kind, status: response.status, at, ms: performance.now() - at, text: response.ok ? "" : text };
  } catch (error) {
    return { kind, status: 0, at, ms: performance.now() - at, text: String(error) };
  }
}
