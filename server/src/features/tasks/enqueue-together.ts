import type { Ctx, World } from "../../context.ts";
import { perWorld, releaseSlotWhile } from "../../context.ts";
import { HubError } from "../../core/errors.ts";
import { Unfinished } from "../../route.ts";
import { isConnectionLoss, sqlState } from "../../db/database.ts";
import type { QueueRequest, Requested } from "./enqueue-executions.ts";
import { enqueueRequested } from "./enqueue-executions.ts";
import type { ExecutionRow } from "./executions.store.ts";
import { presentExecution } from "./present-execution.ts";

type Waiting = Requested & { resolve(row: ExecutionRow): void; reject(error: unknown): void };

const maxTogether = 100;
/** Few large batches cost least. A second one starts when the first takes longer than this, in case it hangs. */
const maxBatches = 4;
const nextBatchAfterMs = 200;

const queues = perWorld(() => ({ waiting: [] as Waiting[], batches: 0 }));

/**
 * Queues one execution. Concurrent requests share a transaction, since round trips and commit are most of the cost. If one of them
 * cannot be stored, the others still are.
 */
export async function enqueueTogether(ctx: Ctx, request: QueueRequest): Promise<ExecutionRow> {
  const { promise, resolve, reject } = Promise.withResolvers<ExecutionRow>();
  const queue = queues(ctx);
  queue.waiting.push({ ctx, request, resolve, reject });
  if (queue.batches === 0 || queue.waiting.length >= maxTogether) void drain(ctx);
  // Releases the request slot meanwhile: the more requests join the batch, the less each of them costs.
  return await releaseSlotWhile(ctx, () => promise);
}

async function drain(world: World): Promise<void> {
  const queue = queues(world);
  if (queue.batches >= maxBatches) return;
  queue.batches++;
  // Requests that arrive within this event-loop tick join the batch.
  await new Promise(setImmediate);
  while (queue.waiting.length > 0) {
    const batch = queue.waiting.splice(0, maxTogether);
    const timer = setTimeout(() => queue.waiting.length > 0 && void drain(world), nextBatchAfterMs);
    await enqueueBatch(world, batch).catch(async (error: unknown) => {
      if (batch.length > 1 && isRolledBack(error)) {
        await Promise.all(batch.map((one) => enqueueBatch(world, [one]).catch(one.reject)));
      } else for (const { reject } of batch) reject(error);
    });
    clearTimeout(timer);
  }
  queue.batches--;
}

async function enqueueBatch(world: World, batch: Waiting[]): Promise<void> {
  const rows = await world.db.transaction(async (tx) => {
    const inserted = await enqueueRequested(tx, world, batch);
    const kept = batch.map(async ({ ctx, request }, index) => {
      const queued = presentExecution(ctx, inserted[index]!);
      // A sync request that is repeated under its idempotency key must not get the queued execution as its final response.
      await ctx.keepAnswer?.(tx, request.mode === "sync" ? new Unfinished(queued) : queued);
    });
    await Promise.all(kept);
    return inserted;
  });
  for (const [index, { resolve }] of batch.entries()) resolve(rows[index]!);
}

/** After an error from the database nothing was stored. After a lost connection it may have been, so it must not be repeated. */
function isRolledBack(error: unknown): boolean {
  return error instanceof HubError || (/^[0-9A-Z]{5}$/.test(sqlState(error) ?? "") && !isConnectionLoss(error));
}
