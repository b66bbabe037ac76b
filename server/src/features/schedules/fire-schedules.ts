import type { Actor } from "../../core/actor.ts";
import type { World } from "../../context.ts";
import { systemContext } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { ForeignEvent } from "../../events/record-event.ts";
import { recordEventsAcrossOrgs } from "../../events/record-event.ts";
import type { OpenBridge } from "../bridges/bridge-tasks.ts";
import { findTask, findUnusable, tryOpenBridge } from "../bridges/bridge-tasks.ts";
import { findBridgesAcrossOrgs } from "../bridges/bridges.ts";
import type { CheckedTask } from "../tasks/tasks.ts";
import { cancelExecutions, enqueueExecutions } from "../tasks/tasks.ts";
import { storedCron } from "./cron/cron.ts";
import { nextOccurrence } from "./cron/cron-occurrences.ts";
import type { Firing } from "./decide-firing.ts";
import { decideFiring } from "./decide-firing.ts";
import type { FiringResult, ScheduleRow } from "./firing.store.ts";
import * as store from "./firing.store.ts";
import { asSet, scheduleNow } from "./schedule-clock.ts";
import { findPauseReasons } from "./schedule-owner.ts";

const batchSize = 100;
const pollDeferredMs = 1_000;
/** Delay for a schedule whose cron expression cannot be read; otherwise it would be first in every batch. */
const unreadableDelayMs = 3_600_000;

/** Milliseconds until something is due; 0: now. */
export async function timeUntilDue(world: World, longestMs: number): Promise<number> {
  const { next_run_at, has_deferred, is_released, now } = await store.findNextDueAcrossOrgs(world.db);
  if (is_released) return 0;
  const longest = has_deferred ? Math.min(longestMs, pollDeferredMs) : longestMs;
  return next_run_at ? Math.max(0, Math.min(longest, next_run_at.getTime() - asSet(world, now))) : longest;
}

/** Fires all due schedules. Safe to call on any number of nodes at the same time. */
export async function fireDueSchedules(world: World, stopping?: AbortSignal): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await world.db.transaction((tx) => fireBatch(tx, world));
    total += count;
    if (count === 0 || stopping?.aborted) return total;
  }
}

type Planned = { row: ScheduleRow; firing: Firing; open: string[]; task: CheckedTask | undefined; problem?: string };

/** Executions and schedules are committed together, so that no occurrence is lost or run twice. */
async function fireBatch(tx: Tx, world: World): Promise<number> {
  const now = await scheduleNow(world, tx);
  const due = await store.lockDueAcrossOrgs(tx, new Date(now), batchSize);
  const released = await store.lockReleasedAcrossOrgs(tx, batchSize);
  const locked = [...new Map([...due, ...released].map((row) => [row.id, row])).values()];
  if (locked.length === 0) return 0;
  const rows = await pauseUnauthorized(tx, world, locked, new Date(now));
  const open = Map.groupBy(
    await store.findOpenExecutionsAcrossOrgs(
      tx,
      rows.map(({ id }) => id),
    ),
    ({ schedule_id }) => schedule_id,
  );
  const bridges = await loadBridges(tx, world, rows);
  const plans = rows.map((row) => {
    const openIds = (open.get(row.id) ?? []).map(({ id }) => id);
    return { row, open: openIds, ...decide(world, row, openIds.length, now), ...findTaskOf(world, row, bridges) };
  });
  const queued = new Map<string, string[]>();
  for (const [orgId, ofOrg] of Map.groupBy(plans, ({ row }) => row.org_id))
    await enqueue(tx, world, orgId, ofOrg, queued);
  const results = plans.map((plan) => resultOf(plan, queued.get(plan.row.id) ?? []));
  await store.saveFiringsAcrossOrgs(tx, results, new Date(now));
  recordEventsAcrossOrgs(
    tx,
    world,
    results.flatMap((result, index) => skipEvents(plans[index]!.row, result)),
  );
  return locked.length;
}

const scheduler: Actor = { type: "system", name: "scheduler" };

/** Pauses schedules whose owner may no longer execute tasks, and returns the others. */
async function pauseUnauthorized(tx: Tx, world: World, rows: ScheduleRow[], at: Date): Promise<ScheduleRow[]> {
  const owned = rows.map(({ id, org_id: orgId, owner }) => ({ id, orgId, owner }));
  const reasons = await findPauseReasons(world, tx, owned);
  if (reasons.size === 0) return rows;
  const paused = [...reasons].map(([id, reason]) => ({ id, reason }));
  const orgIds = new Map(rows.map(({ id, org_id }) => [id, org_id]));
  const saved = await store.pauseSchedulesAcrossOrgs(tx, paused, { by: scheduler, at });
  recordEventsAcrossOrgs(
    tx,
    world,
    saved.map(({ id, version }) => ({
      orgId: orgIds.get(id)!,
      actor: scheduler,
      requestId: "system:scheduler",
      type: "schedule.paused",
      objectId: id,
      data: { reason: reasons.get(id)!.code, version },
    })),
  );
  return rows.filter(({ id }) => !reasons.has(id));
}

