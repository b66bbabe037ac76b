import { badField } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { storedCron } from "./cron/cron.ts";
import { describeCron } from "./cron/cron-describe.ts";
import { upcomingRuns } from "./cron/cron-upcoming.ts";
import { scheduleNow } from "./schedule-clock.ts";
import type { Timeline, TimelineQuery } from "./schedules.schemas.ts";
import { maxTimelineDays, maxTimelineRuns, maxTimelineSchedules } from "./schedules.schemas.ts";
import * as store from "./schedules.store.ts";

const dayMs = 86_400_000;

/** The upcoming runs of all active schedules in a period. */
export async function readTimeline(ctx: Ctx, query: TimelineQuery): Promise<Timeline> {
  const from = query.from === undefined ? await scheduleNow(ctx, ctx.db) : Date.parse(query.from);
  const to = query.to === undefined ? from + dayMs : Date.parse(query.to);
  if (to <= from) throw badField("/to", "range", "`to` must be after `from`.");
  if (to - from > maxTimelineDays * dayMs) {
    throw badField("/to", "range", `At most ${maxTimelineDays} days at a time.`);
  }
  const limit = maxTimelineSchedules + 1;
  const found = await store.findSchedulesBefore(ctx.db, ctx.orgId, {
    to: new Date(to),
    bridgeId: query.bridgeId,
    limit,
  });
  const data = found.slice(0, maxTimelineSchedules).map(({ id, cron: expression, next, ...schedule }) => {
    const cron = storedCron(expression);
    // Nothing runs before the stored next run, whatever the expression matches.
    const after = Math.max(from, next.getTime()) - 1;
    const runs = upcomingRuns(cron, schedule.timezone, after, maxTimelineRuns + 1, to);
    return {
      scheduleId: id,
      ...schedule,
      description: describeCron(cron, schedule.timezone),
      runs: runs.slice(0, maxTimelineRuns),
      runsAreCapped: runs.length > maxTimelineRuns,
    };
  });
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    data: data.filter(({ runs }) => runs.length > 0),
    isCapped: found.length === limit,
  };
}
