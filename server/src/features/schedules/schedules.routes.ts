import { PageOf } from "../../core/schema.ts";
import { crudRoutes } from "../../crud-routes.ts";
import { defineRoute } from "../../route.ts";
import { ExecutionSummary } from "../tasks/tasks.schemas.ts";
import { backfillSchedule } from "./backfill-schedule.ts";
import * as shapes from "./schedules.schemas.ts";
import * as schedules from "./schedules.ts";
import { readTimeline } from "./schedule-timeline.ts";

const ids = { id: "schedule" } as const;

export const scheduleRoutes = [
  ...crudRoutes("/schedules", {
    name: "schedules",
    kind: "schedule",
    nouns: ["a schedule", "schedules"],
    read: "schedules:read",
    write: "schedules:write",
    record: shapes.Schedule,
    list: { query: shapes.ScheduleQuery, handle: schedules.listSchedules },
    create: {
      description: "Also requires `tasks:execute`.",
      body: shapes.ScheduleRequest,
      bodyLimitBytes: shapes.maxInputBytes,
      failures: [404, 409],
      handle: schedules.createSchedule,
    },
    more: [
      defineRoute("POST /schedules/preview", {
        name: "schedules.preview",
        scope: "schedules:read",
        summary: "Preview the run times of a cron expression",
        description: "Returns a description in plain English and the next runs. Nothing is stored.",
        isReadOnly: true,
        body: shapes.PreviewRequest,
        answer: [200, shapes.PreviewAnswer],
        handle: (ctx, { body }) => schedules.previewSchedule(ctx, body),
      }),
      defineRoute("GET /schedules/timeline", {
        name: "schedules.timeline.get",
        scope: "schedules:read",
        summary: "List upcoming runs of all schedules",
        description: "Includes the effect of daylight saving transitions on each run.",
        query: shapes.TimelineQuery,
        answer: [200, shapes.Timeline],
        handle: (ctx, { query }) => readTimeline(ctx, query),
      }),
    ],
    get: { handle: schedules.getSchedule },
    update: {
      description:
        "Changing `cron`, `timezone` or `isActive` recalculates the next run; other changes do not. Changing anything " +
        "but the name, or other than pausing, also requires `tasks:execute`.",
      body: shapes.SchedulePatch,
      bodyLimitBytes: shapes.maxInputBytes,
      handle: schedules.updateSchedule,
    },
    delete: { description: "Executions are kept, and running ones finish.", handle: schedules.deleteSchedule },
  }),
  defineRoute("POST /schedules/:id/pause", {
    name: "schedules.pause",
    scope: "schedules:write",
    summary: "Pause a schedule",
    description: "No run starts after this request is answered.",
    ids,
    answer: [200, shapes.ChangedSchedule],
    handle: (ctx, { params }) => schedules.pauseSchedule(ctx, params.id),
  }),
  defineRoute("POST /schedules/:id/resume", {
    name: "schedules.resume",
    scope: "schedules:write",
    summary: "Resume a schedule",
    description:
      "The next run is the first one after now; runs missed during the pause are not caught up. Also requires " +
      "`tasks:execute`.",
    ids,
    answer: [200, shapes.ChangedSchedule],
    failures: [409],
    handle: (ctx, { params }) => schedules.resumeSchedule(ctx, params.id),
  }),
  defineRoute("POST /schedules/:id/trigger", {
    name: "schedules.trigger",
    scope: "schedules:write",
    summary: "Trigger a schedule now",
    description:
      "Also works while the schedule is paused, and does not change its next run. Also requires `tasks:execute`.",
    ids,
    answer: [200, shapes.Triggered],
    failures: [409],
    handle: (ctx, { params }) => schedules.triggerSchedule(ctx, params.id),
  }),
  defineRoute("POST /schedules/:id/backfill", {
    name: "schedules.backfill",
    scope: "schedules:write",
    summary: "Run past occurrences of a schedule",
    description:
      "Queues every past run of the range that has no execution, regardless of `overlap`, which applies to scheduled " +
      "runs only. `dryRun` lists the runs without queueing them; otherwise `tasks:execute` is also required.",
    ids,
    body: shapes.BackfillRequest,
    answer: [200, shapes.BackfillAnswer],
    failures: [409],
    handle: (ctx, { params, body }) => backfillSchedule(ctx, params.id, body),
  }),
  defineRoute("GET /schedules/:id/executions", {
    name: "schedules.executions.list",
    scope: "schedules:read",
    summary: "List the executions of a schedule",
    description: "Newest first.",
    ids,
    query: shapes.ScheduleExecutionQuery,
    answer: [200, PageOf(ExecutionSummary)],
    handle: (ctx, { params, query }) => schedules.listScheduleExecutions(ctx, params.id, query),
  }),
];
