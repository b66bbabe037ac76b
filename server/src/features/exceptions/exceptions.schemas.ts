import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { Before, Count, CountOfEach, DateTime, Id, linePattern, NameList, Nullable, OneOf } from "../../core/schema.ts";
import { optional, pageQuery, Since, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

export const exceptionKinds = [
  "rejected_record",
  "import_conflict",
  "recall",
  "push",
  "label",
  "pickup",
  "manifest",
  "execution",
  "stock",
  "invoice",
] as const;
export type ExceptionKind = (typeof exceptionKinds)[number];

const exceptionStatuses = ["open", "resolved", "dismissed"] as const;
export type ExceptionStatus = (typeof exceptionStatuses)[number];

const exceptionActions = [
  "retry",
  "accept_source",
  "keep_local",
  "edit_and_retry",
  "mark_purchased",
  "mark_not_purchased",
  "dismiss",
] as const;
export type ExceptionAction = (typeof exceptionActions)[number];

const subjectTypes = ["order", "record", "execution", "label", "pickup", "manifest", "invoice"] as const;
export type SubjectType = (typeof subjectTypes)[number];

const Anything = Type.Record(Type.String(), Type.Unknown());
const Kind = OneOf(exceptionKinds, {
  description:
    "rejected_record: an import rejected a record. import_conflict: an order differs from its source. recall, push: a partner or " +
    "shop rejected a request. label, pickup, manifest: a carrier rejected a request. execution: a task failed. stock: no location has the items of " +
    "an order, or stock of an unknown location was reported. invoice: the lines of a carrier's invoice do not add up to its amount",
});
const Action = OneOf(exceptionActions, {
  description:
    "retry: repeats only the failed part. accept_source: updates the order from its source. keep_local: keeps the order and closes " +
    "the conflict. edit_and_retry: imports a corrected record. mark_purchased, mark_not_purchased: what you found out at the " +
    "carrier about a label. dismiss: closes the exception without a change",
});

const AvailableAction = Type.Object({
  action: Action,
  title: Type.String({ description: "What the action does for this exception" }),
  scope: Type.String({ description: "Required besides exceptions:write" }),
});
export type AvailableAction = Static<typeof AvailableAction>;

const LastAction = Type.Object({
  action: Action,
  at: DateTime,
  by: ActorShape,
  executionId: Nullable({ ...Id, description: "The execution that retries" }),
});
export type LastAction = Static<typeof LastAction>;

export const ExceptionSummary = Type.Object({
  id: Id,
  kind: Kind,
  code: Type.String({ description: "Machine-readable cause" }),
  status: OneOf(exceptionStatuses, {
    description: "resolved: the cause is gone. dismissed: closed by a user without a change",
  }),
  message: Type.String({ description: "Human-readable cause" }),
  reason: Nullable(Type.String({ description: "The reason given by the other system; masked without pii:read" })),
  subject: Type.Object({
    type: OneOf(subjectTypes),
    id: Nullable(Id),
    name: Nullable(Type.String({ description: "Order number, external ID, tracking number or task name" })),
  }),
  orderId: Nullable(Id),
  assigneeId: Nullable({ ...Id, description: "The user who takes care of it" }),
  bridgeId: Nullable(Id),
  taskName: Nullable(Type.String()),
  executionId: Nullable({ ...Id, description: "The execution in which it last occurred" }),
  availableActions: Type.Array(AvailableAction, { description: "Empty once the exception is closed" }),
  lastAction: Nullable(LastAction),
  timesSeen: Type.Integer({ minimum: 1, description: "Occurrences of the same problem" }),
  firstSeenAt: DateTime,
  openedAt: { ...DateTime, description: "Also set when reopened" },
  lastSeenAt: DateTime,
  resolvedAt: Nullable(DateTime),
  resolvedBy: Nullable(ActorShape),
  resolution: Nullable(
    OneOf([...exceptionActions, "auto_resolved"], {
      description: "auto_resolved: the problem disappeared or was fixed elsewhere",
    }),
  ),
});
export type ExceptionSummary = Static<typeof ExceptionSummary>;

export const Exception = Type.Object({
  ...ExceptionSummary.properties,
  details: Type.Unsafe<Record<string, unknown>>({
    ...Anything,
    description:
      "`record`: the record as received (`raw`, the input of a transformation) and as imported (`canonical`). `errors`: its errors. " +
      "`theirs`: values at the source of the order. `shipments`: the outcome of each. Texts of records are masked without pii:read",
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
    assigneeId: Id,
    executionId: Id,
    errorCode: Type.String({ minLength: 1, maxLength: 100, description: "Code of the record's first error" }),
    field: Type.String({ minLength: 1, maxLength: 500, description: "Field of the record's first error" }),
    isAttempted: Type.Boolean({ description: "Whether an action was attempted" }),
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
      taskName: Nullable(Type.String()),
      errorCode: Nullable(Type.String({ description: "For rejected records: code of the first error" })),
      field: Nullable(
        Type.String({ description: "For rejected records: field of the first error; `*` stands for any list element" }),
      ),
      count: Count,
      lastSeenAt: DateTime,
      message: Type.String({ description: "Message of the latest exception" }),
      availableActions: Type.Array(Action, { description: "Actions available for the whole group" }),
    }),
    { description: "Largest groups first; at most 100" },
  ),
});
export type ExceptionCounts = Static<typeof ExceptionCounts>;

