import { appendFileSync } from "node:fs";
import type { Call, Reply, Send } from "./chaos-client.ts";
import { accepted } from "./chaos-client.ts";
import type { Random } from "./chaos-plan.ts";
import type { ShopKind } from "./task-shop.ts";

/** Acknowledgements: an accepted execution, or one that was cancelled by this time. */
export type TaskEntry =
  | { type: "execution"; key: string; id: string; numbers: string[]; retryOf?: string }
  | { type: "cancelled"; id: string; numbers: string[]; at: number };

export type Seen = { id: string; status: string; sentAt: number; at: number };

export type TaskShared = {
  send: Send;
  bridges: Record<"shop" | "demo", string>;
  entries: TaskEntry[];
  seen: Seen[];
  journalFile: string;
  isOver(): boolean;
  counts: { lost: number; repeated: number; internalErrors: string[]; refused: Record<string, number> };
};

const kinds: ShopKind[] = ["keyed", "findable", "blind", "call"];
const maxOpen = 12;
const finals = ["succeeded", "completed_with_errors", "failed", "cancelled", "timed_out", "expired"];
export const isEnded = (status: string): boolean => finals.includes(status);

/** Creates the bridge to the shop, with one task per kind of shop behavior. */
export async function makeBridges(send: Send, shopUrl: string): Promise<TaskShared["bridges"]> {
  const push = (name: string, kind: ShopKind, more: object) => ({
    name,
    mode: "push",
    request: { path: `/${kind}/orders`, body: { number: "{{record.number}}" } },
    externalIdPath: "id",
    ...more,
  });
  const lookup = {
    request: { path: "/findable/orders", query: { reference: "{{record.number}}" } },
    externalIdPath: "data[0].id",
  };
  const tasks = [
    push("push.keyed", "keyed", { idempotencyHeader: "Idempotency-Key" }),
    push("push.findable", "findable", { lookup }),
    push("push.blind", "blind", {}),
    {
      name: "call.once",
      mode: "call",
      request: { method: "POST", path: "/call/orders", body: { number: "{{input.token}}" } },
      idempotent: false,
    },
  ];
  const shop = { name: "Shop", connector: "rest", settings: { baseUrl: shopUrl, tasks } };
  const bridge = async (body: object): Promise<string> =>
    String((await accepted(send, { method: "POST", path: "/bridges", body })).id);
  return { shop: await bridge(shop), demo: await bridge({ name: "Demo for chaos", connector: "demo" }) };
}

