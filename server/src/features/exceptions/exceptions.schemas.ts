import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { Before, Count, CountOfEach, DateTime, Id, NameList, Nullable, OneOf } from "../../core/schema.ts";
import { optional, pageQuery, Since, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

export const exceptionKinds = [
  "rejected_record",
  "import_conflict",
  "recall",
  "push",
  "label",
  "pickup",
  "execution",
] as const;
export type ExceptionKind = (typeof exceptionKinds)[number];

const exceptionStatuses = ["open", "resolved", "dismissed"] as const;
export type ExceptionStatus = (typeof exceptionStatuses)[number];

const exceptionActions = ["retry", "accept_source", "keep_local", "edit_and_retry", "dismiss"] as const;
export type ExceptionAction = (typeof exceptionActions)[number];

const subjectTypes = ["order", "record", "execution", "label", "pickup"] as const;
export type SubjectType = (typeof subjectTypes)[number];

const Anything = Type.Record(Type.String(), Type.Unknown());
const Kind = OneOf(exceptionKinds, {
  description:
    "rejected_record: a record of an import was not taken. import_conflict: an order does not follow its source. recall, push: " +
    "a partner or shop did not take what was sent. label, pickup: a carrier did not do it. execution: a task failed as a whole",
});
const Action = OneOf(exceptionActions, {
  description:
    "retry: only what failed is done again. accept_source: the order becomes what its source says. keep_local: it stays as it " +
    "is, and is not asked about again. edit_and_retry: a corrected record goes the way of the first. dismiss: nothing is done",
});

const AvailableAction = Type.Object({
  action: Action,
  title: Type.String({ description: "What it does here" }),
  scope: Type.String({ description: "Needed for it, besides exceptions:write" }),
});
export type AvailableAction = Static<typeof AvailableAction>;

const LastAction = Type.Object({
  action: Action,
  at: DateTime,
  by: ActorShape,
  executionId: Nullable({ ...Id, description: "The execution that tries again" }),
});
export type LastAction = Static<typeof LastAction>;

export const ExceptionSummary = Type.Object({
  id: Id,
  kind: Kind,
  code: Type.String({ description: "What is wrong, for programs" }),
  status: OneOf(exceptionStatuses, {
    description: "resolved: the cause is gone, by a fix or by itself. dismissed: somebody does not want to see it",
  }),
  message: Type.String({ description: "What is wrong, for people" }),
  reason: Nullable(Type.String({ description: "What was said about it; without pii:read only in the hub's words" })),
  subject: Type.Object({
    type: OneOf(subjectTypes),
    id: Nullable(Id),
    name: Nullable(Type.String({ description: "What people know it by: a number, the id at the source, a task" })),
  }),
  orderId: Nullable(Id),
  bridgeId: Nullable(Id),
  taskName: Nullable(Type.String()),
  executionId: Nullable({ ...Id, description: "The execution that met it last" }),
  availableActions: Type.Array(AvailableAction, { description: "What can be done about it; none once it is closed" }),
  lastAction: Nullable(LastAction),
  timesSeen: Type.Integer({ minimum: 1, description: "The same trouble again is no other exception" }),
  firstSeenAt: DateTime,
  openedAt: { ...DateTime, description: "Also when it was opened again" },
  lastSeenAt: DateTime,
  resolvedAt: Nullable(DateTime),
  resolvedBy: Nullable(ActorShape),
  resolution: Nullable(
    OneOf([...exceptionActions, "auto_resolved"], {
      description: "auto_resolved: it went by itself, or was put right elsewhere",
    }),
  ),
});
export type ExceptionSummary = Static<typeof ExceptionSummary>;

export const Exception = Type.Object({
  ...ExceptionSummary.properties,
  details: Type.Unsafe<Record<string, unknown>>({
    ...Anything,
    description:
      "`record`: as it came (`raw`, which a transformation maps) and as the hub takes it (`canonical`). `errors`: what is wrong " +
      "with it. `theirs`: what the source of the order says. `shipments`: what became of each. Texts of records are masked " +
      "without pii:read",
  }),
});
export type Exception = Static<typeof Exception>;

const filters = {
  kind: Type.Optional(NameList(exceptionKinds)),
  ...optional({
    code: Type.String({ minLength: 1, maxLength: 100 }),
    bridgeId: Id,
    taskName: Type.String({ minLength: 1, maxLength: 100 }),
    orderId: Id,
    executionId: Id,
    isAttempted: Type.Boolean({ description: "Whether somebody has tried to put it right" }),
  }),
  from: Since,
  to: Before,
};
export type ExceptionFilter = Static<ReturnType<typeof Strict<typeof filters>>>;

const status = Type.Optional({ ...NameList(exceptionStatuses), default: "open" });

export const ExceptionQuery = pageQuery({ ...filters, status });
export type ExceptionQuery = Static<typeof ExceptionQuery>;

export const CountsQuery = Strict({ ...filters, status });
export type CountsQuery = Static<typeof CountsQuery>;

export const ExceptionCounts = Type.Object({
  total: Count,
  byKind: Type.Object(CountOfEach(exceptionKinds)),
  byCode: Type.Array(Type.Object({ code: Type.String(), count: Count })),
  byBridge: Type.Array(Type.Object({ bridgeId: Nullable(Id), count: Count })),
  groups: Type.Array(
    Type.Object({
      kind: Kind,
      code: Type.String(),
      bridgeId: Nullable(Id),
      count: Count,
      lastSeenAt: DateTime,
      message: Type.String({ description: "Of the one that was opened last" }),
      availableActions: Type.Array(Action, { description: "What can be done about all of them at once" }),
    }),
    { description: "Those with the most first; 100 at most" },
  ),
});
export type ExceptionCounts = Static<typeof ExceptionCounts>;

const more = optional({
  forceResend: Type.Boolean({
    description: "Of a push: send it once more, also if it may have arrived. Somebody has looked there",
  }),
});

export const ResolveRequest = Strict(
  {
    action: Action,
    ...more,
    record: Type.Optional(
      Strict(optional({ raw: Anything, canonical: Anything }), {
        description: "For edit_and_retry: what takes the place of these parts of `details.record`",
      }),
    ),
  },
  { examples: [{ action: "retry" }] },
);
export type ResolveRequest = Static<typeof ResolveRequest>;

const outcome = {
  status: OneOf(["resolved", "dismissed", "in_progress", "failed"], {
    description:
      "in_progress: an execution tries it; the exception is resolved when that succeeds. failed: it is still open",
  }),
  executionId: Type.Optional(Id),
  error: Type.Optional(
    Type.Object({ code: Type.String(), message: Type.String(), errors: Type.Optional(Type.Array(Anything)) }),
  ),
};

export const ResolveResponse = Type.Object({ ...outcome, exception: Exception });
export type ResolveResponse = Static<typeof ResolveResponse>;

export const maxResolvedAtOnce = 500;

export const ResolveManyRequest = Strict(
  {
    action: OneOf(
      exceptionActions.filter((action) => action !== "edit_and_retry"),
      { description: "What is done about each" },
    ),
    filter: Strict(filters, { description: "Of those that are open" }),
    ...more,
    dryRun: Type.Optional(Type.Boolean({ description: "Only say what would be done" })),
  },
  { examples: [{ action: "retry", filter: { kind: "push", code: "rejected" }, dryRun: true }] },
);
export type ResolveManyRequest = Static<typeof ResolveManyRequest>;

export const ResolveManyResponse = Type.Object({
  dryRun: Type.Boolean(),
  summary: Type.Object({
    matched: { ...Count, description: "Are open and meet the filter" },
    processed: { ...Count, description: "Resolved, dismissed or started" },
    failed: { ...Count, description: "Still open; `results` says why" },
    remaining: {
      ...Count,
      description: `Not looked at yet: at most ${maxResolvedAtOnce} a time. Ask again, with isAttempted false`,
    },
  }),
  results: Type.Array(Type.Object({ id: Id, ...outcome }), { description: "Oldest first; none of a dry run" }),
});
export type ResolveManyResponse = Static<typeof ResolveManyResponse>;