const more = optional({
  forceResend: Type.Boolean({
    description: "For a push: send again even if the record may have arrived. Check the other system first",
  }),
});

const TrackingNumber = Type.String({ minLength: 1, maxLength: 100, pattern: linePattern });

const Purchase = Strict(
  {
    trackingNumber: { ...TrackingNumber, description: "Of the lead parcel" },
    furtherTrackingNumbers: Type.Optional(
      Type.Array(TrackingNumber, { maxItems: 24, description: "Of the other parcels of the label, in their order" }),
    ),
    cost: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000, description: "What the carrier charged" })),
    currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$", description: "ISO 4217; default USD" })),
  },
  { description: "For mark_purchased: the label as the carrier shows it" },
);
export type Purchase = Static<typeof Purchase>;

export const ResolveRequest = Strict(
  {
    action: Action,
    ...more,
    record: Type.Optional(
      Strict(optional({ raw: Anything, canonical: Anything }), {
        description: "For edit_and_retry: replaces these parts of `details.record`",
      }),
    ),
    purchase: Type.Optional(Purchase),
  },
  { examples: [{ action: "retry" }] },
);
export type ResolveRequest = Static<typeof ResolveRequest>;

const outcome = {
  status: OneOf(["resolved", "dismissed", "in_progress", "failed"], {
    description:
      "in_progress: an execution retries; its success resolves the exception. failed: the exception is still open",
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
      exceptionActions.filter((action) => action !== "edit_and_retry" && action !== "mark_purchased"),
      { description: "Action for each exception" },
    ),
    filter: Strict(filters, { description: "Filter on open exceptions" }),
    ...more,
    dryRun: Type.Optional(Type.Boolean({ description: "Only count; change nothing" })),
  },
  { examples: [{ action: "retry", filter: { kind: "push", code: "rejected" }, dryRun: true }] },
);
export type ResolveManyRequest = Static<typeof ResolveManyRequest>;

export const ResolveManyResponse = Type.Object({
  dryRun: Type.Boolean(),
  summary: Type.Object({
    matched: { ...Count, description: "Open exceptions that match the filter" },
    processed: { ...Count, description: "Resolved, dismissed or in progress" },
    failed: { ...Count, description: "Still open; see `results`" },
    remaining: {
      ...Count,
      description: `Not processed yet: at most ${maxResolvedAtOnce} per request. Repeat with isAttempted=false`,
    },
  }),
  results: Type.Array(Type.Object({ id: Id, ...outcome }), { description: "Oldest first; empty for a dry run" }),
});
export type ResolveManyResponse = Static<typeof ResolveManyResponse>;

export const AssigneeRequest = Strict(
  { assigneeId: Nullable({ ...Id, description: "An active user of the organization; null: unassigned" }) },
  { examples: [{ assigneeId: null }] },
);
export type AssigneeRequest = Static<typeof AssigneeRequest>;

const maxMentions = 20;

export const CommentRequest = Strict(
  {
    text: Type.String({ minLength: 1, maxLength: 4_000, pattern: "\\S" }),
    mentions: Type.Optional(
      Type.Array(Id, { maxItems: maxMentions, uniqueItems: true, description: "Users of the organization to notify" }),
    ),
  },
  { examples: [{ text: "The shop knows about it." }] },
);
export type CommentRequest = Static<typeof CommentRequest>;

export const Comment = Type.Object({
  id: Id,
  text: Type.String(),
  mentions: Type.Array(Id),
  createdBy: ActorShape,
  createdAt: DateTime,
});
export type Comment = Static<typeof Comment>;

export const CommentQuery = pageQuery({}, { limit: 50, max: 100 });
export type CommentQuery = Static<typeof CommentQuery>;
