import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import { releaseSlotWhile } from "../../context.ts";
import type { TestAnswer } from "./bridges.schemas.ts";
import * as store from "./bridges.store.ts";
import { createCall, describeAndLog, findTask, openBridge, refuseCalls } from "./bridge-tasks.ts";

const testTimeoutMs = 15_000;

/** Runs `connection.test`, also on inactive bridges, and saves the result as health. */
export async function testBridge(ctx: Ctx, id: string): Promise<TestAnswer> {
  const row = orNotFound("bridge", await store.findBridge(ctx.db, ctx.orgId, id));
  const bridge = openBridge(row);
  refuseCalls(ctx, bridge);
  const task = findTask(bridge, "connection.test");
  if (task?.mode !== "call") throw new Error(`the connector ${row.connector} cannot be tested`);
  const started = performance.now();
  const signal = AbortSignal.timeout(testTimeoutMs);
  const options = { input: {}, signal, effectKey: ctx.newId(), progress() {}, log() {} };
  const run = async () => await task.run(createCall(ctx, bridge, options));
  const outcome = await releaseSlotWhile(ctx, run).then(
    (result) => ({ ok: true, result, error: null }),
    (error: unknown) => ({ ok: false, result: null, error: describeAndLog(ctx, id, error, signal) }),
  );
  const error = outcome.error && { code: outcome.error.code, message: outcome.error.message };
  await store.noteOutcomes(ctx.db, [{ bridge: row, error }], ctx.clock.now());
  return { ...outcome, durationMs: Math.round(performance.now() - started) };
}
