import type { Static } from "typebox";
import type { Actor } from "../../core/actor.ts";
import { ActorShape } from "../../core/actor.ts";
import { Type } from "../../core/type.ts";
import { Count, DateTime, Id, Name, Nullable, OneOf, pageQuery, Strict, Version } from "../../core/schema.ts";
import { ExecutionQuery, ExecutionSummary } from "../tasks/tasks.schemas.ts";

const overlaps = ["skip", "queue_one", "allow", "cancel_running"] as const;
const missedPolicies = ["once", "skip", "all"] as const;
export const maxCaughtUp = 100;
export const maxBackfill = 1_000;
export const maxInputBytes = 1024 * 1024;

export const Cron = Type.String({
  maxLength: 200,
  description:
    "Minute, hour, day of month, month, day of week, each with `*`, lists, ranges and steps; or @hourly, @daily (@midnight), " +
    "@weekly, @monthly, @yearly (@annually). Months and weekdays may be named (JAN, MON); 0 and 7 are Sunday. `?` is `*` in the " +
    "day fields. `L` is the last day of the month, `TUE#2` the second Tuesday, `FRIL` the last Friday. When both day fields are " +
    "restricted, a day that matches either of them is enough. Daylight saving: a skipped time runs once, right after the gap, and a " +
    "repeated time runs the first time. Expressions with `*` in the hour or minute field follow elapsed time and run in both hours",
});
export const Timezone = Type.String({
  maxLength: 100,
  description: "IANA name such as America/New_York. Default: the organization's",
});
const Input = Type.Record(Type.String(), Type.Unknown());
const Overlap = OneOf(overlaps, {
  description: "What to do when a run is due and the previous one has not ended. Default skip",
});
const Missed = OneOf(missedPolicies, {
  description:
    `What to do about runs that were due while the hub was down: one run for all of them, none, or the last ${maxCaughtUp}, one ` +
    "after the other unless `overlap` is allow. Default once",
});

const fields = {
  bridgeId: Id,
  taskName: Type.String({ minLength: 1, maxLength: 100, description: "One of GET /bridges/{id}/tasks" }),
  cron: Cron,
  timezone: Type.Optional(Timezone),
  input: Type.Optional(Input),
  isActive: Type.Optional(Type.Boolean({ description: "False pauses the schedule. Default true" })),
  overlap: Type.Optional(Overlap),
  missed: Type.Optional(Missed),
};

export const ScheduleRequest = Strict(
  { name: Type.Optional(Name), ...fields },
  {
    examples: [
      {
        name: "Nightly import",
        bridgeId: "0199f0a0-0000-7000-8000-000000000003",
        taskName: "noop",
        cron: "30 2 * * *",
        timezone: "America/New_York",
      },
    ],
  },
);
export type ScheduleRequest = Static<typeof ScheduleRequest>;

export const SchedulePatch = Strict(
  {
    name: Type.Optional(Nullable(Name)),
    ...fields,
    bridgeId: Type.Optional(Id),
    taskName: Type.Optional(fields.taskName),
    cron: Type.Optional(Cron),
  },
  { examples: [{ cron: "*/15 * * * *" }] },
);
export type SchedulePatch = Static<typeof SchedulePatch>;

export const UpcomingRun = Type.Object({
  runAt: DateTime,
  localTime: Type.String({ description: "The same time in the time zone of the schedule" }),
  dstTransition: Type.Optional(
    Type.Object(
      { kind: OneOf(["shifted", "repeated"]), message: Type.String() },
      { description: "Effect of a daylight saving transition on this run" },
    ),
  ),
});

const ExecutionStatus = ExecutionSummary.properties.status;

const PauseReason = Type.Object(
  {
    code: Type.String({ description: "bridge_deleted, owner_inactive or insufficient_scope" }),
    message: Type.String(),
  },
  { description: "Why the hub paused the schedule; null while it is active, or if a caller paused it" },
);
export type PauseReason = Static<typeof PauseReason>;

