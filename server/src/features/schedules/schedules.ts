import { HubError } from "../../core/errors.ts";
import { maskValues } from "../../core/mask-secrets.ts";
import { mergePatch } from "../../core/merge-patch.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, nextVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent, recordEvents } from "../../events/record-event.ts";
import { holdBridge } from "../bridges/bridges.ts";
import { findTimeZone } from "../organizations/organizations.ts";
import { enqueueExecutions, listExecutions, presentTaskInput, requireTask } from "../tasks/tasks.ts";
import { storedCron } from "./cron/cron.ts";
import { describeCron } from "./cron/cron-describe.ts";
import { nextOccurrence } from "./cron/cron-occurrences.ts";
import { upcomingRuns } from "./cron/cron-upcoming.ts";
import { scheduleNow } from "./schedule-clock.ts";
import { requireExecute } from "./schedule-owner.ts";
import { checkTiming } from "./schedule-timing.ts";
import type {
  PreviewRequest,
  Schedule,
  ScheduleExecutionQuery,
  SchedulePatch,
  ScheduleQuery,
  ScheduleRequest,
} from "./schedules.schemas.ts";
import type { StoredSchedule } from "./schedules.store.ts";
import * as store from "./schedules.store.ts";

export { scheduleNow } from "./schedule-clock.ts";
export { requireExecute } from "./schedule-owner.ts";
export { checkTiming, nextTime } from "./schedule-timing.ts";
export { fireDueSchedules, readScheduleLag, rewindSchedules, timeUntilDue } from "./fire-schedules.ts";

export async function listSchedules(ctx: Ctx, query: ScheduleQuery): Promise<Page<Schedule>> {
  return mapPage(await store.listSchedules(ctx.db, ctx.orgId, query), (schedule) => presentSchedule(ctx, schedule));
}

export async function getSchedule(ctx: Ctx, id: string): Promise<Schedule> {
  return presentSchedule(ctx, await store.getSchedule(ctx.db, ctx.orgId, id));
}

const shownRuns = 5;

function presentSchedule(ctx: Ctx, schedule: StoredSchedule): Schedule {
  const { timezone, nextRunAt } = schedule;
  const cron = storedCron(schedule.cron);
  const upcoming = nextRunAt === null ? [] : upcomingRuns(cron, timezone, Date.parse(nextRunAt) - 1, shownRuns);
  const input = presentTaskInput(ctx, schedule.input);
  return { ...schedule, input, description: describeCron(cron, timezone), upcoming };
}

export async function createSchedule(ctx: Ctx, request: ScheduleRequest): Promise<Schedule> {
  requireExecute(ctx);
  const { cron, timezone } = checkTiming(request.cron, request.timezone ?? (await findTimeZone(ctx, ctx.orgId)));
  const { bridgeId, taskName, input = {} } = request;
  await requireTask(ctx, { bridgeId, taskName, input });
  return await change(ctx, async (tx) => {
    await holdBridge(tx, ctx, bridgeId);
    return await addSchedule(tx, ctx, request, { cron: cron.expression, timezone });
  });
}

/** In a transaction of the caller, which has checked the permission, the task and the timing, and holds the bridge. */
export async function addSchedule(
  tx: Tx,
  ctx: Ctx,
  request: ScheduleRequest,
  timing: { cron: string; timezone: string },
): Promise<Schedule> {
  const at = ctx.clock.now();
  const schedule: StoredSchedule = {
    id: ctx.newId(),
    name: request.name ?? null,
    bridgeId: request.bridgeId,
    taskName: request.taskName,
    ...timing,
    input: request.input ?? {},
    overlap: request.overlap ?? "skip",
    missed: request.missed ?? "once",
    ...((request.isActive ?? true) ? await activeFrom(tx, ctx, timing) : pausedBy(ctx, at)),
    owner: ctx.actor,
    lastRunAt: null,
    lastExecution: null,
    lastSkippedRun: null,
    counters: { runs: 0, failures: 0, skippedForOverlap: 0, missed: 0 },
    createdAt: at.toISOString(),
    updatedAt: at.toISOString(),
    version: 1,
  };
  await store.insertSchedule(tx, ctx.orgId, schedule);
  const data = { ...withoutValues(request), ...timing, version: 1 };
  recordEvent(tx, ctx, { type: "schedule.created", objectId: schedule.id, data });
  return presentSchedule(ctx, schedule);
}

