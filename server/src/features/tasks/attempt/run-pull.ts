import type { Call, Page, PullTask, PulledRecord } from "../../../connectors/connector.ts";
import { earlierOf } from "../../../connectors/shape.ts";
import { RemoteError } from "../../../core/remote-error.ts";
import type { Tx } from "../../../db/database.ts";
import type { OpenBridge } from "../../bridges/bridge-tasks.ts";
import { siteOf } from "../../bridges/bridge-tasks.ts";
import { findLastPull, holdAttempt, saveCheckpoint, saveCursor } from "../engine/attempts.store.ts";
import type { Checkpoint } from "../executions.store.ts";
import { forgetPayloads, hasWebhooks, listPayloads } from "../inbound-webhooks/inbound-webhooks.store.ts";
import type { AttemptWork } from "./attempt.ts";
import { FailedWithResult, superseded } from "./attempt.ts";
import type { PulledItem, Rejected, Stored } from "./pulled-records.ts";
import { mapRecord } from "./pulled-records.ts";
import type { Sink } from "./record-sinks.ts";
import { sinks } from "./record-sinks.ts";
import { noteRejected, readLeft } from "./rejected-records.ts";
import type { Sampler } from "./task-samples.ts";
import { createSampler } from "./task-samples.ts";

/** Reads the records of a pull task and hands them to the sink of its record type. */
export async function runPull(work: AttemptWork, task: PullTask): Promise<Record<string, unknown>> {
  const pull = await openPull(work, task);
  const sink = sinks[task.recordType];
  if (sink.kind === "whole") return await pullWhole(pull, sink);
  await pullByPage(pull, (tx, items) => sink.store(tx, work.ctx, work.bridge.row.id, items, work.execution.id));
  return await finishPull(pull, await finishSink(pull, sink));
}

/** Not for records of webhooks and of partial retries: they say nothing about the records that were not read. */
async function finishSink(pull: Pull, sink: Extract<Sink, { kind: "pages" }>): Promise<Record<string, number>> {
  const { work, task, source, checkpoint } = pull;
  const { finish } = sink;
  const { world, ctx, execution, bridge } = work;
  const { started_at: startedAt } = execution;
  if (!finish || source !== "remote" || !startedAt) return {};
  return await world.db.transaction(async (tx) => {
    if (!(await holdAttempt(tx, execution))) throw superseded();
    const { counts } = checkpoint;
    const isComplete = !task.isIncremental;
    return await finish(tx, ctx, { bridgeId: bridge.row.id, startedAt, isComplete, counts });
  });
}

type Pull = {
  work: AttemptWork;
  task: PullTask;
  call: Call;
  /**
   * `remote`: the other side is asked what changed since the cursor. `received`: inbound webhooks brought the records. `rejected`:
   * a partial retry takes the records that an earlier execution rejected. Only `remote` moves the cursor of the task.
   */
  source: "remote" | "received" | "rejected";
  pages: AsyncIterable<Page>;
  checkpoint: Checkpoint;
  sampler: Sampler;
};

async function openPull(work: AttemptWork, task: PullTask): Promise<Pull> {
  const { world, execution } = work;
  const source = await sourceOf(work, task);
  const checkpoint =
    execution.checkpoint ?? (source === "remote" ? await firstCheckpoint(work, task) : emptyCheckpoint());
  const { since } = checkpoint;
  const call = since === undefined ? work.call : { ...work.call, input: { ...work.call.input, since } };
  const cursor = checkpoint.cursor ?? undefined;
  const pages = {
    rejected: () => readLeft(work, cursor),
    received: () => receivedPages(work, task, cursor),
    remote: () => task.pull(call, cursor),
  }[source]();
  return { work, task, call, source, pages, checkpoint, sampler: createSampler(world, execution) };
}

async function sourceOf({ world, execution }: AttemptWork, task: PullTask): Promise<Pull["source"]> {
  if (execution.is_partial) return "rejected";
  return task.receive !== undefined && (await hasWebhooks(world.db, execution)) ? "received" : "remote";
}

type MappedPage = { page: Page; items: PulledItem[]; processed: number };

