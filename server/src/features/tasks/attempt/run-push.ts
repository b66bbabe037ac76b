import type { PushTask } from "../../../connectors/connector.ts";
import type { RemoteError } from "../../../core/remote-error.ts";
import type { SentOrder } from "../../orders/orders.ts";
import { explainUnknown, listUnsent, readOrders, resolveRefs, settleUnsent } from "../../orders/orders.ts";
import type { Order } from "../../orders/order.ts";
import { countFailures } from "../attempt-tally.ts";
import type { AttemptWork } from "./attempt.ts";
import { FailedWithResult } from "./attempt.ts";
import type { FactOutcome, FactResult, Push } from "./push-fact.ts";
import { beginPush, pushFact } from "./push-fact.ts";
import type { Sampler } from "./task-samples.ts";
import { createSampler } from "./task-samples.ts";

type Skipped = { status: "skipped"; reason: "nothing_shipped" | "order_cancelled" };
type ShipmentResult = FactResult & { shipmentId: string; trackingNumber: string | null };

type PushOutcome = Skipped | (FactOutcome & { shipments?: ShipmentResult[] });

export type PushResult = (FactResult | Skipped) & {
  orderId: string | null;
  ref: string;
  number: string | null;
  shipments?: ShipmentResult[];
};

/** One order after the other; what became of each is told, also when others fail. */
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
  const settling = createSettling(work);
  for (const ref of refs) {
    const order = orders.get(ids.get(ref) ?? "");
    if (order) await pushOne(push, order, ref, settling, done);
    else done.results.push({ ref, orderId: null, number: null, status: "failed", error: explain(ref) });
    call.progress(done.results.length, refs.length);
  }
  await settling.save();
}

const portionSize = 100;
const noId = "00000000-0000-0000-0000-000000000000";

/** What the shop was not told of, in portions. False: there was no time for all of it. */
async function pushUnsent(work: AttemptWork, task: PushTask, sampler: Sampler, done: Done): Promise<boolean> {
  const { world, execution, call } = work;
  const at = world.clock.now();
  const goesOnUntil = performance.now() + execution.timeout_ms / 2;
  for (let after = noId; ;) {
    const ids = await listUnsent(world.db, execution, { after, limit: portionSize, at });
    if (ids.length === 0) return true;
    const orders = await loadOrders(work, ids);
    const push = await beginPush(work, task, ids, sampler);
    const settling = createSettling(work);
    let failures = 0;
    for (const order of orders.values()) {
      const { retry } = await pushOne(push, order, order.id, settling, done);
      if (retry) failures++;
      call.progress(done.results.length);
    }
    await settling.save();
    const isNobodyThere = failures > 0 && failures === orders.size;
    if (isNobodyThere || performance.now() > goesOnUntil) return false;
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
  settling: Settling,
  done: Done,
): Promise<{ retry: RemoteError | undefined }> {
  push.work.call.signal.throwIfAborted();
  const outcome = await (push.task.unit === "order" ? pushOrder : pushShipments)(push, order);
  const { retry, ...result } = { retry: undefined, ...outcome };
  done.retry = retry ?? done.retry;
  const told: PushResult = { ref, orderId: order.id, number: order.number, ...result };
  done.results.push(told);
  if (push.task.unit === "shipment") settling.note(order, told.shipments ?? [], retry !== undefined);
  return { retry };
}

async function pushOrder(push: Push, order: Order): Promise<FactOutcome> {
  return await pushFact(push, { order });
}

/** What has not left is nothing to tell. An order of several shipments is as far as the one that is behind. */
async function pushShipments(push: Push, order: Order): Promise<PushOutcome> {
  if (order.status === "cancelled") return { status: "skipped", reason: "order_cancelled" };
  const outcomes: FactOutcome[] = [];
  const shipments: ShipmentResult[] = [];
  for (const shipment of order.shipments) {
    const outcome = await pushFact(push, { order, shipment });
    const { retry: _retry, ...result } = outcome;
    outcomes.push(outcome);
    shipments.push({ shipmentId: shipment.id, trackingNumber: shipment.trackingNumber, ...result });
  }
  const [worst] = outcomes.toSorted((a, b) => byUrgency.indexOf(a.status) - byUrgency.indexOf(b.status));
  if (!worst) return { status: "skipped", reason: "nothing_shipped" };
  const retry = outcomes.find((outcome) => outcome.retry)?.retry;
  return { ...worst, ...(retry ? { retry } : {}), shipments };
}

type Settling = {
  note(order: Order, shipments: ShipmentResult[], mayTryAgain: boolean): void;
  save(): Promise<void>;
};

/** Which orders need not be looked for again, and which not soon. */
function createSettling({ world, execution }: AttemptWork): Settling {
  const sent: SentOrder[] = [];
  const rejected: string[] = [];
  const isLastAttempt = countFailures(execution) + 1 >= execution.max_attempts;
  return {
    note({ id, version }, shipments, mayTryAgain) {
      // What nobody can be asked about will not be known later either: somebody has to look there, and resend it.
      const isTold = shipments.every(({ status }) => status !== "failed" && status !== "in_progress");
      if (isTold && !mayTryAgain) sent.push({ orderId: id, version });
      else if (!mayTryAgain || isLastAttempt) rejected.push(id);
    },
    save: async () => await settleUnsent(world.db, execution, { sent, rejected }, world.clock.now()),
  };
}

const byUrgency: FactResult["status"][] = [
  "outcome_unknown",
  "failed",
  "in_progress",
  "sent",
  "updated",
  "already_sent",
  "skipped",
];

const left: readonly PushResult["status"][] = ["failed", "outcome_unknown", "in_progress"];

/** It has not arrived, as far as is known. */
export function isLeft({ status }: PushResult): boolean {
  return left.includes(status);
}

/** Of an execution that pushed: what became of each order. */
export function resultsOf(result: unknown): PushResult[] {
  return ((result ?? {}) as { results?: PushResult[] }).results ?? [];
}

/** Which of the orders it named have not arrived. */
export function refsLeft(result: unknown): string[] {
  return resultsOf(result)
    .filter(isLeft)
    .map(({ ref }) => ref);
}

/** As many as can be named. Of more, those that arrived are not all shown. */
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
  const isOnTheWay = summary.sent + summary.updated + summary.alreadySent > 0;
  if (isOnTheWay || errors.length === 0) return result;
  const { code, message } = errors.find((error) => error.code === "outcome_unknown") ?? errors[0]!;
  throw new FailedWithResult(code, results.length === 1 ? message : noneSent(summary), result);
}

function noneSent({ total, outcomeUnknown }: { total: number; outcomeUnknown: number }): string {
  if (outcomeUnknown === 0) return "None of the orders was sent.";
  return `Of ${outcomeUnknown} of ${total} orders nobody knows whether they arrived; the others were not sent.`;
}