/** Queues tasks, some twice, cancels some and retries failures. Repeats requests with the same key until the outcome is known. */
export function createTaskClient(name: string, random: Random, shared: TaskShared) {
  const { send, counts } = shared;
  const open = new Map<string, string[]>();
  let sequence = 0;

  function note(entry: TaskEntry): void {
    shared.entries.push(entry);
    appendFileSync(shared.journalFile, `${JSON.stringify(entry)}\n`);
  }

  async function untilKnown(call: Call, key: string): Promise<(Reply & { kind: "answer" }) | undefined> {
    for (let asked = 0; ; asked++) {
      const reply = await send({ ...call, headers: { "idempotency-key": key } });
      if (reply.kind === "answer" && reply.body.code !== "idempotency_key_in_use") return reply;
      if (asked > 0) counts.repeated++;
      if (reply.kind === "lost") counts.lost++;
      if (reply.kind === "lost" && reply.reason.startsWith("500")) counts.internalErrors.push(reply.reason);
      // The key of a killed request is locked for a minute; nothing was acknowledged.
      if (shared.isOver() && asked > 5) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async function makeOrders(key: string, numbers: string[]): Promise<string[] | undefined> {
    const body = { orders: numbers.map((number) => ({ number, status: "ready" })) };
    const reply = await untilKnown({ method: "POST", path: "/orders/bulk", body }, `${key}-orders`);
    if (reply?.status !== 200) return undefined;
    return (reply.body.results as { id: string }[]).map(({ id }) => id);
  }

  async function execute(): Promise<void> {
    const key = `${name}-${++sequence}`;
    const kind = random.next() < 0.2 ? undefined : random.pick(kinds);
    const numbers = Array.from({ length: kind === "call" ? 1 : random.between(1, 4) }, (_, i) => `${key}-${i}`);
    const retries = { maxAttempts: random.pick([1, 3, 5]), retryDelaySeconds: 1 };
    let body: object = {
      bridgeId: shared.bridges.shop,
      ...retries,
      taskName: "call.once",
      input: { token: numbers[0] },
    };
    if (kind === undefined) {
      const input = { ms: random.between(0, 800) };
      body = { bridgeId: shared.bridges.demo, ...retries, taskName: "sleep", input };
    } else if (kind !== "call") {
      const orderIds = await makeOrders(key, numbers);
      if (!orderIds) return;
      body = { bridgeId: shared.bridges.shop, ...retries, taskName: `push.${kind}`, input: { orderIds } };
    }
    const sent = kind === undefined ? [] : numbers;
    const reply = await untilKnown({ method: "POST", path: "/tasks/execute", body }, key);
    if (!reply) return;
    if (reply.status !== 202) throw new Error(`${key}: ${reply.status} ${JSON.stringify(reply.body)}`);
    const id = String(reply.body.id);
    note({ type: "execution", key, id, numbers: sent });
    open.set(id, sent);
    const dice = random.next();
    if (dice < 0.12) await cancel(id, sent);
    else if (dice < 0.3 && kind !== undefined && kind !== "call") await executeAgain(body, key, sent);
  }

  /** Another execution for the same orders, often concurrent with the first: nothing may arrive twice. */
  async function executeAgain(body: object & { input?: object }, of: string, numbers: string[]): Promise<void> {
    const key = `${of}-again`;
    const input = { ...body.input, token: key };
    const reply = await untilKnown({ method: "POST", path: "/tasks/execute", body: { ...body, input } }, key);
    if (reply?.status !== 202) return;
    const id = String(reply.body.id);
    note({ type: "execution", key, id, numbers });
    open.set(id, numbers);
  }

  async function cancel(id: string, numbers: string[]): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, random.between(0, 40)));
    const reply = await send({ method: "POST", path: `/tasks/executions/${id}/cancel` });
    if (reply.kind === "answer" && reply.status === 200) note({ type: "cancelled", id, numbers, at: Date.now() });
  }

  async function look(): Promise<void> {
    for (const [id, numbers] of open) {
      const reply = await send({ method: "GET", path: `/tasks/executions/${id}` });
      if (reply.kind === "lost") continue;
      if (reply.status !== 200) throw new Error(`accepted execution ${id}: ${JSON.stringify(reply.body)}`);
      const status = String(reply.body.status);
      shared.seen.push({ id, status, sentAt: reply.sentAt, at: reply.at });
      if (!isEnded(status)) continue;
      open.delete(id);
      const code = (reply.body.error as { code?: string } | null)?.code;
      // An unknown outcome that cannot be looked up must not be retried automatically.
      const mayRetry = String(reply.body.taskName).startsWith("push.") || code !== "outcome_unknown";
      if (status === "failed" && mayRetry && random.next() < 0.4 && !shared.isOver()) await retry(id, numbers);
    }
  }

  async function retry(of: string, numbers: string[]): Promise<void> {
    const key = `${name}-retry-${++sequence}`;
    const reply = await untilKnown({ method: "POST", path: `/tasks/executions/${of}/retry` }, key);
    if (reply?.status !== 202) return;
    const id = String(reply.body.id);
    note({ type: "execution", key, id, numbers, retryOf: of });
    open.set(id, numbers);
  }

  return {
    async work(): Promise<void> {
      while (!shared.isOver()) {
        if (open.size < maxOpen) await execute();
        await look();
      }
    },
  };
}
