import type { Call, Reply, Send } from "./chaos-client.ts";
import type { Random } from "./chaos-plan.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { drawMaking, makeGoods } from "./goods.ts";
import type { SeenRun, Watcher } from "./run-watcher.ts";
import { isFinal } from "./run-watcher.ts";
import { until } from "./until.ts";

export type Size = { orders: number; goods: number; syncOrders: [number, number]; asyncOrders: [number, number] };

export type Shared = {
  send: Send;
  journal: Journal;
  watcher: Watcher;
  orderIds: string[];
  /** Orders that makers split, merge and duplicate; their number grows. */
  goods: string[];
  setId: string;
  size: Size;
  isOver(): boolean;
  counts: Counts;
};

export type Counts = {
  lost: number;
  repeated: number;
  replayed: number;
  parked: number;
  /** Orders that steps reported as created. */
  made: number;
  refused: Record<string, number>;
  /** Without its database the hub answers 503; a 500 is a bug. */
  internalErrors: string[];
};

/** A request with its key, repeated until its outcome is known. */
type PendingRequest = {
  key: string;
  call: Call;
  asked: number;
  entry(run: SeenRun): JournalEntry;
  of: "run" | "retry" | "undo";
  runId?: string;
};
type Open = { id: string; isUndo: boolean };
type Own = { id: string; isUndone: boolean; isRetried: boolean; hasFailures: boolean };

/** Makers split, merge and duplicate; the others change orders. */
type RunnerKind = "sync" | "async" | "maker";

export type Client = { work(): Promise<void>; settle(): Promise<void> };

const settleWithinMs = 120_000;
const maxRepeats = 1_000;
const maxUndoable = 4;
/** Concurrent runs per client, so that an interrupted one does not block it. */
const maxOpen = 3;
/** Some orders stay merged because others changed them before the undo. */
const newGoodsEvery = 8;
export const gateIsOpen = { not: { path: "customFields.gate", op: "eq", value: "closed" } };

