import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { ConditionShape } from "../../core/condition-shape.ts";
import { Count, DateTime, Id, Name, Nullable, OneOf, optional, pageQuery, Strict, Version } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import { PreflightReport } from "../operations/preflight.schemas.ts";
import { RunCause, RunRow } from "../operations/run.schemas.ts";
import { SelectionFilter } from "../operations/selections.schemas.ts";
import { Cron, Timezone } from "../schedules/schedules.schemas.ts";
import { EventTask, WaitAnswer, WaitShape } from "./automation-parts.schemas.ts";

export const maxAutomations = 50;
const maxDays = 30;
const defaultMaxPerHour = 1_000;

const modes = ["preflight", "run"] as const;
const Mode = OneOf(modes, {
  description: "preflight: only previews and records the outcome. run: runs the pipeline. Default preflight",
});
const MaxPerHour = Type.Integer({
  minimum: 1,
  maximum: 100_000,
  description: `Orders per hour. When this limit is reached, the automation is paused. Default ${defaultMaxPerHour}`,
});

const Orders = OneOf(["all", "failed"], {
  description: "Which orders of a run or of a task that sends orders. Default all",
});

const TriggerShape = Strict({
  types: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      minItems: 1,
      maxItems: 20,
      description:
        "Types of events about orders, exceptions, shipments, labels, pickups, manifests, runs and tasks, or families such as " +
        "`order.*`. `order.created` includes `orders.created`, which imports record",
    }),
  ),
  event: Type.Optional({
    ...ConditionShape,
    description: "Condition on the event: `type`, `objectId` and the fields of its `data`, such as `data.status`",
  }),
  orders: Type.Optional(Orders),
  cron: Type.Optional(Cron),
  timezone: Type.Optional(Timezone),
  filter: Type.Optional(SelectionFilter),
});
export type TriggerRequest = Static<typeof TriggerShape>;

const fields = {
  name: Name,
  description: Type.String({ maxLength: 500 }),
  trigger: { ...TriggerShape, description: "`types` of events, or `cron` with the `filter` that selects orders" },
  when: ConditionShape,
  pipeline_id: { ...Id, description: "A saved pipeline. Exactly one of pipeline_id, branches and task is required" },
  branches: Type.Array(Strict({ when: ConditionShape, pipeline_id: Id }), {
    minItems: 1,
    maxItems: 20,
    description: "The first branch whose condition the order meets runs its pipeline",
  }),
  otherwise: { ...Id, description: "With branches: the pipeline of orders that meet none. Default: they are left out" },
  task: EventTask,
  wait: WaitShape,
  stop_further_rules: Type.Boolean({
    description:
      "Automations after this one leave out the orders that it matched, for the same event. Only in mode run. Default false",
  }),
  max_per_object: Type.Integer({
    minimum: 1,
    // Each repetition adds its ID to the cause of events.
    maximum: 100,
    description:
      "How often it may run for the same order, or with task for the same object. Up to that number it also reacts to events that " +
      "it led to itself, such as a repeated failure",
  }),
  position: Type.Integer({
    minimum: 1,
    maximum: maxAutomations,
    description:
      "Place among the automations of the organization, which run in this order on the same event. Default last",
  }),
  mode: Mode,
  max_orders_per_hour: MaxPerHour,
};

export const defaults = {
  description: "",
  mode: "preflight",
  max_orders_per_hour: defaultMaxPerHour,
  stop_further_rules: false,
} as const;

export const AutomationRequest = Strict(
  { ...optional(fields), name: fields.name, trigger: fields.trigger },
  {
    examples: [
      {
        name: "Light parcels",
        trigger: { types: ["order.created"] },
        when: { path: "total", op: "lt", value: 50 },
        pipeline_id: "0199f0a0-0000-7000-8000-000000000003",
      },
    ],
  },
);
export type AutomationRequest = Static<typeof AutomationRequest>;

export const AutomationPatch = Strict(
  {
    ...optional(fields),
    ...optional({
      when: Nullable(ConditionShape),
      otherwise: Nullable(fields.otherwise),
      wait: Nullable(WaitShape),
      max_per_object: Nullable(fields.max_per_object),
    }),
  },
  { examples: [{ mode: "run" }] },
);
export type AutomationPatch = Static<typeof AutomationPatch>;

export const ResumeRequest = Strict(
  {
    from: Type.Optional(
      OneOf(["now", "last_position"], {
        description: "now: continue with the events from now on (default). last_position: also with those of the pause",
      }),
    ),
  },
  { examples: [{ from: "last_position" }] },
);
export type ResumeRequest = Static<typeof ResumeRequest>;

const Reason = Type.Object({
  code: Type.String({
    description:
      "manual, hourly_limit_reached, pipeline_changed, owner_inactive, insufficient_scope, internal_error, or the error code of " +
      "the pipeline",
  }),
  message: Type.String(),
});
export type Reason = Static<typeof Reason>;

