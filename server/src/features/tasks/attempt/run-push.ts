import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { PushTask, Sent } from "../../../connectors/connector.ts";
import { RemoteError } from "../../../core/remote-error.ts";
import { isConnectionLoss } from "../../../db/database.ts";
import { describeFailure } from "../../bridges/bridge-tasks.ts";
import { readOrders, resolveRefs } from "../../orders/orders.ts";
import type { Order } from "../../orders/order.ts";
import { presentOrder } from "../../orders/order.ts";
import type { EffectRow } from "./effects.store.ts";
import { concludeEffect, intend, listEffects } from "./effects.store.ts";
import type { AttemptWork } from "./attempt.ts";
import { FailedWithResult } from "./failed-with-result.ts";
import type { Sampler } from "./task-samples.ts";
import { createSampler } from "./task-samples.ts";

type PushResult = {
  orderId: string | null;
  ref: string;
  number: string | null;
  status: "sent" | "already_sent" | "failed" | "outcome_unknown";
  externalId?: string | undefined;
  error?: { code: string; message: string };
};

/**
 * One order after the other, each at most once: what is about to be sent is written down first, under a key that every
 * attempt and retry computes alike. What was sent is not sent again; what may have been sent is looked up.
 */
export async function runPush(work: AttemptWork, task: PushTask): Promise<Record<string, unknown>> {
  const { world, execution, call } = work;
  const refs = execution.input.orderIds as string[];
  const ids = await resolveRefs(world.db, execution.org_id, refs);
  const orders = new Map(
    (await readOrders(world.db, execution.org_id, [...new Set(ids.values())])).map((order) => [order.id, order]),
  );
  const keys = new Map([...orders.keys()].map((id) => [id, keyOf(execution.effect_root, task.name, id)]));
  const known = new Map(
    (await listEffects(world.db, execution.org_id, [...keys.values()])).map((effect) => [effect.effect_key, effect]),
  );
  const results: PushResult[] = [];
  const sampler = createSampler(world, execution);
  let retry: RemoteError | undefined;
  for (const ref of refs) {
    call.signal.throwIfAborted();
    const order = orders.get(ids.get(ref) ?? "");
    if (!order) {
      const error = { code: "order_not_found", message: "There is no order with this id or number." };
      results.push({ ref, orderId: null, number: null, status: "failed", error });
      continue;
    }
    const key = keys.get(order.id)!;
    const outcome = await pushOne(work, task, order, key, known.get(key), sampler);
    if ("retry" in outcome) retry = outcome.retry;
    results.push({ ref, orderId: order.id, number: order.number, ...outcome.result });
    call.progress(results.length, refs.length);
  }
  await sampler.save();
  const count = (status: PushResult["status"]): number => results.filter((result) => result.status === status).length;
  const summary = {
    total: results.length,
    sent: count("sent"),
    alreadySent: count("already_sent"),
    failed: count("failed"),
    outcomeUnknown: count("outcome_unknown"),
  };
  const result = { summary, results };
  // Another attempt sends only what is missing.
  if (retry) throw new FailedWithResult(retry.code, retry.message, result, retry);
  if (summary.failed + summary.outcomeUnknown < results.length) return result;
  const { code, message } = results.find(({ status }) => status === "outcome_unknown")?.error ?? results[0]!.error!;
  throw new FailedWithResult(code, results.length === 1 ? message : noneSent(summary), result);
}

function noneSent({ total, outcomeUnknown }: { total: number; outcomeUnknown: number }): string {
  if (outcomeUnknown === 0) return "None of the orders was sent.";
  return `Of ${outcomeUnknown} of ${total} orders nobody knows whether they arrived; the others were not sent.`;
}

type OneOutcome = { result: Pick<PushResult, "status" | "externalId" | "error">; retry?: RemoteError };

