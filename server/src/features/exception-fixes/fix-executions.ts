import type { Ctx } from "../../context.ts";
import { change, keepingAs } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { lockOpen, markAttempted } from "../exceptions/exceptions.ts";
import type { StoredException } from "../exceptions/exceptions.ts";
import { requireAgentTaskLimit } from "../operations/operations.ts";
import { listUnfinished, retryExecution, retryOrdersOf } from "../tasks/tasks.ts";
import type { Resolution, Resolver, RequestedAction } from "./fix.ts";
import { closedMeanwhile, eachAlone, failed } from "./fix.ts";

/** Sends orders that did not arrive again; one execution for those of a failed execution. */
export const sendAgain: Resolver = {
  batchesOf: (rows) => [...Map.groupBy(rows, ({ executionId }) => executionId).values()],
  async resolve(ctx, rows, { action, forceResend = false }) {
    const ids = rows.map(({ id }) => id);
    return await change(ctx, async (tx) => {
      const open = new Map((await lockOpen(tx, ctx.orgId, ids)).map((row) => [row.id, row]));
      // A separate statement: the snapshot of the locking one misses executions queued while it waited.
      const tried = [...open.values()].flatMap(({ lastAction }) => lastAction?.executionId ?? []);
      const unfinished = await listUnfinished(tx, ctx.orgId, tried);
      const isBusy = ({ lastAction }: StoredException): boolean => unfinished.has(lastAction?.executionId ?? "");
      const free = [...open.values()].filter((row) => !isBusy(row));
      const orderIds = free.map(({ orderId, subjectName }) => orderId ?? subjectName!);
      const [first] = free;
      const executionId = first && (await retryOrdersOf(tx, ctx, first.executionId!, { orderIds, forceResend }));
      if (executionId !== undefined) await noteTry(tx, ctx, free, action, executionId);
      return ids.map((id): Resolution => {
        const row = open.get(id);
        if (!row) return failed(id, closedMeanwhile);
        return isBusy(row) ? failed(id, underWay) : { id, status: "in_progress", executionId: executionId! };
      });
    });
  },
};

const underWay = { code: "retry_in_progress", message: "A retry is already in progress." };

/** Runs a failed task again; if only a part failed, that part. */
export const runAgain: Resolver = {
  batchesOf: eachAlone,
  async resolve(ctx, rows, { action }) {
    const { id, executionId: failedId } = rows[0]!;
    const started = ({ id: executionId }: { id: string }): Resolution[] => [{ id, status: "in_progress", executionId }];
    const own = keepingAs(ctx, async (_tx, retried) => started(retried as { id: string }));
    return started(
      await retryExecution(
        own,
        failedId!,
        {},
        {
          checkInput: (input) => requireAgentTaskLimit(ctx, input),
          onQueued: (tx, executionId) => noteTry(tx, ctx, rows, action, executionId),
        },
      ),
    );
  },
};

async function noteTry(
  tx: Tx,
  ctx: Ctx,
  rows: StoredException[],
  action: RequestedAction["action"],
  executionId: string,
) {
  const fix = { action, at: ctx.clock.now().toISOString(), by: ctx.actor, executionId };
  await markAttempted(
    tx,
    ctx.orgId,
    rows.map(({ id }) => id),
    fix,
  );
}
