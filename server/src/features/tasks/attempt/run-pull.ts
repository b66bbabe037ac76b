import type { Page, PullTask, PulledRecord } from "../../../connectors/connector.ts";
import { RemoteError } from "../../../core/remote-error.ts";
import { earlierOf } from "../../../connectors/shape.ts";
import type { Tx } from "../../../db/database.ts";
import type { Checkpoint } from "../executions.store.ts";
import type { OpenBridge } from "../../bridges/bridge-tasks.ts";
import { siteOf } from "../../bridges/bridge-tasks.ts";
import type { AttemptWork } from "./attempt.ts";
import { FailedWithResult, superseded } from "./attempt.ts";
import { findLastPull, holdAttempt, saveCheckpoint, saveCursor } from "../engine/attempts.store.ts";
import { forgetPayloads, hasWebhooks, listPayloads } from "../inbound-webhooks/inbound-webhooks.store.ts";
import type { RecordMapping } from "./map-record.ts";
import { mapRecord } from "./map-record.ts";
import type { PulledItem, Rejected, Stored } from "./pulled-item.ts";
import { sinks } from "./record-sinks.ts";
import { noteRejected, readLeft } from "./rejected-records.ts";
import type { Sampler } from "./task-samples.ts";
import { createSampler } from "./task-samples.ts";

const maxShownFailures = 100;

/** Page by page; each page and its cursor are stored together, so that a later attempt goes on after it. */
export async function runPull(work: AttemptWork, task: PullTask): Promise<Record<string, unknown>> {
  const { world, ctx, execution, bridge } = work;
  // What was sent by itself is taken in without asking for what changed, and says nothing about how far that was read.
  const isReceived = !execution.is_partial && task.receive !== undefined && (await hasWebhooks(world.db, execution));
  const readsOn = !execution.is_partial && !isReceived;
  const checkpoint = execution.checkpoint ?? (readsOn ? await beginPull(work, task) : nothingYet());
  const { since } = checkpoint;
  const call = since === undefined ? work.call : { ...work.call, input: { ...work.call.input, since } };
  const sink = sinks[task.recordType];
  const collected: PulledItem[] = [];
  const sampler = createSampler(world, execution);
  let done = checkpoint.counts.fetched ?? 0;
  const cursor = checkpoint.cursor ?? undefined;
  const pages = execution.is_partial
    ? readLeft(work, cursor)
    : isReceived
      ? receivedPages(work, task, cursor)
      : task.pull(call, cursor);
  for await (const page of pages) {
    call.signal.throwIfAborted();
    const items = page.records.map((record) => toItem({ ...work, task }, record, checkpoint, sampler));
    await sampler.save();
    const usable = items.filter(({ failure }) => failure === undefined);
    const { failures = [] } = page;
    if (failures.length > 0) addCounts(checkpoint, { counts: { failed: failures.length }, failures });
    done += page.records.length + failures.length;
    const progress = { done, total: page.total ?? null };
    checkpoint.cursor = page.cursor;
    checkpoint.counts.fetched = done;
    if (sink.kind === "whole") {
      // Stored together at the end: what is missing counts too. Until then nothing has happened.
      collected.push(...items);
      if (collected.length > maxWhole) throw tooMany();
      call.progress(done, page.total);
      continue;
    }
    const base = structuredClone(checkpoint);
    const unmapped = items.flatMap(({ externalId, failure }) => (failure ? { externalId, ...failure } : []));
    let refused: Rejected[] = [];
    await world.db.transaction(async (tx) => {
      const current = structuredClone(base);
      if (sink.kind === "pages") {
        const stored = await sink.store(tx, ctx, bridge.row.id, usable);
        addCounts(current, stored);
        refused = stored.failures;
      }
      await noteRejected(tx, work, page.records, [...failures, ...unmapped, ...refused]);
      if (!(await saveCheckpoint(tx, execution, current, progress))) throw superseded();
      Object.assign(checkpoint, current);
    });
    await page.onStored?.([...unmapped, ...refused]);
    if (sink.kind === "none") collected.push(...usable.slice(0, Math.max(0, maxShownRecords - collected.length)));
    call.progress(done, page.total);
  }
  if (sink.kind === "whole") {
    const guard = async (tx: Tx): Promise<void> => {
      if (!(await holdAttempt(tx, execution))) throw superseded();
    };
    return { ...checkpoint.counts, ...(await sink.store(ctx, bridge.row.id, collected, { guard })) };
  }
  const { failures, conflicts = [], counts, failedSince } = checkpoint;
  const result = {
    created: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
    ...counts,
    fetched: done,
    ...(failures.length > 0 ? { failures } : {}),
    ...(conflicts.length > 0 ? { conflicts } : {}),
    ...(failedSince === undefined ? {} : { failedSince }),
    ...(sink.kind === "none" ? { records: collected.map(({ body }) => body) } : {}),
  };
  // The cursor stays where it was: they are read again.
  if (done > 0 && result.failed === done) throw noneTaken(result);
  if (isReceived) await forgetPayloads(world.db, execution);
  else if (readsOn && task.isIncremental && checkpoint.cursor !== null) {
    await world.db.transaction(async (tx) => {
      if (!(await saveCheckpoint(tx, execution, checkpoint, { done, total: done }))) throw superseded();
      const reached = { cursor: checkpoint.cursor, executionId: execution.id };
      await saveCursor(tx, { ...cursorKey(bridge, task), ...reached }, world.clock.now());
    });
  }
  return result;
}