async function pushOne(
  work: AttemptWork,
  task: PushTask,
  order: Order,
  key: string,
  known: EffectRow | undefined,
  sampler: Sampler,
): Promise<OneOutcome> {
  const { world, execution, call, mappings } = work;
  if (known?.status === "done") return { result: { status: "already_sent", externalId: known.sent?.externalId } };
  const presented: Record<string, unknown> = presentOrder(order);
  const mapped = mappings.outbound?.map(presented) ?? { ok: true as const, output: presented };
  sampler.add(presented, mapped);
  if (!mapped.ok) {
    const error = { code: "transformation_failed", message: "The outbound transformation could not map the order." };
    return { result: { status: "failed", error } };
  }
  const conclude = async (status: EffectRow["status"], sent?: Sent, error?: EffectRow["error"]): Promise<void> => {
    const outcome = { status, sent: sent ?? null, error: error ?? null };
    await whenDatabaseAnswers(() => concludeEffect(world.db, execution, key, outcome, world.clock.now()));
  };

  // An attempt before this one may have sent it without living to see the answer.
  if (known && known.status !== "failed") {
    const found = task.find ? await task.find(call, mapped.output, key) : undefined;
    if (found) {
      await conclude("done", found);
      return { result: { status: "already_sent", externalId: found.externalId } };
    }
    if (!task.find && !task.idempotent) {
      await conclude("unknown", undefined, unknownOutcome);
      return { result: { status: "outcome_unknown", error: unknownOutcome } };
    }
  }
  const intent = await intend(world.db, execution, { key, orderId: order.id }, world.clock.now());
  // The answer may have lain there while this process was frozen, and somebody else has sent it meanwhile.
  if (intent === undefined || !work.mayStart()) {
    throw new RemoteError("superseded", "Another attempt of this execution, or a cancel, came first.");
  }
  if (intent === "done") return { result: { status: "already_sent" } };
  // Whoever cancelled was told that nothing starts any more; between here and the first byte nothing is waited for.
  if (call.signal.aborted) {
    await conclude("failed", undefined, { code: "cancelled", message: "It was not sent." });
    call.signal.throwIfAborted();
  }
  const attempt = await task.send(call, mapped.output, key).then(
    (sent) => ({ sent }),
    (error: unknown) => ({ error }),
  );
  if ("sent" in attempt) {
    await conclude("done", attempt.sent);
    return { result: { status: "sent", externalId: attempt.sent.externalId } };
  }
  return await judgeFailure(work, task, attempt.error, conclude);
}

type Conclude = (status: EffectRow["status"], sent?: Sent, error?: EffectRow["error"]) => Promise<void>;

async function judgeFailure(
  { call }: AttemptWork,
  task: PushTask,
  error: unknown,
  conclude: Conclude,
): Promise<OneOutcome> {
  const failure = describeFailure(error, call.signal);
  const plain = { code: failure.code, message: failure.message };
  // The intent stays as it is: the next attempt, or retry, finds out.
  const isUncertain = failure.mayHaveHappened === true || call.signal.aborted;
  if (!isUncertain) await conclude("failed", undefined, plain);
  const canAsk = task.find !== undefined || task.idempotent;
  if (isUncertain && !canAsk) {
    await conclude("unknown", undefined, unknownOutcome);
    return { result: { status: "outcome_unknown", error: unknownOutcome } };
  }
  call.signal.throwIfAborted();
  const mayRepeat = failure.retryable || isUncertain;
  return {
    result: { status: isUncertain ? "outcome_unknown" : "failed", error: plain },
    ...(mayRepeat
      ? { retry: new RemoteError(failure.code, failure.message, { retryable: true, ...after(failure.retryAfterMs) }) }
      : {}),
  };
}

const askAgainMs = 500;

/** What has happened outside must be written down: forgotten, it would be done once more. */
async function whenDatabaseAnswers(write: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isConnectionLoss(error)) throw error;
      await delay(askAgainMs);
    }
  }
}

const after = (retryAfterMs: number | undefined) => (retryAfterMs === undefined ? {} : { retryAfterMs });

const unknownOutcome = {
  code: "outcome_unknown",
  message:
    "It may have arrived: the connection broke, and the other side cannot be asked. Look there; if it is missing, " +
    "execute the task anew: a retry does not send it again.",
};

/** The same for every attempt and every retry of one execution, and for no other. */
export function keyOf(effectRoot: string, taskName: string, orderId: string): string {
  return createHash("sha256").update(`${effectRoot}\n${taskName}\n${orderId}`).digest("hex").slice(0, 40);
}
