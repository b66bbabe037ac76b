import type { PullTask, PulledRecord } from "../../connectors/connector.ts";
import { TaskError } from "../../connectors/connector.ts";
import type { Tx } from "../../db/database.ts";
import type { Checkpoint } from "./executions.store.ts";
import { findUnstorableText } from "../../core/strict-json.ts";
import type { AttemptWork } from "./attempt.ts";
import { findCursor, holdAttempt, saveCheckpoint, saveCursor } from "./attempts.store.ts";
import type { PulledItem, Stored } from "./pulled-item.ts";
import { sinks } from "./record-sinks.ts";
import type { Sampler } from "./task-samples.ts";
import { createSampler } from "./task-samples.ts";

const maxShownFailures = 100;

/** Page by page; each page and its cursor are stored together, so that a later attempt goes on after it. */
export async function runPull(work: AttemptWork, task: PullTask): Promise<Record<string, unknown>> {
  const { world, ctx, execution, bridge, call } = work;
  const checkpoint: Checkpoint = execution.checkpoint ?? {
    cursor: task.isIncremental ? ((await findCursor(world.db, bridge.row.id, task.name)) ?? null) : null,
    counts: {},
    failures: [],
  };
  const sink = sinks[task.yields];
  const collected: PulledItem[] = [];
  const sampler = createSampler(world, execution);
  let done = checkpoint.counts.fetched ?? 0;
  for await (const page of task.pull(call, checkpoint.cursor ?? undefined)) {
    call.signal.throwIfAborted();
    const items = page.records.map((record) => toItem(work, record, checkpoint, sampler));
    await sampler.save();
    const usable = items.filter(({ failure }) => failure === undefined);
    done += page.records.length;
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
    await world.db.transaction(async (tx) => {
      const current = structuredClone(base);
      if (sink.kind === "pages") addCounts(current, await sink.store(tx, ctx, bridge.row.id, usable));
      if (!(await saveCheckpoint(tx, execution, current, progress))) throw superseded();
      Object.assign(checkpoint, current);
    });
    if (sink.kind === "none") collected.push(...usable.slice(0, Math.max(0, maxShownRecords - collected.length)));
    call.progress(done, page.total);
  }
  if (sink.kind === "whole") {
    const guard = async (tx: Tx): Promise<void> => {
      if (!(await holdAttempt(tx, execution))) throw superseded();
    };
    return { ...checkpoint.counts, ...(await sink.store(ctx, bridge.row.id, collected, { guard })) };
  }
  if (task.isIncremental && checkpoint.cursor !== null) {
    await world.db.transaction(async (tx) => {
      if (!(await saveCheckpoint(tx, execution, checkpoint, { done, total: done }))) throw superseded();
      const { id: bridgeId } = bridge.row;
      await saveCursor(
        tx,
        { bridgeId, taskName: task.name, cursor: checkpoint.cursor, executionId: execution.id },
        world.clock.now(),
      );
    });
  }
  const { failures, conflicts = [], counts } = checkpoint;
  return {
    created: 0,
    updated: 0,
    unchanged: 0,
    failed: 0,
    ...counts,
    fetched: done,
    ...(failures.length > 0 ? { failures } : {}),
    ...(conflicts.length > 0 ? { conflicts } : {}),
    ...(sink.kind === "none" ? { records: collected.map(({ body }) => body) } : {}),
  };
}

const maxShownRecords = 1_000;
const maxWhole = 10_000;

function tooMany(): TaskError {
  return new TaskError("too_many_records", `More than ${maxWhole} records came; they are only stored all at once.`);
}

/** The record as the hub takes it; one that cannot be mapped says so, and does not hold up the others. */
function toItem({ mappings }: AttemptWork, record: PulledRecord, checkpoint: Checkpoint, sampler: Sampler): PulledItem {
  const { externalId, updatedAt, raw, canonical } = record;
  const mapped = mappings.inbound?.map(raw) ?? { ok: true as const, output: canonical };
  sampler.add(raw, mapped);
  const errors = mapped.ok ? findUnstorableText([externalId, mapped.output]) : mapped.errors;
  if (mapped.ok && errors.length === 0) return { externalId, updatedAt, body: mapped.output };
  const code = mapped.ok ? "text_not_storable" : "transformation_failed";
  const shownId = externalId.replaceAll("\u0000", "").toWellFormed();
  addCounts(checkpoint, {
    counts: { failed: 1 },
    failures: [{ externalId: shownId, code, errors: errors.slice(0, 5) }],
  });
  const [{ target = "", message }] = errors as [{ target?: string; message: string }];
  return {
    externalId: shownId,
    updatedAt,
    body: {},
    failure: { code, message: target ? `${target}: ${message}` : message },
  };
}

function addCounts(checkpoint: Checkpoint, { counts, failures, conflicts = [] }: Stored): void {
  for (const [name, count] of Object.entries(counts)) {
    checkpoint.counts[name] = (checkpoint.counts[name] ?? 0) + count;
  }
  checkpoint.failures = [...checkpoint.failures, ...failures].slice(0, maxShownFailures);
  checkpoint.conflicts = [...(checkpoint.conflicts ?? []), ...conflicts].slice(0, maxShownFailures);
}

function superseded(): TaskError {
  return new TaskError("superseded", "Another attempt of this execution, or a cancel, came first.");
}
