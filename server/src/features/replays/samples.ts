import type { PullTask } from "../../connectors/connector.ts";
import { badField } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { releaseSlotWhile } from "../../context.ts";
import type { OpenBridge } from "../bridges/bridge-tasks.ts";
import { createCall, describeAndLog, refuseCalls, requireTask } from "../bridges/bridge-tasks.ts";
import { getBridge, noteOutcomes } from "../bridges/bridges.ts";
import { listSamples } from "../tasks/tasks.ts";
import { requireDataScopes } from "./require-data-scopes.ts";
import type { KeptSamples, PulledSample, PullSampleRequest, SampleQuery } from "./samples.schemas.ts";
import { maxSampleRecords } from "./samples.schemas.ts";

const pullTimeoutMs = 20_000;
/** Some sources send empty pages before the first records. */
const maxPages = 3;
const maxRecordBytes = 512 * 1024;

/** Stored sample records of recent executions. */
export async function listKeptSamples(ctx: Ctx, bridgeId: string, { taskName }: SampleQuery): Promise<KeptSamples> {
  await getBridge(ctx, bridgeId);
  requireDataScopes(ctx, "A sample", ["tasks:read", "pii:read"]);
  const samples = await listSamples(ctx, { bridgeId, taskName, limit: maxSampleRecords });
  const data = samples.flatMap(({ executionId, taskName: name, createdAt, records }) =>
    (records ?? []).map((record) => ({
      executionId,
      taskName: name,
      createdAt: createdAt.toISOString(),
      ...record,
    })),
  );
  return { data: data.slice(0, maxSampleRecords) };
}

/** Reads the first records of a task now, without storing them or moving the cursor. */
export async function pullSample(ctx: Ctx, bridgeId: string, request: PullSampleRequest): Promise<PulledSample> {
  await getBridge(ctx, bridgeId);
  requireDataScopes(ctx, "A sample", ["tasks:execute", "pii:read"]);
  const { taskName, input = {}, limit = 3 } = request;
  const { bridge, task } = await requireTask(ctx, { bridgeId, taskName, input });
  refuseCalls(ctx, bridge);
  if (task.mode !== "pull") {
    const allowed = bridge.tasks.filter(({ mode }) => mode === "pull").map(({ name }) => name);
    throw badField("/taskName", "task_reads_no_records", `The task ${taskName} reads no records.`, { allowed });
  }
  const started = performance.now();
  const signal = AbortSignal.timeout(pullTimeoutMs);
  const outcome = await releaseSlotWhile(ctx, () => readFirst(ctx, bridge, task, { input, limit, signal })).then(
    (read) => ({ ok: true, ...read, error: null }),
    (error: unknown) => ({ ok: false, records: [], total: null, error: failureOf(ctx, bridgeId, error, signal) }),
  );
  const error = outcome.error && { code: outcome.error.code, message: outcome.error.message };
  await noteOutcomes(ctx.db, [{ bridge: bridge.row, error }], ctx.clock.now());
  return { ...outcome, durationMs: Math.round(performance.now() - started) };
}

function failureOf(ctx: Ctx, bridgeId: string, thrown: unknown, signal: AbortSignal): PulledSample["error"] {
  const { code, message, retryable } = describeAndLog(ctx, bridgeId, thrown, signal);
  return { code, message, retryable };
}

type Wanted = { input: Record<string, unknown>; limit: number; signal: AbortSignal };

async function readFirst(
  ctx: Ctx,
  bridge: OpenBridge,
  task: PullTask,
  { input, limit, signal }: Wanted,
): Promise<Pick<PulledSample, "records" | "total">> {
  const call = createCall(ctx, bridge, {
    input,
    signal,
    effectKey: ctx.newId(),
    isSample: true,
    progress() {},
    log() {},
  });
  const records: PulledSample["records"] = [];
  let total: number | null = null;
  let pages = 0;
  for await (const page of task.pull(call, undefined)) {
    total ??= page.total ?? null;
    const small = page.records.filter(({ raw }) => Buffer.byteLength(JSON.stringify(raw)) <= maxRecordBytes);
    records.push(...small.map(({ externalId, raw, canonical }) => ({ externalId, source: raw, output: canonical })));
    if (records.length >= limit || ++pages >= maxPages) break;
  }
  return { records: records.slice(0, limit), total };
}
