import { setTimeout as delay } from "node:timers/promises";

/** An organization that does what it always does. */
export type Quiet = {
  url: string;
  token: string;
  orderIds: string[];
  /** On a machine that others use as well it waits for an answer before it asks for more than so much at once. */
  mostOpen?: number;
};

/** `at`: when it was sent. */
export type Reply = { kind: string; status: number; at: number; ms: number; text: string };

type Ask = { kind: string; method: string; path: string; body?: unknown };

const perSecond = 20;
const answerWithinMs = 30_000;
const actions = [{ type: "add_tags", params: { tags: ["quiet"] } }];

function askFor(n: number, orderIds: string[]): Ask {
  const id = orderIds[n % orderIds.length]!;
  const few = Array.from({ length: 5 }, (_, i) => orderIds[(n + i) % orderIds.length]!);
  const kinds: Ask[] = [
    { kind: "list orders", method: "GET", path: "/orders?limit=25" },
    { kind: "read an order", method: "GET", path: `/orders/${id}` },
    { kind: "make an order", method: "POST", path: "/orders", body: { lines: [{ sku: "MUG-01", quantity: 1 }] } },
    { kind: "list orders", method: "GET", path: "/orders?status=new&limit=25" },
    { kind: "change an order", method: "PATCH", path: `/orders/${id}`, body: { customFields: { round: String(n) } } },
    { kind: "read an order", method: "GET", path: `/orders/${id}` },
    { kind: "preflight of 5", method: "POST", path: "/operations/preflight", body: { order_ids: few, actions } },
    { kind: "list orders", method: "GET", path: "/orders/counts" },
    { kind: "run of 5", method: "POST", path: "/operations/run", body: { order_ids: few, actions } },
    { kind: "read an order", method: "GET", path: `/orders/${id}/timeline` },
  ];
  return kinds[n % kinds.length]!;
}

/** So many requests a second until told to stop, each sent when it is due; resolves when all were answered. */
export function goAboutBusiness(quiet: Quiet): { replies: Reply[]; stop(): Promise<void> } {
  const { mostOpen = Infinity } = quiet;
  const replies: Reply[] = [];
  const open = new Set<Promise<void>>();
  const began = performance.now();
  let isOver = false;
  const sending = (async () => {
    for (let n = 0; !isOver; n++) {
      await delay(Math.max(0, began + (n * 1000) / perSecond - performance.now()));
      while (open.size >= mostOpen) await Promise.race(open);
      const call = ask(quiet, askFor(n, quiet.orderIds)).then((reply) => void replies.push(reply));
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

/** Status 0: no answer. */
async function ask({ url, token }: Quiet, { kind, method, path, body }: Ask): Promise<Reply> {
  const at = performance.now();
  const hasBody = body !== undefined;
  try {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(hasBody ? { "content-type": "application/json" } : {}) },
      ...(hasBody ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(answerWithinMs),
    });
    const text = await response.text();
    return { kind, status: response.status, at, ms: performance.now() - at, text: response.ok ? "" : text };
  } catch (error) {
    return { kind, status: 0, at, ms: performance.now() - at, text: String(error) };
  }
}