/** Maps each page and adds it to the checkpoint in memory; storing both is left to the caller. */
async function* readMappedPages({ work, task, call, pages, checkpoint, sampler }: Pull): AsyncGenerator<MappedPage> {
  let processed = checkpoint.counts.fetched ?? 0;
  for await (const page of pages) {
    call.signal.throwIfAborted();
    const items = page.records.map((record) => toItem({ ...work, task }, record, checkpoint, sampler));
    await sampler.save();
    const { failures = [] } = page;
    if (failures.length > 0) addCounts(checkpoint, { counts: { failed: failures.length }, failures });
    processed += page.records.length + failures.length;
    checkpoint.cursor = page.cursor;
    checkpoint.counts.fetched = processed;
    yield { page, items, processed };
    call.progress(processed, page.total);
  }
}

/** All records in one transaction after the last page, since a record that is missing counts too: it is deactivated. */
async function pullWhole(pull: Pull, sink: Extract<Sink, { kind: "whole" }>): Promise<Record<string, unknown>> {
  const { ctx, execution, bridge } = pull.work;
  const collected: PulledItem[] = [];
  for await (const { items } of readMappedPages(pull)) {
    collected.push(...items);
    if (collected.length > maxWhole) throw tooMany();
  }
  const guard = async (tx: Tx): Promise<void> => {
    if (!(await holdAttempt(tx, execution))) throw superseded();
  };
  return { ...pull.checkpoint.counts, ...(await sink.store(ctx, bridge.row.id, collected, { guard })) };
}

/** One transaction per page, which also saves the checkpoint: a later attempt continues after the last stored page. */
async function pullByPage(pull: Pull, storePage: (tx: Tx, items: PulledItem[]) => Promise<Stored>): Promise<void> {
  const { work, checkpoint } = pull;
  const { world, execution } = work;
  for await (const { page, items, processed } of readMappedPages(pull)) {
    const usable = items.filter(({ failure }) => failure === undefined);
    const unmapped = items.flatMap(({ externalId, failure }) => (failure ? { externalId, ...failure } : []));
    const base = structuredClone(checkpoint);
    let notStored: Rejected[] = [];
    await world.db.transaction(async (tx) => {
      const current = structuredClone(base);
      const stored = await storePage(tx, usable);
      addCounts(current, stored);
      notStored = stored.failures;
      await noteRejected(tx, work, page.records, [...(page.failures ?? []), ...unmapped, ...notStored]);
      const progress = { processed, total: page.total ?? null };
      if (!(await saveCheckpoint(tx, execution, current, progress))) throw superseded();
      Object.assign(checkpoint, current);
    });
    await page.onStored?.([...unmapped, ...notStored]);
  }
}

/** Presents the result and moves the cursor of the task. If every record failed, the cursor stays and they are read again. */
async function finishPull(pull: Pull, more: Record<string, number>): Promise<Record<string, unknown>> {
  const { work, task, source, checkpoint } = pull;
  const { world, execution, bridge } = work;
  const { failures, conflicts = [], counts, failedSince } = checkpoint;
  const fetched = counts.fetched ?? 0;
  const result = {
    created: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
    ...counts,
    fetched,
    ...(failures.length > 0 ? { failures } : {}),
    ...(conflicts.length > 0 ? { conflicts } : {}),
    ...(failedSince === undefined ? {} : { failedSince }),
    ...more,
  };
  if (fetched > 0 && result.failed === fetched) throw noneTaken(result);
  if (source === "received") await forgetPayloads(world.db, execution);
  else if (source === "remote" && task.isIncremental && checkpoint.cursor !== null) {
    await world.db.transaction(async (tx) => {
      const progress = { processed: fetched, total: fetched };
      if (!(await saveCheckpoint(tx, execution, checkpoint, progress))) throw superseded();
      const reached = { cursor: checkpoint.cursor, executionId: execution.id };
      await saveCursor(tx, { ...cursorKey(bridge, task), ...reached }, world.clock.now());
    });
  }
  return result;
}

const webhooksPerPage = 100;

