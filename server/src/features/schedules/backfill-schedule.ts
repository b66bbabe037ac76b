import { badField } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { enqueueExecutions } from "../tasks/tasks.ts";
import { storedCron } from "./cron/cron.ts";
import { occurrencesAfter } from "./cron/cron-occurrences.ts";
import { localTimeOf } from "./cron/cron-upcoming.ts";
import { scheduleNow } from "./schedule-clock.ts";
import { requireExecute } from "./schedule-owner.ts";
import type { BackfillAnswer, BackfillRequest } from "./schedules.schemas.ts";
import { maxBackfill } from "./schedules.schemas.ts";
import { requireTaskOf } from "./schedules.ts";
import type { StoredSchedule } from "./schedules.store.ts";
import * as store from "./schedules.store.ts";

/** Queues a run for each past occurrence in the range that has no execution. Also works while the schedule is paused. */
export async function backfillSchedule(ctx: Ctx, id: string, request: BackfillRequest): Promise<BackfillAnswer> {
  const row = await store.getSchedule(ctx.db, ctx.orgId, id);
  if (!request.dryRun) requireExecute(ctx);
  const times = occurrencesIn(row, request, await scheduleNow(ctx, ctx.db));
  if (request.dryRun) {
    const known = await executionsOf(ctx, ctx.db, id, times);
    return present(row, times, known, new Map(), true);
  }
  const checked = await requireTaskOf(ctx, row);
  return await change(ctx, async (tx) => {
    const known = await executionsOf(ctx, tx, id, times);
    const missing = times.filter((at) => !known.has(at));
    const made = await enqueueExecutions(
      tx,
      ctx,
      missing.map((at) => ({ ...checked, trigger: "backfill", scheduleId: id, scheduledFor: new Date(at) }) as const),
    );
    const last = made.at(-1);
    if (last) {
      const runs = { count: made.length, lastExecutionId: last.id, at: ctx.clock.now() };
      await store.noteRuns(tx, ctx.orgId, id, runs);
    }
    const { from, to } = request;
    const data = { from, to, queued: made.length };
    recordEvent(tx, ctx, { type: "schedule.backfilled", objectId: id, data });
    const queued = new Map(made.map((execution) => [execution.scheduled_for!.getTime(), execution.id]));
    return present(row, times, known, queued, false);
  });
}

function occurrencesIn(row: StoredSchedule, { from, to }: BackfillRequest, now: number): number[] {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  if (end <= start) throw badField("/to", "ends_before_start", "`to` must be later than `from`.");
  if (end > now)
    throw badField("/to", "date_in_future", "Only past runs can be backfilled; future runs are scheduled.");
  const times: number[] = [];
  for (const at of occurrencesAfter(storedCron(row.cron), row.timezone, start - 1)) {
    if (at >= end) break;
    if (times.push(at) > maxBackfill) {
      throw badField("/to", "too_many_runs", `The range has more than ${maxBackfill} runs. Choose a shorter one.`);
    }
  }
  return times;
}

async function executionsOf(ctx: Ctx, db: Queryable, id: string, times: number[]): Promise<Map<number, string>> {
  const dates = times.map((at) => new Date(at));
  const found = await store.findOccurrences(db, ctx.orgId, id, dates);
  return new Map(found.map((execution) => [execution.scheduled_for.getTime(), execution.id]));
}

function present(
  row: StoredSchedule,
  times: number[],
  known: ReadonlyMap<number, string>,
  queued: ReadonlyMap<number, string>,
  dryRun: boolean,
): BackfillAnswer {
  const runs = times.map((at) => ({
    scheduledFor: new Date(at).toISOString(),
    localTime: localTimeOf(row.timezone, at),
    // Neither known nor queued: the scheduler has queued it since.
    outcome: queued.has(at) ? "queued" : dryRun && !known.has(at) ? "to_be_queued" : "already_ran",
    executionId: queued.get(at) ?? known.get(at) ?? null,
  })) satisfies BackfillAnswer["runs"];
  const alreadyRan = runs.filter(({ outcome }) => outcome === "already_ran").length;
  return { dryRun, summary: { occurrences: times.length, queued: queued.size, alreadyRan }, runs };
}