const webhooksPerBatch = 100;

/** What the other side has sent, as many as make a page. The cursor counts them. */
async function* receivedPages(
  { world, execution, call }: AttemptWork,
  task: PullTask,
  cursor: unknown,
): AsyncGenerator<Page> {
  for (let read = typeof cursor === "number" ? cursor : 0; ;) {
    const payloads = await listPayloads(world.db, execution, { skip: read, limit: webhooksPerBatch });
    if (payloads.length === 0) return;
    // Those of a chain whose earlier execution has taken them in say nothing any more.
    const known = payloads.filter((payload) => payload !== null);
    const records = known.length === 0 ? [] : await task.receive!(call, known);
    read += payloads.length;
    yield { records, cursor: read };
  }
}

function nothingYet(): Checkpoint {
  return { cursor: null, counts: {}, failures: [] };
}

function noneTaken(result: { fetched: number; failures?: unknown[] }): FailedWithResult {
  const [first] = (result.failures ?? []) as { message?: string; errors?: { message?: string }[] }[];
  const why = first?.message ?? first?.errors?.[0]?.message ?? "";
  const message = `None of the ${result.fetched} records that came could be taken. ${why}`.trim();
  return new FailedWithResult("no_record_taken", message, result);
}

const maxShownRecords = 1_000;
const maxWhole = 10_000;

function tooMany(): RemoteError {
  return new RemoteError("too_many_records", `More than ${maxWhole} records came; they are only stored all at once.`);
}

function toItem(mapping: RecordMapping, record: PulledRecord, checkpoint: Checkpoint, sampler: Sampler): PulledItem {
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
 * Where a pull begins. One that reads on begins after the last one. Records that could not be taken then lie behind it:
 * once the transformation is another one, they are read again.
 */
async function beginPull({ world, bridge, call, mappings }: AttemptWork, task: PullTask): Promise<Checkpoint> {
  const fresh = nothingYet();
  const last = task.isIncremental ? await findLastPull(world.db, cursorKey(bridge, task)) : undefined;
  if (!last) return fresh;
  const readsOn: Checkpoint = { ...fresh, cursor: last.cursor ?? null };
  const { failedSince, mapping } = last;
  const canReadAgain = "since" in task.input.properties;
  if (failedSince === null || !canReadAgain) return readsOn;
  const asked = call.input.since as string | undefined;
  if (asked !== undefined && Date.parse(asked) <= Date.parse(failedSince)) return readsOn;
  const used = mappings.inbound?.used;
  const isMappedAnew = used?.id !== mapping?.id || used?.version !== mapping?.version;
  if (asked !== undefined || !isMappedAnew) return { ...readsOn, failedSince };
  call.log("info", `Reads from ${failedSince} on: records failed then, and the transformation was changed since.`);
  return { ...readsOn, since: failedSince };
}
