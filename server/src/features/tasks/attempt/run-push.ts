import type { PushTask } from "../../../connectors/connector.ts";
import type { RemoteError } from "../../../core/remote-error.ts";
import type { SentOrder } from "../../orders/orders.ts";
import { explainUnknown, listUnsent, readOrders, resolveRefs, settleUnsent } from "../../orders/orders.ts";
import type { Order } from "../../orders/order.ts";
import { countFailures } from "../attempt-tally.ts";
import type { AttemptWork } from "./attempt.ts";
import { FailedWithResult } from "./attempt.ts";
import type { Push } from "./effect-claims.ts";
import { beginPush } from "./effect-claims.ts";
import type { EffectOutcome, EffectResult } from "./effect-outcome.ts";
import { pushEffect } from "./push-effect.ts";
import type { Sampler } from "./task-samples.ts";
import { createSampler } from "./task-samples.ts";

type Skipped = { status: "skipped"; reason: "nothing_shipped" | "order_cancelled" };
type ShipmentResult = EffectResult & { shipmentId: string; trackingNumber: string | null };

type PushOutcome = Skipped | (EffectOutcome & { shipments?: ShipmentResult[] });

export type PushResult = (EffectResult | Skipped) & {
  orderId: string | null;
  ref: string;
  number: string | null;
  shipments?: ShipmentResult[];
};

/** Pushes orders one after the other. The result lists every order, also when others fail. */
export async function runPush(work: AttemptWork, task: PushTask): Promise<Record<string, unknown>> {
  const { orderIds } = work.execution.input as { orderIds?: string[] };
  const done: Done = { results: [], retry: undefined };
  const sampler = createSampler(work.world, work.execution);
  let isComplete = true;
  if (orderIds) await pushNamed(work, task, orderIds, sampler, done);
  else isComplete = await pushUnsent(work, task, sampler, done);
  await sampler.save();
  const result = concludePush(done.results, done.retry);
  return isComplete ? result : { ...result, more: true };
}

type Done = { results: PushResult[]; retry: RemoteError | undefined };

async function pushNamed(
  work: AttemptWork,
  task: PushTask,
  refs: string[],
  sampler: Sampler,
  done: Done,
): Promise<void> {
  const { world, execution, call } = work;
  const ids = await resolveRefs(world.db, execution.org_id, refs);
  const orders = await loadOrders(work, [...new Set(ids.values())]);
  const unknown = refs.filter((ref) => !ids.has(ref));
  const explain = await explainUnknown(world.db, execution.org_id, unknown);
  const push = await beginPush(work, task, [...orders.keys()], sampler);
  const settler = createUnsentSettler(work);
  for (const ref of refs) {
    const order = orders.get(ids.get(ref) ?? "");
    if (order) await pushOne(push, order, ref, settler, done);
    else done.results.push({ ref, orderId: null, number: null, status: "failed", error: explain(ref) });
    call.progress(done.results.length, refs.length);
  }
  await settler.save();
}

const batchSize = 100;
const noId = "00000000-0000-0000-0000-000000000000";

/** Orders with shipments that the shop may not know, in batches. False: the time was up before the last batch. */
async function pushUnsent(work: AttemptWork, task: PushTask, sampler: Sampler, done: Done): Promise<boolean> {
  const { world, execution, call } = work;
  const at = world.clock.now();
  const goesOnUntil = performance.now() + execution.timeout_ms / 2;
  for (let after = noId; ;) {
    const ids = await listUnsent(world.db, execution, { after, limit: batchSize, at });
    if (ids.length === 0) return true;
    const orders = await loadOrders(work, ids);
    const push = await beginPush(work, task, ids, sampler);
    const settler = createUnsentSettler(work);
    let failures = 0;
    for (const order of orders.values()) {
      const { retry } = await pushOne(push, order, order.id, settler, done);
      if (retry) failures++;
      call.progress(done.results.length);
    }
    await settler.save();
    const isUnreachable = failures > 0 && failures === orders.size;
    if (isUnreachable || performance.now() > goesOnUntil) return false;
    after = ids.at(-1)!;
  }
}

async function loadOrders({ world, execution }: AttemptWork, ids: string[]): Promise<Map<string, Order>> {
  return new Map((await readOrders(world.db, execution.org_id, ids)).map((order) => [order.id, order]));
}

async function pushOne(
  push: Push,
  order: Order,
  ref: string,
  settler: UnsentSettler,
  done: Done,
): Promise<{ retry: RemoteError | undefined }> {
  push.work.call.signal.throwIfAborted();
  const outcome = await (push.task.unit === "order" ? pushOrder : pushShipments)(push, order);
  const { retry, ...result } = { retry: undefined, ...outcome };
  done.retry = retry ?? done.retry;
  const pushed: PushResult = { ref, orderId: order.id, number: order.number, ...result };
  done.results.push(pushed);
  if (push.task.unit === "shipment") settler.note(order, pushed.shipments ?? [], retry !== undefined);
  return { retry };
}

