import { Deleted, PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import { ExecutionSummary } from "../tasks/tasks.schemas.ts";
import { backfillSchedule } from "./backfill-schedule.ts";
import * as shapes from "./schedules.schemas.ts";
import * as schedules from "./schedules.ts";
import { readTimeline } from "./schedule-timeline.ts";

const ids = { id: "schedule" } as const;

export const scheduleRoutes = [
  defineRoute("GET /schedules", {
    name: "schedules.list",
    scope: "schedules:read",
    summary: "List schedules",
    query: shapes.ScheduleQuery,
    answer: [200, PageOf(shapes.Schedule)],
    handle: (ctx, { query }) => schedules.listSchedules(ctx, query),
  }),
  defineRoute("POST /schedules", {
    name: "schedules.create",
    scope: "schedules:write",
    summary: "Create a schedule that runs a task of a bridge",
    description: "Needs `tasks:execute`, too.",
    body: shapes.ScheduleRequest,
    bodyLimitBytes: shapes.maxInputBytes,
    answer: [201, shapes.Schedule],
    failures: [404, 409],
    handle: (ctx, { body }) => schedules.createSchedule(ctx, body),
  }),
  defineRoute("POST /schedules/preview", {
    name: "schedules.preview",
    scope: "schedules:read",
    summary: "What a cron expression means, and when it would run; nothing is stored",
    isReadOnly: true,
    body: shapes.PreviewRequest,
    answer: [200, shapes.PreviewAnswer],
    handle: (ctx, { body }) => schedules.previewSchedule(ctx, body),
  }),
  defineRoute("GET /schedules/timeline", {
    name: "schedules.timeline.get",
    scope: "schedules:read",
    summary: "When the schedules run next, all of them, with what changes of the clock do to them",
    query: shapes.TimelineQuery,
    answer: [200, shapes.Timeline],
    handle: (ctx, { query }) => readTimeline(ctx, query),
  }),
  defineRoute("GET /schedules/:id", {
    name: "schedules.get",
    scope: "schedules:read",
    summary: "Read a schedule with its next runs",
    ids,
    answer: [200, shapes.Schedule],
    handle: (ctx, { params }) => schedules.getSchedule(ctx, params.id),
  }),
  defineRoute("PATCH /schedules/:id", {
    name: "schedules.update",
    scope: "schedules:write",
    summary: "Change a schedule; only another cron, time zone or isActive moves its next run",
    description: "More than a new name or a pause needs `tasks:execute`, too.",
    ids,
    body: shapes.SchedulePatch,
    bodyLimitBytes: shapes.maxInputBytes,
    answer: [200, shapes.Schedule],
    failures: [409, 412],
    handle: (ctx, { params, body, ifMatch }) => schedules.updateSchedule(ctx, params.id, body, ifMatch),
  }),
  defineRoute("DELETE /schedules/:id", {
    name: "schedules.delete",
    scope: "schedules:write",
    summary: "Delete a schedule; its executions stay, and those under way finish",
    ids,
    answer: [200, Deleted],
    failures: [412],
    handle: (ctx, { params, ifMatch }) => schedules.deleteSchedule(ctx, params.id, ifMatch),
  }),
  defineRoute("POST /schedules/:id/pause", {
    name: "schedules.pause",
    scope: "schedules:write",
    summary: "Pause a schedule: nothing fires after the answer",
    ids,
    answer: [200, shapes.ChangedSchedule],
    handle: (ctx, { params }) => schedules.pauseSchedule(ctx, params.id),
  }),
  defineRoute("POST /schedules/:id/resume", {
    name: "schedules.resume",
    scope: "schedules:write",
    summary: "Resume a schedule with its next run after now; what fell into the pause is not caught up",
    description: "Needs `tasks:execute`, too.",
    ids,
    answer: [200, shapes.ChangedSchedule],
    failures: [409],
    handle: (ctx, { params }) => schedules.resumeSchedule(ctx, params.id),
  }),
  defineRoute("POST /schedules/:id/trigger", {
    name: "schedules.trigger",
    scope: "schedules:write",
    summary: "Run a schedule once now, also while it is paused; its next run stays when it is",
    description: "Needs `tasks:execute`, too.",
    ids,
    answer: [200, shapes.Triggered],
    failures: [409],
    handle: (ctx, { params }) => schedules.triggerSchedule(ctx, params.id),
  }),
  defineRoute("POST /schedules/:id/backfill", {
    name: "schedules.backfill",
    scope: "schedules:write",
    summary: "Run what a schedule did not run in a time that is over; `dryRun` only lists it",
    description:
      "They are queued together, whatever `overlap` says: that is about runs by the clock. Without `dryRun` it needs `tasks:execute`, too.",
    ids,
    body: shapes.BackfillRequest,
    answer: [200, shapes.BackfillAnswer],
    failures: [409],
    handle: (ctx, { params, body }) => backfillSchedule(ctx, params.id, body),
  }),
  defineRoute("GET /schedules/:id/executions", {
    name: "schedules.executions.list",
    scope: "schedules:read",
    summary: "List the executions of a schedule, newest first",
    ids,
    query: shapes.ScheduleExecutionQuery,
    answer: [200, PageOf(ExecutionSummary)],
    handle: (ctx, { params, query }) => schedules.listScheduleExecutions(ctx, params.id, query),
  }),
];