export const Schedule = Type.Object({
  id: Id,
  name: Nullable(Type.String()),
  bridgeId: Id,
  taskName: Type.String(),
  cron: Type.String(),
  timezone: Type.String(),
  description: Type.String({ description: "The cron expression in plain English" }),
  input: Input,
  isActive: Type.Boolean(),
  overlap: Overlap,
  missed: Missed,
  nextRunAt: Nullable(DateTime),
  upcoming: Type.Array(UpcomingRun, { description: "The next five runs; none while paused" }),
  deferredRunAt: Nullable(
    Type.Unsafe<string>({ ...DateTime, description: "Due time of a run that waits for the previous run to end" }),
  ),
  lastRunAt: Nullable(DateTime),
  lastExecution: Nullable(Type.Object({ id: Id, status: ExecutionStatus })),
  lastSkippedRun: Nullable(Type.Object({ scheduledFor: DateTime, reason: Type.String(), message: Type.String() })),
  counters: Type.Object({
    runs: Count,
    failures: Count,
    skippedForOverlap: Count,
    missed: Type.Integer({
      minimum: 0,
      description: "Runs missed because the hub or the bridge was not available",
    }),
  }),
  pausedAt: Nullable(DateTime),
  pausedBy: Nullable(ActorShape),
  pauseReason: Nullable(PauseReason),
  owner: Nullable(
    Type.Unsafe<Actor>({
      ...ActorShape,
      description:
        "The schedule runs with the permissions of its owner: the caller that created, last changed or last resumed it. If the " +
        "owner is disabled or deleted, or loses tasks:execute, the schedule is paused instead of its next run. Null for " +
        "schedules from before owners existed",
    }),
  ),
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type Schedule = Static<typeof Schedule>;

export const ChangedSchedule = Type.Object({
  ...Schedule.properties,
  changed: Type.Boolean({ description: "False if the schedule was already in this state" }),
});

export const ScheduleQuery = pageQuery({
  bridgeId: Type.Optional(Id),
  taskName: Type.Optional(Type.String({ maxLength: 100 })),
  isActive: Type.Optional(Type.Boolean()),
  search: Type.Optional(Type.String({ maxLength: 100, description: "Text in the name" })),
});
export type ScheduleQuery = Static<typeof ScheduleQuery>;

const { scheduleId: _, ...executionFilters } = ExecutionQuery.properties;
/** The filters of executions without `scheduleId`, which is in the path. */
export const ScheduleExecutionQuery = Strict(executionFilters);
export type ScheduleExecutionQuery = Static<typeof ScheduleExecutionQuery>;

export const Triggered = Type.Object({
  scheduleId: Id,
  executionId: Id,
  status: ExecutionStatus,
  triggeredAt: DateTime,
  nextRunAt: Nullable(DateTime),
});

export const PreviewRequest = Strict(
  {
    cron: Cron,
    timezone: Type.Optional(Timezone),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Default 5" })),
    from: Type.Optional(Type.Unsafe<string>({ ...DateTime, description: "Only runs after this time. Default now" })),
  },
  { examples: [{ cron: "30 2 * * *", timezone: "America/New_York", count: 10 }] },
);
export type PreviewRequest = Static<typeof PreviewRequest>;

export const PreviewAnswer = Type.Object({
  cron: Type.String(),
  timezone: Type.String(),
  description: Type.String(),
  upcoming: Type.Array(UpcomingRun),
});

export const maxTimelineDays = 31;
export const maxTimelineSchedules = 100;
export const maxTimelineRuns = 100;

export const TimelineQuery = Strict({
  from: Type.Optional(Type.Unsafe<string>({ ...DateTime, description: "Default now" })),
  to: Type.Optional(
    Type.Unsafe<string>({
      ...DateTime,
      description: `Exclusive. Default one day after \`from\`, at most ${maxTimelineDays} days after it`,
    }),
  ),
  bridgeId: Type.Optional(Id),
});
export type TimelineQuery = Static<typeof TimelineQuery>;

const { id: scheduleId, name, bridgeId, taskName, timezone, description } = Schedule.properties;
export const Timeline = Type.Object({
  from: DateTime,
  to: DateTime,
  data: Type.Array(
    Type.Object({
      scheduleId,
      name,
      bridgeId,
      taskName,
      timezone,
      description,
      runs: Type.Array(UpcomingRun),
      runsAreCapped: Type.Boolean({ description: `There are more than the first ${maxTimelineRuns} runs listed` }),
    }),
    { description: "Active schedules that run in this period, by their next run" },
  ),
  isCapped: Type.Boolean({
    description: `There are more than the first ${maxTimelineSchedules} schedules listed`,
  }),
});
export type Timeline = Static<typeof Timeline>;

export const BackfillRequest = Strict(
  {
    from: DateTime,
    to: Type.Unsafe<string>({ ...DateTime, description: "Exclusive; not in the future" }),
    dryRun: Type.Optional(Type.Boolean({ description: "List the runs without queueing them" })),
  },
  { examples: [{ from: "2026-03-01T00:00:00Z", to: "2026-03-02T00:00:00Z", dryRun: true }] },
);
export type BackfillRequest = Static<typeof BackfillRequest>;

export const BackfillAnswer = Type.Object({
  dryRun: Type.Boolean(),
  summary: Type.Object({ occurrences: Count, queued: Count, alreadyRan: Count }),
  runs: Type.Array(
    Type.Object({
      scheduledFor: DateTime,
      localTime: Type.String(),
      outcome: OneOf(["queued", "to_be_queued", "already_ran"]),
      executionId: Nullable(Id),
    }),
  ),
});
export type BackfillAnswer = Static<typeof BackfillAnswer>;
