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
/** Few large batches cost least; but what waits must not wait for a batch that hangs. */
const maxBatches = 4;
const patienceMs = 200;

const rooms = perWorld(() => ({ waiting: [] as Waiting[], batches: 0 }));

/**
 * Queues one execution. Requests that come at the same time share a transaction: what a request costs is mostly the
 * round trips and the commit. One that cannot be stored fails alone.
 */
export async function enqueueTogether(ctx: Ctx, request: QueueRequest): Promise<ExecutionRow> {
  const { promise, resolve, reject } = Promise.withResolvers<ExecutionRow>();
  const room = rooms(ctx);
  room.waiting.push({ ctx, request, resolve, reject });
  if (room.batches === 0 || room.waiting.length >= maxTogether) void drain(ctx);
  // Its turn is for others meanwhile: the more come along, the less each of them costs.
  return await releaseSlotWhile(ctx, () => promise);
}

async function drain(world: World): Promise<void> {
  const room = rooms(world);
  if (room.batches >= maxBatches) return;
  room.batches++;
  // One turn of the loop: what has arrived at the same moment comes along.
  await new Promise(setImmediate);
  while (room.waiting.length > 0) {
    const batch = room.waiting.splice(0, maxTogether);
    const impatience = setTimeout(() => room.waiting.length > 0 && void drain(world), patienceMs);
    await enqueueBatch(world, batch).catch(async (error: unknown) => {
      if (batch.length > 1 && isRolledBack(error)) {
        await Promise.all(batch.map((one) => enqueueBatch(world, [one]).catch(one.reject)));
      } else for (const { reject } of batch) reject(error);
    });
    clearTimeout(impatience);
  }
  room.batches--;
}

async function enqueueBatch(world: World, batch: Waiting[]): Promise<void> {
  const rows = await world.db.transaction(async (tx) => {
    const inserted = await enqueueRequested(tx, world, batch);
    const kept = batch.map(async ({ ctx, request }, index) => {
      const queued = presentExecution(ctx, inserted[index]!);
      // Whoever waits for the end, and asks again meanwhile, is not to take this for it.
      await ctx.keepAnswer?.(tx, request.mode === "sync" ? new Unfinished(queued) : queued);
    });
    await Promise.all(kept);
    return inserted;
  });
  for (const [index, { resolve }] of batch.entries()) resolve(rows[index]!);
}

/** After a refusal of the database nothing was stored. After a lost answer nobody knows, so it must not be repeated. */
function isRolledBack(error: unknown): boolean {
  return error instanceof HubError || (/^[0-9A-Z]{5}$/.test(sqlState(error) ?? "") && !isConnectionLoss(error));
}