async function pushOrder(push: Push, order: Order): Promise<EffectOutcome> {
  return await pushEffect(push, { order });
}

/** The status of an order with several shipments is the most urgent one among them. */
async function pushShipments(push: Push, order: Order): Promise<PushOutcome> {
  if (order.status === "cancelled") return { status: "skipped", reason: "order_cancelled" };
  const outcomes: EffectOutcome[] = [];
  const shipments: ShipmentResult[] = [];
  for (const shipment of order.shipments) {
    const outcome = await pushEffect(push, { order, shipment });
    const { retry: _retry, ...result } = outcome;
    outcomes.push(outcome);
    shipments.push({ shipmentId: shipment.id, trackingNumber: shipment.trackingNumber, ...result });
  }
  const [worst] = outcomes.toSorted((a, b) => byUrgency.indexOf(a.status) - byUrgency.indexOf(b.status));
  if (!worst) return { status: "skipped", reason: "nothing_shipped" };
  const retry = outcomes.find((outcome) => outcome.retry)?.retry;
  return { ...worst, ...(retry ? { retry } : {}), shipments };
}

type UnsentSettler = {
  note(order: Order, shipments: ShipmentResult[], mayTryAgain: boolean): void;
  save(): Promise<void>;
};

/** Collects which orders leave the list of unsent shipments, and which are tried again later. */
function createUnsentSettler({ world, execution }: AttemptWork): UnsentSettler {
  const sent: SentOrder[] = [];
  const rejected: string[] = [];
  const isLastAttempt = countFailures(execution) + 1 >= execution.max_attempts;
  return {
    note({ id, version }, shipments, mayTryAgain) {
      // `outcome_unknown` counts as sent: trying again would not tell either, and a user has to check and resend it.
      const isSent = shipments.every(({ status }) => status !== "failed" && status !== "in_progress");
      if (isSent && !mayTryAgain) sent.push({ orderId: id, version });
      else if (!mayTryAgain || isLastAttempt) rejected.push(id);
    },
    save: async () => await settleUnsent(world.db, execution, { sent, rejected }, world.clock.now()),
  };
}

const byUrgency: EffectResult["status"][] = [
  "outcome_unknown",
  "failed",
  "in_progress",
  "sent",
  "updated",
  "already_sent",
  "skipped",
];

const left: readonly PushResult["status"][] = ["failed", "outcome_unknown", "in_progress"];

/** Not known to have arrived. */
export function isLeft({ status }: PushResult): boolean {
  return left.includes(status);
}

/** The results per order of an execution that pushed. */
export function resultsOf(result: unknown): PushResult[] {
  return ((result ?? {}) as { results?: PushResult[] }).results ?? [];
}

/** References of the orders that have not arrived. */
export function refsLeft(result: unknown): string[] {
  return resultsOf(result)
    .filter(isLeft)
    .map(({ ref }) => ref);
}

/** The most orders that an input can name. Of a longer result, orders that did not arrive are shown first. */
const maxShown = 1_000;

function shownOf(results: PushResult[]): PushResult[] {
  if (results.length <= maxShown) return results;
  const [missing, arrived] = [results.filter(isLeft), results.filter((result) => !isLeft(result))];
  return [...missing, ...arrived].slice(0, maxShown);
}

function concludePush(results: PushResult[], retry: RemoteError | undefined): Record<string, unknown> {
  const count = (status: PushResult["status"]): number => results.filter((result) => result.status === status).length;
  const summary = {
    total: results.length,
    sent: count("sent"),
    updated: count("updated"),
    alreadySent: count("already_sent"),
    skipped: count("skipped"),
    inProgress: count("in_progress"),
    failed: count("failed"),
    outcomeUnknown: count("outcome_unknown"),
  };
  const result = { summary, results: shownOf(results) };
  // Another attempt sends only what is missing.
  if (retry) throw new FailedWithResult(retry.code, retry.message, result, retry);
  const errors = results.flatMap((one) => ("error" in one && one.error ? [one.error] : []));
  const hasArrived = summary.sent + summary.updated + summary.alreadySent > 0;
  if (hasArrived || errors.length === 0) return result;
  const { code, message } = errors.find((error) => error.code === "outcome_unknown") ?? errors[0]!;
  throw new FailedWithResult(code, results.length === 1 ? message : noneSent(summary), result);
}

function noneSent({ total, outcomeUnknown }: { total: number; outcomeUnknown: number }): string {
  if (outcomeUnknown === 0) return "None of the orders was sent.";
  return `It is not known whether ${outcomeUnknown} of ${total} orders arrived; the others were not sent.`;
}
