import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { lockOpen, markTried } from "../exceptions/exceptions.ts";
import type { StoredException } from "../exceptions/exceptions.ts";
import { listUnfinished, retryExecution, retryOrdersOf } from "../tasks/tasks.ts";
import type { Fixed, Fixer, Wanted } from "./fix.ts";
import { closedMeanwhile, failed, orFailed } from "./fix.ts";

/** Orders that did not arrive: those of one execution are sent again by one. */
export const sendAgain: Fixer = async (ctx, rows, wanted) => {
  const fixed: Fixed[] = [];
  for (const of of Map.groupBy(rows, ({ executionId }) => executionId).values()) {
    fixed.push(...(await orFailed(of, async () => await sendGroup(ctx, of, wanted))));
  }
  return fixed;
};

async function sendGroup(ctx: Ctx, rows: StoredException[], { action, resend = false }: Wanted): Promise<Fixed[]> {
  const ids = rows.map(({ id }) => id);
  return await ctx.db.transaction(async (tx) => {
    const open = new Map((await lockOpen(tx, ctx.orgId, ids)).map((row) => [row.id, row]));
    // Another statement: the one before does not see what was queued while it waited.
    const tried = [...open.values()].flatMap(({ lastFix }) => lastFix?.executionId ?? []);
    const unfinished = await listUnfinished(tx, ctx.orgId, tried);
    const isBusy = ({ lastFix }: StoredException): boolean => unfinished.has(lastFix?.executionId ?? "");
    const free = [...open.values()].filter((row) => !isBusy(row));
    const orderIds = free.map(({ orderId, aboutName }) => orderId ?? aboutName!);
    const [first] = free;
    const executionId = first && (await retryOrdersOf(tx, ctx, first.executionId!, { orderIds, resend }));
    if (executionId !== undefined) await noteTry(tx, ctx, free, action, executionId);
    return ids.map((id): Fixed => {
      const row = open.get(id);
      if (!row) return failed(id, closedMeanwhile);
      return isBusy(row) ? failed(id, underWay) : { id, status: "started", executionId: executionId! };
    });
  });
}

const underWay = { code: "retry_in_progress", message: "It is being tried at this moment." };

/** A task that failed as a whole; of what failed in part only that part. */
export const runAgain: Fixer = async (ctx, rows, { action }) => {
  const { keepAnswer: _, ...own } = ctx;
  const fixed: Fixed[] = [];
  for (const row of rows) {
    const retry = async (): Promise<Fixed[]> => {
      const { id: executionId } = await retryExecution(own, row.executionId!, {});
      await ctx.db.transaction(async (tx) => await noteTry(tx, ctx, [row], action, executionId));
      return [{ id: row.id, status: "started", executionId }];
    };
    fixed.push(...(await orFailed([row], retry)));
  }
  return fixed;
};

async function noteTry(tx: Tx, ctx: Ctx, rows: StoredException[], action: Wanted["action"], executionId: string) {
  const fix = { action, at: ctx.clock.now().toISOString(), by: ctx.actor, executionId };
  await markTried(
    tx,
    ctx.orgId,
    rows.map(({ id }) => id),
    fix,
  );
}