function decide(world: World, row: ScheduleRow, openCount: number, now: number): { firing: Firing } {
  try {
    const firing = decideFiring({
      cron: storedCron(row.cron),
      timezone: row.timezone,
      overlap: row.overlap,
      missed: row.missed,
      nextRunAt: row.next_run_at?.getTime(),
      deferredRunAt: row.deferred_run_at?.getTime(),
      deferredUntil: row.deferred_until?.getTime(),
      openCount,
      now,
    });
    return { firing };
  } catch (error) {
    world.log.error({ err: error, scheduleId: row.id }, "schedule cannot be read; delayed by an hour");
    const nothing = {
      run: [],
      deferredRunAt: undefined,
      deferredUntil: undefined,
      cancelsOpen: false,
      missedCount: 0,
      overlapped: [],
    };
    return { firing: { ...nothing, next: now + unreadableDelayMs } };
  }
}

/** Undefined: the bridge exists and cannot be opened. That skips its own schedules only. */
async function loadBridges(tx: Tx, world: World, rows: ScheduleRow[]): Promise<Map<string, OpenBridge | undefined>> {
  const found = await findBridgesAcrossOrgs(tx, [...new Set(rows.map((row) => row.bridge_id))]);
  return new Map(found.map((bridge) => [bridge.id, tryOpenBridge(world, bridge)]));
}

function findTaskOf(
  world: World,
  row: ScheduleRow,
  bridges: ReadonlyMap<string, OpenBridge | undefined>,
): { task: CheckedTask | undefined; problem?: string } {
  if (!bridges.has(row.bridge_id)) return { task: undefined, problem: "The bridge was deleted." };
  const bridge = bridges.get(row.bridge_id);
  if (!bridge) return { task: undefined, problem: "The connector of the bridge is not installed in this hub." };
  const unusable = findUnusable(world, bridge);
  if (unusable) return { task: undefined, problem: unusable.message };
  const task = findTask(bridge, row.task_name);
  if (!task)
    return { task: undefined, problem: `The bridge ${bridge.row.name} no longer has the task ${row.task_name}.` };
  return { task: { bridge, task, input: row.input } };
}

async function enqueue(
  tx: Tx,
  world: World,
  orgId: string,
  plans: Planned[],
  queued: Map<string, string[]>,
): Promise<void> {
  const ctx = systemContext(world, orgId, "scheduler");
  const cancelled = plans.filter(({ firing, task }) => task && firing.cancelsOpen).flatMap(({ open }) => open);
  if (cancelled.length > 0) await cancelExecutions(tx, ctx, cancelled);
  const requests = plans.flatMap(({ row, firing, task }) =>
    task
      ? firing.run.map(
          (at) => ({ ...task, trigger: "schedule", scheduleId: row.id, scheduledFor: new Date(at) }) as const,
        )
      : [],
  );
  for (const execution of await enqueueExecutions(tx, ctx, requests)) {
    const ids = queued.get(execution.schedule_id!) ?? [];
    queued.set(execution.schedule_id!, [...ids, execution.id]);
  }
}

function resultOf({ row, firing, problem }: Planned, queued: string[]): FiringResult {
  const isBlocked = problem !== undefined && firing.run.length > 0;
  const skipped = isBlocked
    ? { at: firing.run.at(-1)!, reason: "bridge_inactive", message: problem }
    : firing.overlapped.length > 0
      ? { at: firing.overlapped.at(-1)!, reason: "overlap", message: "The previous run had not ended." }
      : undefined;
  return {
    id: row.id,
    next_run_at: firing.next === undefined ? null : new Date(firing.next).toISOString(),
    deferred_run_at: firing.deferredRunAt === undefined ? null : new Date(firing.deferredRunAt).toISOString(),
    deferred_until: firing.deferredUntil === undefined ? null : new Date(firing.deferredUntil).toISOString(),
    runs: queued.length,
    skipped: firing.overlapped.length,
    missed: firing.missedCount + (isBlocked ? firing.run.length : 0),
    last_execution_id: queued.at(-1) ?? null,
    last_skipped: skipped
      ? { scheduledFor: new Date(skipped.at).toISOString(), reason: skipped.reason, message: skipped.message }
      : null,
  };
}

/** A run has the events of its execution; a skipped one needs an event of its own. */
function skipEvents(row: ScheduleRow, result: FiringResult): ForeignEvent[] {
  if (result.skipped === 0 && result.missed === 0) return [];
  const { skipped, missed, runs, last_skipped } = result;
  return [
    {
      orgId: row.org_id,
      actor: scheduler,
      requestId: "system:scheduler",
      type: "schedule.runs_skipped",
      objectId: row.id,
      data: { skippedForOverlap: skipped, missed, ran: runs, lastSkippedRun: last_skipped },
    },
  ];
}

/** After the preview clock was set back: occurrences that are in the future again become the next run. */
export async function rewindSchedules(world: World): Promise<void> {
  await world.db.transaction(async (tx) => {
    const now = await scheduleNow(world, tx);
    const rows = await store.lockLaterAcrossOrgs(tx, new Date(now));
    const earlier = rows
      .map((row) => ({ row, next: nextOccurrence(storedCron(row.cron), row.timezone, now) }))
      .filter(({ row, next }) => next < row.next_run_at!.getTime());
    await store.saveNextRunsAcrossOrgs(
      tx,
      earlier.map(({ row }) => row.id),
      earlier.map(({ next }) => new Date(next)),
    );
  });
}

/** Seconds since the oldest due run should have started. */
export async function readScheduleLag({ db, clock }: World): Promise<number> {
  return await store.readLagAcrossOrgs(db, clock.now());
}