/** A caller who changes what the schedule runs, or when, becomes its owner. Renaming and pausing do not. */
export async function updateSchedule(ctx: Ctx, id: string, patch: SchedulePatch, ifMatch: IfMatch): Promise<Schedule> {
  requirePatch(patch);
  const before = await store.getSchedule(ctx.db, ctx.orgId, id);
  const { name: _name, isActive, ...others } = patch;
  const isTakenOver = isActive === true || Object.keys(others).length > 0;
  if (isTakenOver) requireExecute(ctx);
  const { cron, timezone } = checkTiming(patch.cron ?? before.cron, patch.timezone ?? before.timezone);
  const asksForAnother =
    patch.bridgeId !== undefined ||
    patch.taskName !== undefined ||
    patch.input !== undefined ||
    patch.isActive === true;
  const { bridgeId = before.bridgeId, taskName = before.taskName } = patch;
  const isStored = patch.input === undefined;
  if (asksForAnother) await requireTask(ctx, { bridgeId, taskName, input: mergeInput(before, patch), isStored });
  return await change(ctx, async (tx) => {
    if (asksForAnother) await holdBridge(tx, ctx, bridgeId);
    const current = await store.lockSchedule(tx, ctx.orgId, id);
    checkVersion(current, ifMatch);
    if (asksForAnother && patch.bridgeId === undefined) refuseMoved(before, current);
    const at = ctx.clock.now();
    const changes = {
      ...patch,
      cron: patch.cron === undefined ? current.cron : cron.expression,
      timezone: patch.timezone === undefined ? current.timezone : timezone,
      input: mergeInput(current, patch),
      owner: isTakenOver ? ctx.actor : current.owner,
    };
    const updated = nextVersion(current, changes, at);
    const hasOtherTimes = updated.cron !== current.cron || updated.timezone !== current.timezone;
    // Only a change of timing recalculates the next run.
    if (updated.isActive && (!current.isActive || hasOtherTimes)) {
      Object.assign(updated, await activeFrom(tx, ctx, updated));
    }
    if (!updated.isActive && current.isActive) Object.assign(updated, pausedBy(ctx, at));
    await store.updateSchedule(tx, ctx.orgId, updated);
    const data = { ...withoutValues(patch), version: updated.version };
    recordEvent(tx, ctx, { type: "schedule.updated", objectId: id, data });
    return presentSchedule(ctx, updated);
  });
}

/** Audit entries are never deleted, so they name the members of the input without the values. */
function withoutValues<T extends { input?: Record<string, unknown> }>({ input, ...rest }: T) {
  return { ...rest, ...(input ? { input: maskValues(input) as Record<string, unknown> } : {}) };
}

function mergeInput({ input }: StoredSchedule, patch: SchedulePatch): StoredSchedule["input"] {
  return mergePatch(input, patch.input ?? {}) as StoredSchedule["input"];
}

export async function deleteSchedule(ctx: Ctx, id: string, ifMatch: IfMatch) {
  return await change(ctx, async (tx) => {
    const { name, taskName, version } = await store.lockSchedule(tx, ctx.orgId, id);
    checkVersion({ version }, ifMatch);
    await store.deleteSchedule(tx, ctx.orgId, id);
    const data = { name, taskName, version };
    recordEvent(tx, ctx, { type: "schedule.deleted", objectId: id, data });
    return { id, deleted: true as const };
  });
}

/** No run starts after the response, since firing needs the row that is locked here. */
export async function pauseSchedule(ctx: Ctx, id: string) {
  return await change(ctx, async (tx) => {
    const current = await store.lockSchedule(tx, ctx.orgId, id);
    if (!current.isActive) return { ...presentSchedule(ctx, current), changed: false };
    const at = ctx.clock.now();
    const paused = nextVersion(current, pausedBy(ctx, at), at);
    await store.updateSchedule(tx, ctx.orgId, paused);
    recordEvent(tx, ctx, { type: "schedule.paused", objectId: id, data: { version: paused.version } });
    return { ...presentSchedule(ctx, paused), changed: true };
  });
}

/** The next run is the first occurrence after now; runs missed during the pause are not caught up. */
export async function resumeSchedule(ctx: Ctx, id: string) {
  const before = await store.getSchedule(ctx.db, ctx.orgId, id);
  requireExecute(ctx);
  if (!before.isActive) await requireTaskOf(ctx, before);
  return await change(ctx, async (tx) => {
    await explainGone(holdBridge(tx, ctx, before.bridgeId));
    const current = await store.lockSchedule(tx, ctx.orgId, id);
    if (current.isActive) return { ...presentSchedule(ctx, current), changed: false };
    refuseMoved(before, current);
    const changes = { ...(await activeFrom(tx, ctx, current)), owner: ctx.actor };
    const resumed = nextVersion(current, changes, ctx.clock.now());
    await store.updateSchedule(tx, ctx.orgId, resumed);
    const data = { nextRunAt: resumed.nextRunAt, version: resumed.version };
    recordEvent(tx, ctx, { type: "schedule.resumed", objectId: id, data });
    return { ...presentSchedule(ctx, resumed), changed: true };
  });
}

