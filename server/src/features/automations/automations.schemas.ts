import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { ConditionShape } from "../../core/condition-shape.ts";
import { Count, DateTime, Id, Name, Nullable, OneOf, optional, pageQuery, Strict, Version } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import { PreflightReport } from "../operations/preflight.schemas.ts";
import { RunCause, RunRow } from "../operations/run.schemas.ts";
import { SelectionFilter } from "../operations/selections.schemas.ts";
import { Cron, Timezone } from "../schedules/schedules.schemas.ts";

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

const TriggerShape = Strict({
  types: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      minItems: 1,
      maxItems: 20,
      description: "Order event types, or `order.*`. `order.created` includes `orders.created`, which imports record",
    }),
  ),
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
  pipeline_id: { ...Id, description: "A saved pipeline" },
  mode: Mode,
  max_orders_per_hour: MaxPerHour,
};

export const defaults = { description: "", mode: "preflight", max_orders_per_hour: defaultMaxPerHour } as const;

export const AutomationRequest = Strict(
  { ...optional(fields), name: fields.name, trigger: fields.trigger, pipeline_id: fields.pipeline_id },
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
  { ...optional(fields), when: Type.Optional(Nullable(ConditionShape)) },
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
    cron: Type.Optional(Type.String()),
    timezone: Type.Optional(Type.String()),
    filter: Type.Optional(SelectionFilter),
  }),
  when: Nullable(ConditionShape),
  pipeline_id: Id,
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
  kind: OneOf(["run", "preflight", "depth_exceeded"], {
    description: "depth_exceeded: triggered through too many automations; nothing was run",
  }),
  invoked_at: DateTime,
  cause: RunCause,
  order_count: Count,
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
  matched: Count,
  truncated: { ...Type.Boolean(), description: "There were more; the newest were tested" },
  verdict,
  summary,
  errors_by_code,
  pipeline,
  orders,
  orders_truncated,
});