export const Automation = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  trigger: Type.Object({
    types: Type.Optional(Type.Array(Type.String())),
    event: Type.Optional(ConditionShape),
    orders: Type.Optional(OneOf(["all", "failed"])),
    cron: Type.Optional(Type.String()),
    timezone: Type.Optional(Type.String()),
    filter: Type.Optional(SelectionFilter),
  }),
  when: Nullable(ConditionShape),
  pipeline_id: Nullable({ ...Id, description: "Null: the automation has branches or a task" }),
  branches: Nullable(Type.Array(Type.Object({ when: ConditionShape, pipeline_id: Id }))),
  otherwise: Nullable(Id),
  task: Nullable(Type.Object(EventTask.properties)),
  wait: Nullable(WaitAnswer),
  stop_further_rules: Type.Boolean(),
  max_per_object: Nullable(Type.Integer()),
  position: Type.Integer({ description: "Automations on the same event run in this order; there may be gaps" }),
  mode: OneOf(modes),
  max_orders_per_hour: Type.Integer(),
  owner: {
    ...ActorShape,
    description: "The automation runs with the permissions of this user or API key",
  } as typeof ActorShape,
  is_active: Type.Boolean(),
  paused_at: Nullable(DateTime),
  paused_by: Nullable(ActorShape),
  pause_reason: Nullable(Reason),
  blocked_reason: Nullable(Reason),
  next_run_at: Nullable(DateTime),
  last_invoked_at: Nullable(DateTime),
  counters: Type.Object({
    evaluated: { ...Count, description: "Orders of its events, or of its filter with cron" },
    matched: { ...Count, description: "Evaluated orders that met filter and condition" },
    runs: Count,
    preflights: Count,
  }),
  created_at: DateTime,
  updated_at: DateTime,
  version: Version,
});
export type Automation = Static<typeof Automation>;

export const ChangedAutomation = Type.Object({ ...Automation.properties, changed: Type.Boolean() });

export const AutomationQuery = pageQuery({
  mode: Type.Optional(OneOf(modes)),
  is_active: Type.Optional(Type.Boolean()),
  pipeline_id: Type.Optional(Id),
});
export type AutomationQuery = Static<typeof AutomationQuery>;

const { summary, errors_by_code, verdict, pipeline, orders, orders_truncated } = PreflightReport.properties;

export const Invocation = Type.Object({
  id: Id,
  kind: OneOf(["run", "preflight", "task", "wait_ended", "depth_exceeded"], {
    description:
      "task: bridge tasks were queued. wait_ended: orders no longer matched, or did not meet the condition in time; " +
      "errors_by_code counts both. depth_exceeded: triggered through too many automations; nothing was run",
  }),
  invoked_at: DateTime,
  cause: RunCause,
  order_count: { ...Count, description: "Orders; with a task: events" },
  branch: Nullable(Type.String({ description: "Index of the branch, or otherwise; null without branches" })),
  execution_ids: Type.Array(Id, { description: "Tasks that were queued" }),
  run: Nullable(
    Type.Object({ id: Id, status: Nullable(RunRow.properties.status), summary: Nullable(RunRow.properties.summary) }),
  ),
  preflight_summary: Nullable(summary),
  errors_by_code: Nullable(errors_by_code),
});
export type Invocation = Static<typeof Invocation>;

export const InvocationQuery = pageQuery({ kind: Type.Optional(Invocation.properties.kind) });
export type InvocationQuery = Static<typeof InvocationQuery>;

export const TestRequest = Strict(
  {
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: maxDays, description: "How many days of past events to test. Default 7" }),
    ),
  },
  { examples: [{ days: 7 }] },
);
export type TestRequest = Static<typeof TestRequest>;

export const TestReport = Type.Object({
  since: Nullable({
    ...DateTime,
    description: "null with a cron trigger: the orders are those of its filter now",
  }),
  events: Count,
  evaluated: { ...Count, description: "Existing orders of these events" },
  matched: { ...Count, description: "Orders that met filter and conditions; with a task: events" },
  truncated: { ...Type.Boolean(), description: "There were more; the newest were tested" },
  verdict,
  summary,
  errors_by_code,
  pipeline,
  branches: Nullable(
    Type.Array(
      Type.Object({
        branch: Type.String({ description: "Index of the branch, or otherwise" }),
        pipeline_id: Id,
        matched: Count,
        verdict,
        summary,
        errors_by_code,
        pipeline,
      }),
      { description: "The report of each branch; `pipeline` is then empty. Null without branches" },
    ),
  ),
  orders: Type.Array(
    Type.Object({
      ...orders.items.properties,
      branch: Nullable(Type.String({ description: "The branch that the order took" })),
    }),
  ),
  orders_truncated,
});

export const AutomationOrder = Strict(
  {
    ids: Type.Array(Id, {
      minItems: 1,
      maxItems: maxAutomations,
      uniqueItems: true,
      description: "All automations of the organization, the first to run first",
    }),
  },
  { examples: [{ ids: ["0199f0a0-0000-7000-8000-000000000003"] }] },
);
export type AutomationOrder = Static<typeof AutomationOrder>;

export const OrderedAutomations = Type.Object({
  data: Type.Array(Type.Object({ id: Id, name: Type.String(), position: Type.Integer() })),
});

export const WaitingOrder = Type.Object({
  order_id: Id,
  order_number: Nullable(Type.String({ description: "Null: the order was deleted" })),
  since: DateTime,
  ends_at: { ...DateTime, description: "When the wait is over, at the latest" },
  next_check_at: { ...DateTime, description: "When the order is checked next; a change of the order is also checked" },
});
export type WaitingOrder = Static<typeof WaitingOrder>;

export const WaitingQuery = pageQuery({});
export type WaitingQuery = Static<typeof WaitingQuery>;
