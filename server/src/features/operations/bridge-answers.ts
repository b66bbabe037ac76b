import type { Ctx } from "../../context.ts";
import { releaseSlotWhile } from "../../context.ts";
import { HubError } from "../../core/errors.ts";
import { ownWordsFor } from "../../core/remote-error.ts";
import type { OpenBridge } from "../bridges/bridge-tasks.ts";
import {
  concurrencyOf,
  createCall,
  describeAndLog,
  findKnownBridge,
  findTask,
  refuseCalls,
} from "../bridges/bridge-tasks.ts";
import type { CarrierResponse } from "../carrier-accounts/open-carrier.ts";
import type { PriceQueue } from "./price-queue.ts";
import { createPriceQueue } from "./price-queue.ts";

/** What a bridge answered, or why it did not. */
export type BridgeAnswer = { answer: unknown } | { code: string; message: string };

/** The bridge was not asked yet: the caller asks and evaluates again. */
export const answerNotFetched = Symbol("not yet asked");

const maxTimeoutMs = 30_000;
const maxAtOnce = 8;
const maxKnown = 5_000;
/** More than a pipeline has steps: the input of a step may depend on the answer of an earlier one. */
const maxRounds = 30;

type Wanted = { key: string; bridgeId: string; taskName: string; input: Record<string, unknown> };

/** Answers of bridge tasks for any number of batches of orders, one call for each distinct input. Only tasks that may be repeated are called. */
export function createBridgeAnswers(ctx: Ctx) {
  const known = new Map<string, BridgeAnswer>();
  const wanted = new Map<string, Wanted>();
  const queues = new Map<string, PriceQueue<unknown>>();
  let rounds = 0;

  async function askBridge(bridgeId: string, requests: Wanted[], signal: AbortSignal | undefined): Promise<void> {
    const bridge = await findKnownBridge(ctx, bridgeId);
    const problem = bridge?.row.org_id === ctx.orgId ? problemOf(ctx, bridge) : gone;
    if (problem || !bridge) {
      for (const { key } of requests) known.set(key, problem ?? gone);
      return;
    }
    const limit = Math.min(concurrencyOf(bridge), maxAtOnce);
    const queue = queues.getOrInsertComputed(bridgeId, () => createPriceQueue(limit));
    const calls = requests.map((request) => ({
      ask: (aborted: AbortSignal | undefined) => ask(ctx, bridge, request, aborted),
      settle: (response: CarrierResponse<unknown>) => void known.set(request.key, answerIn(response)),
    }));
    await queue.run(calls, signal);
  }

  return {
    answerOf(
      bridgeId: string,
      taskName: string,
      input: Record<string, unknown>,
    ): BridgeAnswer | typeof answerNotFetched {
      const key = JSON.stringify([bridgeId, taskName, input]);
      const found = known.get(key) ?? (rounds > maxRounds ? unsteady : undefined);
      if (!found) wanted.set(key, { key, bridgeId, taskName, input });
      return found ?? answerNotFetched;
    },
    hasMissing: (): boolean => wanted.size > 0,
    /** Rejects when `signal` is aborted. */
    async fetchMissing(signal?: AbortSignal): Promise<void> {
      const byBridge = Map.groupBy([...wanted.values()], ({ bridgeId }) => bridgeId);
      wanted.clear();
      if (byBridge.size > 0) rounds++;
      await releaseSlotWhile(ctx, () =>
        Promise.all([...byBridge].map(([bridgeId, requests]) => askBridge(bridgeId, requests, signal))),
      );
    },
    /** Between two batches: limits the memory that answers take. */
    forgetOld(): void {
      rounds = 0;
      if (known.size > maxKnown) known.clear();
    },
  };
}

const unsteady = { code: "input_unsteady", message: "The input is another one each time that it is filled in." };
const gone = { code: "bridge_not_found", message: "The bridge does not exist." };

function problemOf(ctx: Ctx, bridge: OpenBridge): { code: string; message: string } | undefined {
  try {
    refuseCalls(ctx, bridge);
    return undefined;
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return { code: error.code, message: error.message };
  }
}

async function ask(
  ctx: Ctx,
  bridge: OpenBridge,
  { taskName, input }: Wanted,
  aborted: AbortSignal | undefined,
): Promise<CarrierResponse<unknown>> {
  const task = findTask(bridge, taskName);
  if (task?.mode !== "call" || !task.idempotent) return { rejected: notRepeatable };
  const timeout = AbortSignal.timeout(Math.min(task.timeoutMs, maxTimeoutMs));
  const signal = aborted ? AbortSignal.any([timeout, aborted]) : timeout;
  try {
    const options = { input, signal, effectKey: ctx.newId(), progress() {}, log() {} };
    return { done: await task.run(createCall(ctx, bridge, options)) };
  } catch (error) {
    const failure = describeAndLog(ctx, bridge.row.id, error, signal);
    // The words of the other side may quote personal data, and results of runs are not masked.
    const message = ownWordsFor(failure) ?? "The request failed.";
    const isRateLimited = failure.code === "rate_limited" ? ({ isRateLimited: true } as const) : {};
    if (!failure.retryable) return { rejected: { code: failure.code, message } };
    const { retryAfterMs } = failure;
    return { unknown: message, ...(retryAfterMs !== undefined && { retryAfterMs }), ...isRateLimited };
  }
}

const notRepeatable = {
  code: "task_not_repeatable",
  message: "Only a task with one request that may be repeated, such as a GET, can be asked for a value.",
};

function answerIn(response: CarrierResponse<unknown>): BridgeAnswer {
  if ("done" in response) return { answer: response.done };
  return "rejected" in response ? response.rejected : { code: "request_failed", message: response.unknown };
}