/** Runs once now, also while paused, and does not move the next run. */
export async function triggerSchedule(ctx: Ctx, id: string) {
  const before = await store.getSchedule(ctx.db, ctx.orgId, id);
  requireExecute(ctx);
  const checked = await requireTaskOf(ctx, before);
  return await change(ctx, async (tx) => {
    const { nextRunAt } = await store.lockSchedule(tx, ctx.orgId, id);
    const at = ctx.clock.now();
    const options = { trigger: "manual", scheduleId: id } as const;
    const [execution] = await enqueueExecutions(tx, ctx, [{ ...checked, ...options }]);
    await store.noteRuns(tx, ctx.orgId, id, { count: 1, lastExecutionId: execution!.id, at });
    recordEvent(tx, ctx, { type: "schedule.triggered", objectId: id, data: { executionId: execution!.id } });
    return {
      scheduleId: id,
      executionId: execution!.id,
      status: execution!.status,
      triggeredAt: at.toISOString(),
      nextRunAt,
    };
  });
}

export async function previewSchedule(ctx: Ctx, request: PreviewRequest) {
  const { cron, timezone } = checkTiming(request.cron, request.timezone ?? (await findTimeZone(ctx, ctx.orgId)));
  const from = request.from === undefined ? await scheduleNow(ctx, ctx.db) : Date.parse(request.from);
  return {
    cron: cron.expression,
    timezone,
    description: describeCron(cron, timezone),
    upcoming: upcomingRuns(cron, timezone, from, request.count ?? 5),
  };
}

export async function listScheduleExecutions(ctx: Ctx, id: string, query: ScheduleExecutionQuery) {
  await store.getSchedule(ctx.db, ctx.orgId, id);
  return await listExecutions(ctx, { ...query, scheduleId: id });
}

/** Checks that the task of the schedule can be executed. */
export async function requireTaskOf(ctx: Ctx, { bridgeId, taskName, input }: StoredSchedule) {
  const task = await explainGone(requireTask(ctx, { bridgeId, taskName, input, isStored: true }));
  return { ...task, input };
}

async function explainGone<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    // A 404 would be about the schedule, which exists.
    if (error instanceof HubError && error.code === "bridge_not_found") {
      throw new HubError("bridge_inactive", "The bridge of this schedule was deleted. Assign another bridge.");
    }
    throw error;
  }
}

/** The bridge was checked before the schedule was locked, so it may have changed. */
function refuseMoved(before: StoredSchedule, current: StoredSchedule): void {
  if (current.bridgeId === before.bridgeId) return;
  throw new HubError("conflict", "The bridge of the schedule was changed by another request. Try again.");
}

/** Pauses the schedules of a bridge that is being deleted. They are kept, and can be assigned to another bridge. */
export async function pauseSchedulesOf(tx: Tx, ctx: Ctx, bridgeId: string): Promise<number> {
  const reason = "bridge_deleted";
  const paused = await store.pauseSchedulesOf(tx, ctx.orgId, bridgeId, {
    by: ctx.actor,
    reason: { code: reason, message: "The bridge was deleted. Assign another bridge, then resume the schedule." },
    at: ctx.clock.now(),
  });
  recordEvents(
    tx,
    ctx,
    paused.map(({ id, version }) => ({ type: "schedule.paused", objectId: id, data: { reason, bridgeId, version } })),
  );
  return paused.length;
}

/** Wakes schedulers, which sleep until the next run they know of. */
async function activeFrom(tx: Tx, ctx: Ctx, { cron, timezone }: { cron: string; timezone: string }) {
  await ctx.signals.publish(tx, "schedule", "");
  const next = nextOccurrence(storedCron(cron), timezone, await scheduleNow(ctx, tx));
  return {
    isActive: true,
    pausedAt: null,
    pausedBy: null,
    pauseReason: null,
    nextRunAt: new Date(next).toISOString(),
    deferredRunAt: null,
  };
}

function pausedBy(ctx: Ctx, at: Date) {
  const pausedAt = at.toISOString();
  return { isActive: false, pausedAt, pausedBy: ctx.actor, pauseReason: null, nextRunAt: null, deferredRunAt: null };
}
