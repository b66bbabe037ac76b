import type { FieldError } from "../../core/errors.ts";
import { HubError, validationFailed } from "../../core/errors.ts";
import { mergePatch } from "../../core/merge-patch.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { found } from "../../core/resources.ts";
import { checkVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { recordEvent, recordEvents } from "../../events/record-event.ts";
import { holdBridge } from "../bridges/bridges.ts";
import { enqueueExecutions, listExecutions, requireTask } from "../tasks/tasks.ts";
import { parseCron, storedCron } from "./cron/cron.ts";
import { describeCron } from "./cron/cron-describe.ts";
import { nextOccurrence } from "./cron/cron-occurrences.ts";
import { upcomingRuns } from "./cron/cron-upcoming.ts";
import { presentSchedule } from "./present-schedule.ts";
import { scheduleNow } from "./schedule-clock.ts";
import type {
  PreviewRequest,
  Schedule,
  ScheduleExecutionQuery,
  SchedulePatch,
  ScheduleQuery,
  ScheduleRequest,
} from "./schedules.schemas.ts";
import type { ScheduleValues, ShownScheduleRow } from "./schedules.store.ts";
import * as store from "./schedules.store.ts";
import { parseZone } from "./cron/zones.ts";

export { fireDueSchedules, rewindSchedules, timeUntilDue } from "./fire-schedules.ts";

export async function listSchedules(ctx: Ctx, query: ScheduleQuery): Promise<Page<Schedule>> {
  return mapPage(await store.listSchedules(ctx.db, ctx.orgId, query), presentSchedule);
}

export async function getSchedule(ctx: Ctx, id: string): Promise<Schedule> {
  return presentSchedule(await find(ctx.db, ctx, id));
}

export async function createSchedule(ctx: Ctx, request: ScheduleRequest): Promise<Schedule> {
  const { cron, timezone } = checkTiming(request.cron, request.timezone ?? "UTC");
  const { bridgeId, taskName, input = {}, isActive = true } = request;
  await requireTask(ctx, { bridgeId, taskName, input });
  return await change(ctx, async (tx) => {
    await holdBridge(tx, ctx, bridgeId);
    const at = ctx.clock.now();
    const row = await store.insertSchedule(tx, ctx.orgId, {
      id: ctx.newId(),
      name: request.name ?? null,
      bridge_id: bridgeId,
      task_name: taskName,
      cron: cron.expression,
      timezone,
      input,
      overlap: request.overlap ?? "skip",
      missed: request.missed ?? "once",
      at,
      ...(isActive ? await activeFrom(tx, ctx, { cron: cron.expression, timezone }) : pausedBy(ctx, at)),
    });
    const data = { ...request, cron: row.cron, timezone, version: row.version };
    await recordEvent(tx, ctx, { type: "schedule.created", objectId: row.id, data });
    return presentSchedule(row);
  });
}

export async function updateSchedule(
  ctx: Ctx,
  id: string,
  patch: SchedulePatch,
  ifMatch: number | undefined,
): Promise<Schedule> {
  requirePatch(patch);
  const before = await find(ctx.db, ctx, id);
  const { cron, timezone } = checkTiming(patch.cron ?? before.cron, patch.timezone ?? before.timezone);
  const asksForAnother =
    patch.bridgeId !== undefined ||
    patch.taskName !== undefined ||
    patch.input !== undefined ||
    patch.isActive === true;
  const { bridgeId = before.bridge_id, taskName = before.task_name } = patch;
  if (asksForAnother) await requireTask(ctx, { bridgeId, taskName, input: mergeInput(before, patch) });
  return await change(ctx, async (tx) => {
    if (asksForAnother) await holdBridge(tx, ctx, bridgeId);
    const row = await lock(tx, ctx, id);
    checkVersion(row, ifMatch);
    if (asksForAnother && patch.bridgeId === undefined) refuseMoved(before, row);
    const values: ScheduleValues = {
      ...row,
      name: patch.name === undefined ? row.name : patch.name,
      bridge_id: patch.bridgeId ?? row.bridge_id,
      task_name: patch.taskName ?? row.task_name,
      cron: patch.cron === undefined ? row.cron : cron.expression,
      timezone: patch.timezone === undefined ? row.timezone : timezone,
      input: mergeInput(row, patch),
      overlap: patch.overlap ?? row.overlap,
      missed: patch.missed ?? row.missed,
      at: ctx.clock.now(),
    };
    const isActive = patch.isActive ?? row.is_active;
    const hasOtherTimes = values.cron !== row.cron || values.timezone !== row.timezone;
    // Only another timing moves the next run; whatever else is changed, the cadence stays.
    if (isActive && (!row.is_active || hasOtherTimes)) Object.assign(values, await activeFrom(tx, ctx, values));
    if (!isActive && row.is_active) Object.assign(values, pausedBy(ctx, values.at));
    const updated = await store.updateSchedule(tx, ctx.orgId, values);
    const data = { ...patch, version: updated.version };
    await recordEvent(tx, ctx, { type: "schedule.updated", objectId: id, data });
    return presentSchedule(updated);
  });
}

function mergeInput({ input }: ShownScheduleRow, patch: SchedulePatch): ShownScheduleRow["input"] {
  return mergePatch(input, patch.input ?? {}) as ShownScheduleRow["input"];
}

export async function deleteSchedule(ctx: Ctx, id: string, ifMatch: number | undefined) {
  return await change(ctx, async (tx) => {
    const row = await lock(tx, ctx, id);
    checkVersion(row, ifMatch);
    await store.deleteSchedule(tx, ctx.orgId, id);
    const data = { name: row.name, taskName: row.task_name, version: row.version };
    await recordEvent(tx, ctx, { type: "schedule.deleted", objectId: id, data });
    return { id, deleted: true as const };
  });
}

/** Nothing fires after the answer: firing needs the row that is locked here. */
export async function pauseSchedule(ctx: Ctx, id: string) {
  return await change(ctx, async (tx) => {
    const row = await lock(tx, ctx, id);
    if (!row.is_active) return { ...presentSchedule(row), changed: false };
    const at = ctx.clock.now();
    const paused = await store.updateSchedule(tx, ctx.orgId, { ...row, ...pausedBy(ctx, at), at });
    await recordEvent(tx, ctx, { type: "schedule.paused", objectId: id, data: { version: paused.version } });
    return { ...presentSchedule(paused), changed: true };
  });
}

/** Goes on with the first occurrence after now: what fell into the pause is not caught up. */
export async function resumeSchedule(ctx: Ctx, id: string) {
  const before = await find(ctx.db, ctx, id);
  if (!before.is_active) await requireTaskOf(ctx, before);
  return await change(ctx, async (tx) => {
    await explainGone(holdBridge(tx, ctx, before.bridge_id));
    const row = await lock(tx, ctx, id);
    if (row.is_active) return { ...presentSchedule(row), changed: false };
    refuseMoved(before, row);
    const at = ctx.clock.now();
    const resumed = await store.updateSchedule(tx, ctx.orgId, { ...row, ...(await activeFrom(tx, ctx, row)), at });
    const data = { nextRunAt: resumed.next_run_at?.toISOString() ?? null, version: resumed.version };
    await recordEvent(tx, ctx, { type: "schedule.resumed", objectId: id, data });
    return { ...presentSchedule(resumed), changed: true };
  });
}

/** One run now, also while paused; the cadence stays as it is. */
export async function triggerSchedule(ctx: Ctx, id: string) {
  const checked = await requireTaskOf(ctx, await find(ctx.db, ctx, id));
  return await change(ctx, async (tx) => {
    const row = await lock(tx, ctx, id);
    const at = ctx.clock.now();
    const options = { trigger: "manual_schedule", scheduleId: id } as const;
    const [execution] = await enqueueExecutions(tx, ctx, [{ ...checked, ...options }]);
    await store.noteRuns(tx, ctx.orgId, id, { count: 1, lastExecutionId: execution!.id, at });
    await recordEvent(tx, ctx, { type: "schedule.triggered", objectId: id, data: { executionId: execution!.id } });
    return {
      scheduleId: id,
      executionId: execution!.id,
      status: execution!.status,
      triggeredAt: at.toISOString(),
      nextRunAt: row.next_run_at?.toISOString() ?? null,
    };
  });
}

export async function previewSchedule(ctx: Ctx, request: PreviewRequest) {
  const { cron, timezone } = checkTiming(request.cron, request.timezone ?? "UTC");
  const from = request.from === undefined ? await scheduleNow(ctx, ctx.db) : Date.parse(request.from);
  return {
    cron: cron.expression,
    timezone,
    description: describeCron(cron, timezone),
    upcoming: upcomingRuns(cron, timezone, from, request.count ?? 5),
  };
}

export async function listScheduleExecutions(ctx: Ctx, id: string, query: ScheduleExecutionQuery) {
  await find(ctx.db, ctx, id);
  return await listExecutions(ctx, { ...query, scheduleId: id });
}

/** What an execution of this schedule needs, or the reason why there can be none. */
export async function requireTaskOf(ctx: Ctx, row: ShownScheduleRow) {
  const { bridge_id: bridgeId, task_name: taskName, input } = row;
  const task = await explainGone(requireTask(ctx, { bridgeId, taskName, input }));
  return { ...task, input };
}

async function explainGone<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    // The schedule itself was found: that its bridge is gone is a state of it.
    if (error instanceof HubError && error.code === "bridge_not_found") {
      throw new HubError("bridge_inactive", "The bridge of this schedule was deleted. Give it another one.");
    }
    throw error;
  }
}

