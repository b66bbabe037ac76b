import type { PushTask } from "../../../connectors/connector.ts";
import type { RemoteError } from "../../../core/remote-error.ts";
import { explainUnknown, readOrders, resolveRefs } from "../../orders/orders.ts";
import type { Order } from "../../orders/order.ts";
import type { AttemptWork } from "./attempt.ts";
import { FailedWithResult } from "./attempt.ts";
import type { FactOutcome, FactResult, Push } from "./push-fact.ts";
import { beginPush, pushFact } from "./push-fact.ts";
import { createSampler } from "./task-samples.ts";

type Skipped = { status: "skipped"; reason: "nothing_shipped" | "order_cancelled" };
type ShipmentResult = FactResult & { shipmentId: string; trackingNumber: string | null };

export type PushResult = (FactResult | Skipped) & {
  orderId: string | null;
  ref: string;
  number: string | null;
  shipments?: ShipmentResult[];
};

/** One order after the other; what became of each is told, also when others fail. */
export async function runPush(work: AttemptWork, task: PushTask): Promise<Record<string, unknown>> {
  const { world, execution, call } = work;
  const refs = execution.input.orderIds as string[];
  const ids = await resolveRefs(world.db, execution.org_id, refs);
  const orders = new Map(
    (await readOrders(world.db, execution.org_id, [...new Set(ids.values())])).map((order) => [order.id, order]),
  );
  const unknown = refs.filter((ref) => !ids.has(ref));
  const explain = await explainUnknown(world.db, execution.org_id, unknown);
  const sampler = createSampler(world, execution);
  const push = await beginPush(work, task, [...orders.keys()], sampler);
  const results: PushResult[] = [];
  let retry: RemoteError | undefined;
  for (const ref of refs) {
    call.signal.throwIfAborted();
    const order = orders.get(ids.get(ref) ?? "");
    if (!order) {
      results.push({ ref, orderId: null, number: null, status: "failed", error: explain(ref) });
      continue;
    }
    const outcome = await (task.unit === "order" ? pushOrder : pushShipments)(push, order);
    const { retry: again, ...result } = { retry: undefined, ...outcome };
    retry = again ?? retry;
    results.push({ ref, orderId: order.id, number: order.number, ...result });
    call.progress(results.length, refs.length);
  }
  await sampler.save();
  return concludePush(results, retry);
}

async function pushOrder(push: Push, order: Order): Promise<FactOutcome> {
  return await pushFact(push, { order });
}

/** What has not left is nothing to tell. An order of several shipments is as far as the one that is behind. */
async function pushShipments(
  push: Push,
  order: Order,
): Promise<Skipped | (FactOutcome & { shipments: ShipmentResult[] })> {
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

const byUrgency: FactResult["status"][] = [
  "outcome_unknown",
  "failed",
  "in_progress",
  "sent",
  "updated",
  "already_sent",
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
  const result = { summary, results };
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
