import type { Send } from "./chaos-client.ts";
import type { Random } from "./chaos-plan.ts";
import type { Journal } from "./journal.ts";

/** Initial units of each order of the makers; their runs must not change the total. */
const unitsOfGoods = { MUG: 6, CUP: 4 };
const customers = 12;

/** Orders that can be split, merged and duplicated: priced lines, several orders per customer. */
export function goods(count: number): object[] {
  return Array.from({ length: count }, (_, i) => ({
    status: "ready",
    // The target of a merge must be deterministic.
    orderedAt: new Date(Date.UTC(2026, 0, 1, 0, i)).toISOString(),
    customer: { email: `customer${i % customers}@chaos.example` },
    lines: Object.entries(unitsOfGoods).map(([sku, quantity]) => ({ sku, quantity, price: 10 })),
    customFields: { gate: i % 10 === 0 ? "closed" : "open" },
  }));
}

/** Repeats the request with one key until its outcome is known. */
export async function makeGoods(send: Send, journal: Journal, key: string, count: number): Promise<string[]> {
  const call = {
    method: "POST",
    path: "/orders/bulk",
    body: { orders: goods(count) },
    headers: { "idempotency-key": key },
  };
  for (;;) {
    const reply = await send(call);
    if (reply.kind === "answer" && reply.status < 300) {
      const ids = (reply.body.results as { id: string }[]).map(({ id }) => id);
      journal.append({ type: "orders", ids, units: unitsOfGoods });
      return ids;
    }
    if (reply.kind === "answer" && reply.body.code !== "idempotency_key_in_use") {
      throw new Error(`${key}: ${JSON.stringify(reply.body)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Random steps that split, duplicate or merge orders. */
export function drawMaking(random: Random): { type: string; params: object }[] {
  const split = { type: "split", params: { by: "value", max_value: random.pick([30, 50, 80]) } };
  const duplicate = { type: "duplicate", params: {} };
  const merge = { type: "merge", params: {} };
  return random.pick([
    [split],
    [split],
    [duplicate],
    [merge],
    [merge],
    [split, duplicate],
    [split, merge],
    [merge, split],
  ]);
}