/** What was checked, and held, is the bridge it had a moment ago. */
function refuseMoved(before: ShownScheduleRow, row: ShownScheduleRow): void {
  if (row.bridge_id === before.bridge_id) return;
  throw new HubError("conflict", "Somebody else gave the schedule another bridge in the same moment.");
}

/** Their bridge is being deleted. They stay, and can be given another one. */
export async function pauseSchedulesOf(tx: Tx, ctx: Ctx, bridgeId: string): Promise<number> {
  const paused = await store.pauseSchedulesOf(tx, ctx.orgId, bridgeId, { by: ctx.actor, at: ctx.clock.now() });
  const reason = "bridge_deleted";
  await recordEvents(
    tx,
    ctx,
    paused.map(({ id, version }) => ({ type: "schedule.paused", objectId: id, data: { reason, bridgeId, version } })),
  );
  return paused.length;
}

function checkTiming(expression: string, zone: string) {
  const parsed = parseCron(expression);
  const named = parseZone(zone);
  const errors: FieldError[] = [...(parsed.errors ?? []), ...(named.errors ?? [])];
  if (!parsed.cron || named.zone === undefined) throw validationFailed(errors);
  return { cron: parsed.cron, timezone: named.zone };
}

/** Sleeping schedulers have to know of it. */
async function activeFrom(tx: Tx, ctx: Ctx, { cron, timezone }: { cron: string; timezone: string }) {
  await ctx.signals.publish(tx, "schedule", "");
  const next = nextOccurrence(storedCron(cron), timezone, await scheduleNow(ctx, tx));
  return { is_active: true, paused_at: null, paused_by: null, next_run_at: new Date(next), waiting_for: null };
}

function pausedBy(ctx: Ctx, at: Date) {
  return { is_active: false, paused_at: at, paused_by: ctx.actor, next_run_at: null, waiting_for: null };
}

export async function find(db: Queryable, ctx: Ctx, id: string): Promise<ShownScheduleRow> {
  return found(await store.findSchedule(db, ctx.orgId, id), "schedule");
}

async function lock(tx: Tx, ctx: Ctx, id: string): Promise<ShownScheduleRow> {
  return found(await store.lockSchedule(tx, ctx.orgId, id), "schedule");
}