/** Starts, undoes and retries runs one after the other, each until its outcome is known. */
export function createRunner(name: string, random: Random, shared: Shared, kind: RunnerKind): Client {
  const { send, journal, watcher, counts } = shared;
  const isAsync = kind === "async";
  const parked: PendingRequest[] = [];
  const own: Own[] = [];
  const open: Open[] = [];
  let sequence = 0;

  const nextKey = (kind: string): string => `${name}-${kind}-${++sequence}`;
  const headersOf = (key: string): Record<string, string> => ({
    "idempotency-key": key,
    ...(isAsync ? { prefer: "respond-async" } : {}),
  });

  function newRunRequest(): PendingRequest {
    const key = nextKey("run");
    const [low, high] = isAsync ? shared.size.asyncOrders : shared.size.syncOrders;
    const noteText = `note of ${key}`;
    const isMaking = kind === "maker";
    const orderIds = isMaking
      ? random.sample(shared.goods, Math.min(shared.goods.length, random.between(5, 40)))
      : random.sample(shared.orderIds, random.between(low, high));
    const actions = [
      ...(isMaking ? [] : [{ type: "add_tags", params: { tags: [`t${random.between(1, 20)}`] } }]),
      ...(random.next() < 0.25 ? [{ type: "assert", params: { when: gateIsOpen } }] : []),
      ...(isMaking ? drawMaking(random) : [{ type: "set_custom_field", params: { key: `by.${name}`, value: key } }]),
      { type: "add_note", params: { text: noteText } },
    ];
    return {
      key,
      of: "run",
      asked: 0,
      call: {
        method: "POST",
        path: "/operations/run",
        body: { order_ids: orderIds, actions, note: key },
        headers: headersOf(key),
      },
      entry: (run) => ({ type: "run", ...told(key, run), orderIds, noteText }),
    };
  }

  function newFollowUp(of: "retry" | "undo", runId: string): PendingRequest {
    const key = nextKey(of);
    return {
      key,
      of,
      runId,
      asked: 0,
      call: { method: "POST", path: `/operations/runs/${runId}/${of}`, headers: headersOf(key) },
      entry: (run) => ({ type: of, ...told(key, run), of: runId }),
    };
  }

  function choose(): PendingRequest {
    const undoable = own.filter(({ isUndone }) => !isUndone);
    const failed = own.filter(({ isRetried, isUndone, hasFailures }) => hasFailures && !isRetried && !isUndone);
    const dice = random.next();
    if (failed.length > 0 && dice < 0.3) {
      const chosen = random.pick(failed);
      chosen.isRetried = true;
      return newFollowUp("retry", chosen.id);
    }
    if (undoable.length > 0 && (undoable.length > maxUndoable || dice > 0.75)) {
      const [chosen] = undoable as [Own];
      chosen.isUndone = true;
      return newFollowUp("undo", chosen.id);
    }
    return newRunRequest();
  }

  /** False: retry later, because the key of a killed request is locked for a while. */
  async function attempt(pending: PendingRequest): Promise<boolean> {
    for (;;) {
      if (pending.asked++ > 0) counts.repeated++;
      if (pending.asked > maxRepeats) throw new Error(`${pending.key} was asked for ${maxRepeats} times in vain`);
      const reply = await send(pending.call);
      if (reply.kind === "lost") {
        countLost(counts, reply.reason);
        continue;
      }
      if (reply.status < 300) {
        await accept(pending, reply);
        return true;
      }
      const code = String(reply.body.code);
      if (code === "idempotency_key_in_use") return false;
      counts.refused[code] = (counts.refused[code] ?? 0) + 1;
      if (code === "run_not_finished") return true;
      const about = pending.runId === undefined ? {} : { runId: pending.runId };
      journal.append({ type: "refused", of: pending.of, key: pending.key, code, ...about });
      return true;
    }
  }

  async function accept(pending: PendingRequest, reply: Reply & { kind: "answer" }): Promise<void> {
    const run = reply.body as unknown as SeenRun;
    const entry = pending.entry(run);
    journal.append(entry);
    if ("made" in entry) counts.made += entry.made?.length ?? 0;
    // A replayed response shows the state of its time.
    if (reply.isReplayed) counts.replayed++;
    else watcher.saw(run, reply.sentAt, reply.at);
    if (isAsync && pending.of === "run" && random.next() < 0.1) await cancel(run.id);
    open.push({ id: run.id, isUndo: pending.of === "undo" });
  }

  async function cancel(runId: string): Promise<void> {
    const reply = await send({ method: "POST", path: `/operations/runs/${runId}/cancel` });
    if (reply.kind === "answer" && reply.status === 200) journal.append({ type: "cancel", runId });
  }

  /** Polls unfinished runs until few enough are left. */
  async function awaitEnds(): Promise<void> {
    for (;;) {
      for (const run of open.splice(0)) if (!(await hasEnded(run))) open.push(run);
      if (open.length <= maxOpen || shared.isOver()) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async function hasEnded({ id, isUndo }: Open): Promise<boolean> {
    const reply = await send({ method: "GET", path: `/operations/runs/${id}` });
    if (reply.kind === "lost") return false;
    if (reply.status !== 200) throw new Error(`acknowledged run ${id}: ${JSON.stringify(reply.body)}`);
    const run = reply.body as unknown as SeenRun;
    watcher.saw(run, reply.sentAt, reply.at);
    if (!isFinal(run.status)) return false;
    if (!isUndo) own.push({ id, isUndone: false, isRetried: false, hasFailures: run.summary.failed > 0 });
    return true;
  }

  async function addGoods(): Promise<void> {
    shared.goods.push(...(await makeGoods(send, journal, nextKey("goods"), shared.size.goods)));
  }

  async function grantOrPark(pending: PendingRequest): Promise<void> {
    if (await attempt(pending)) return;
    counts.parked++;
    parked.push(pending);
  }

  return {
    async work() {
      while (!shared.isOver()) {
        for (const pending of parked.splice(0)) if (!(await attempt(pending))) parked.push(pending);
        if (kind === "maker" && sequence % newGoodsEvery === 0) await addGoods();
        await grantOrPark(choose());
        await awaitEnds();
      }
    },
    async settle() {
      const isDone = async (): Promise<boolean> => {
        for (const pending of parked.splice(0)) if (!(await attempt(pending))) parked.push(pending);
        return parked.length === 0;
      };
      await until(isDone, settleWithinMs, () => `${name}: ${parked.length} requests are still held`, 500);
    },
  };
}

/** Edits orders and a condition set concurrently with the runs. */
export function createEditor(name: string, random: Random, shared: Shared): Client {
  const { send, journal, counts } = shared;
  let sequence = 0;

  async function untilDone(call: Call): Promise<void> {
    for (;;) {
      const reply = await send(call);
      if (reply.kind === "lost") countLost(counts, reply.reason);
      else if (reply.status < 300) return;
      else throw new Error(`${call.method} ${call.path}: ${JSON.stringify(reply.body)}`);
    }
  }

  async function patch(): Promise<void> {
    const orderId = random.pick(random.next() < 0.8 ? shared.orderIds : shared.goods);
    const value = `${name}-${++sequence}`;
    // A field per client, so that a repeated change finds its own value regardless of others.
    const customFields = { [`edited.${name}`]: value, gate: random.next() < 0.1 ? "closed" : "open" };
    await untilDone({ method: "PATCH", path: `/orders/${orderId}`, body: { customFields } });
    journal.append({ type: "patch", orderId, field: `edited.${name}`, value });
  }

  async function addValues(): Promise<void> {
    const values = Array.from({ length: random.between(1, 20) }, () => `${name}-${++sequence}`);
    await untilDone({ method: "POST", path: `/condition-sets/${shared.setId}/values`, body: { values } });
    journal.append({ type: "values", setId: shared.setId, values });
  }

  return {
    async work() {
      while (!shared.isOver()) await (random.next() < 0.7 ? patch() : addValues());
    },
    settle: async () => {},
  };
}

function told(key: string, { id, status, summary, results = [] }: SeenRun) {
  const steps = results.flatMap((result) => result.steps);
  const made = steps.flatMap((step) =>
    step.status === "applied" && !step.carried_over ? (step.created_order_ids ?? []) : [],
  );
  return { key, runId: id, status, summary, ...(made.length > 0 ? { made } : {}) };
}

function countLost(counts: Counts, reason: string): void {
  counts.lost++;
  if (reason.startsWith("500")) counts.internalErrors.push(reason);
}