/** Pages of records from inbound webhooks. The cursor counts the webhooks that were read. */
async function* receivedPages(
  { world, execution, call }: AttemptWork,
  task: PullTask,
  cursor: unknown,
): AsyncGenerator<Page> {
  for (let read = typeof cursor === "number" ? cursor : 0; ;) {
    const payloads = await listPayloads(world.db, execution, { skip: read, limit: webhooksPerPage });
    if (payloads.length === 0) return;
    // Null: an earlier execution of the chain of retries has stored it.
    const known = payloads.filter((payload) => payload !== null);
    const records = known.length === 0 ? [] : await task.receive!(call, known);
    read += payloads.length;
    yield { records, cursor: read };
  }
}

const maxShownFailures = 100;
const maxWhole = 10_000;

function emptyCheckpoint(): Checkpoint {
  return { cursor: null, counts: {}, failures: [] };
}

function noneTaken(result: { fetched: number; failures?: unknown[] }): FailedWithResult {
  const [first] = (result.failures ?? []) as { message?: string; errors?: { message?: string }[] }[];
  const reason = first?.message ?? first?.errors?.[0]?.message ?? "";
  const message = `None of the ${result.fetched} records could be stored. ${reason}`.trim();
  return new FailedWithResult("no_record_taken", message, result);
}

function tooMany(): RemoteError {
  return new RemoteError(
    "too_many_records",
    `The task read more than ${maxWhole} records, which are stored in one transaction.`,
  );
}

function toItem(
  mapping: Parameters<typeof mapRecord>[0],
  record: PulledRecord,
  checkpoint: Checkpoint,
  sampler: Sampler,
): PulledItem {
  const { item, mapped } = mapRecord(mapping, record);
  if (mapped) sampler.add(record.raw, mapped);
  const { externalId, updatedAt, failure } = item;
  if (failure) {
    const { code, errors } = failure;
    addCounts(checkpoint, { counts: { failed: 1 }, failures: [{ externalId, code, errors }], failedSince: updatedAt });
  }
  return item;
}

type Counted = Omit<Stored, "failures"> & { failures: unknown[] };

function addCounts(checkpoint: Checkpoint, { counts, failures, conflicts = [], failedSince }: Counted): void {
  for (const [name, count] of Object.entries(counts)) {
    checkpoint.counts[name] = (checkpoint.counts[name] ?? 0) + count;
  }
  checkpoint.failures = [...checkpoint.failures, ...failures].slice(0, maxShownFailures);
  checkpoint.conflicts = [...(checkpoint.conflicts ?? []), ...conflicts].slice(0, maxShownFailures);
  const oldest = earlierOf(checkpoint.failedSince, failedSince);
  if (oldest !== undefined) checkpoint.failedSince = oldest;
}

const cursorKey = (bridge: OpenBridge, task: PullTask) => ({
  bridgeId: bridge.row.id,
  taskName: task.name,
  site: siteOf(bridge),
});

/**
 * An incremental pull continues after the last one. Records that failed then lie before its cursor: they are read again once the
 * transformation has changed, since the new version may accept them.
 */
async function firstCheckpoint({ world, bridge, call, mappings }: AttemptWork, task: PullTask): Promise<Checkpoint> {
  const last = task.isIncremental ? await findLastPull(world.db, cursorKey(bridge, task)) : undefined;
  if (!last) return emptyCheckpoint();
  const continued: Checkpoint = { ...emptyCheckpoint(), cursor: last.cursor ?? null };
  const { failedSince, mapping } = last;
  const canReadAgain = "since" in task.input.properties;
  if (failedSince === null || !canReadAgain) return continued;
  const requestedSince = call.input.since as string | undefined;
  if (requestedSince !== undefined && Date.parse(requestedSince) <= Date.parse(failedSince)) return continued;
  const used = mappings.inbound?.used;
  const hasMappingChanged = used?.id !== mapping?.id || used?.version !== mapping?.version;
  if (requestedSince !== undefined || !hasMappingChanged) return { ...continued, failedSince };
  call.log("info", `Reading again from ${failedSince}: records failed then, and the transformation has changed since.`);
  return { ...continued, since: failedSince };
}
