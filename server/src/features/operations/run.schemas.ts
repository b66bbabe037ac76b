import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { Type } from "../../core/type.ts";
import {
  Before,
  Count,
  CountOfEach,
  DateTime,
  Id,
  Nullable,
  OneOf,
  optional,
  pageQuery,
  Since,
  Strict,
} from "../../core/schema.ts";
import { Weight } from "../../core/weight.ts";
import { OrderRef } from "../orders/orders.schemas.ts";
import { executionStatuses } from "../tasks/tasks.schemas.ts";
import { Code, FailedStep, resultStatuses } from "./result-parts.schemas.ts";
import {
  OnErrorName,
  OrderGroup,
  StepError,
  orderGroup,
  stepFields,
  stepOutcomes,
  StoredAction,
} from "./operations.schemas.ts";

const runStatuses = ["queued", "running", "succeeded", "partially_failed", "failed", "cancelled"] as const;

export type RunStatus = (typeof runStatuses)[number];

export const RunCause = Type.Object(
  {
    automation_id: Id,
    from_sequence: Nullable(
      Type.String({
        description: "Sequence of the first event; null with a cron trigger",
      }),
    ),
    to_sequence: Nullable(Type.String({ description: "Sequence of the last event" })),
    scheduled_for: Nullable(DateTime),
    depth: Type.Integer({ minimum: 1, description: "Number of automations in `automation_path`" }),
    automation_path: Type.Array(Id, { description: "IDs of the automations that led to the run, outermost first" }),
  },
  { description: "The automation that started the run" },
);

export type RunCause = Static<typeof RunCause>;

const runFields = {
  id: Id,
  status: OneOf(runStatuses),
  created_at: DateTime,
  started_at: Nullable(DateTime),
  finished_at: Nullable(DateTime),
  duration_ms: Nullable(Count),
  created_by: ActorShape,
  cause: Nullable(RunCause),
  note: Nullable(Type.String()),
  retry_of: Nullable(Id),
  undo_of: Nullable(Id),
  root_run_id: Id,
  attempt: Type.Integer({ minimum: 1 }),
  on_error: OnErrorName,
  atomic: Type.Boolean(),
  actions: Type.Array(StoredAction),
  order_count: Count,
  duplicates_removed: Count,
  selection_id: Nullable({ ...Id, description: "The selection the orders came from" }),
  pipeline_id: Nullable({ ...Id, description: "The saved pipeline of the request, if any" }),
  excluded_count: Type.Integer({ minimum: 0, description: "Number of orders excluded by `exclude_codes`" }),
  summary: Type.Object({
    total: Count,
    succeeded: Count,
    failed: Count,
    skipped: Count,
    cancelled: Type.Integer({ minimum: 0, description: "Orders not processed before the run was cancelled" }),
    no_change: Type.Integer({ minimum: 0, description: "Succeeded orders that were already in the requested state" }),
    partially_undone: Type.Integer({
      minimum: 0,
      description: "Of an undo: succeeded orders with steps that could not be undone; GET .../result-groups lists them",
    }),
  }),
  labels: Type.Object(
    {
      requested: { ...Count, description: "Labels that buy_label requested" },
      bought: { ...Count, description: "Of them, those that carriers sold, also if they were voided since" },
      failed: { ...Count, description: "Of them, those that carriers rejected or whose outcome is unknown" },
      refunds_pending: {
        ...Count,
        description: "Labels that void_label voided and whose refund the carrier has not decided",
      },
      // Missing in responses that were kept for a repeated request before these were counted.
      ...optional({
        voided: { ...Count, description: "Of the bought labels, those that were voided since" },
        printed: { ...Count, description: "Of the bought labels, those that were printed and are not voided" },
        costs: Type.Array(Type.Object({ currency: Type.String(), total: Type.Number(), labels: Count }), {
          description: "What carriers charged for the bought labels that are not voided, by currency",
        }),
      }),
    },
    { description: "Labels of the run as they are now" },
  ),
  open_label_requests: Type.Integer({
    minimum: 0,
    description:
      "Label and void requests of the run that are pending at carriers. The run is `running` until there are none, unless it was " +
      "cancelled; a rejected one fails its order",
  }),
};

export const RunRow = Type.Object(runFields);

export type RunRecord = Static<typeof RunRow>;

const RunLabel = Type.Object({
  id: Id,
  shipment_id: Nullable(Id),
  status: Type.String({ description: "As in GET /shipments/labels/{id}" }),
  carrier: Type.String(),
  carrier_account_id: Nullable(Id),
  service: Type.String(),
  weight: Weight,
  tracking_number: Nullable(Type.String()),
  cost: Nullable(Type.Number()),
  currency: Nullable(Type.String()),
  print_count: Count,
  is_void_pending: Type.Boolean(),
});

export const RunResult = Type.Object({
  position: Count,
  ref: Type.String(),
  order_id: Nullable(Id),
  order_number: Nullable(Type.String()),
  status: OneOf(resultStatuses),
  error: Nullable(StepError),
  resume_from_step: Nullable(Type.Integer({ description: "First step a retry would apply" })),
  steps: Type.Array(
    Type.Object({
      ...stepFields,
      status: stepOutcomes,
      carried_over: Type.Optional(Type.Boolean({ description: "Applied by an earlier run of the chain" })),
    }),
  ),
  ...optional({
    labels: Type.Array(RunLabel, { description: "Labels that the run requested for the order, as they are now" }),
    recipient: Nullable(Type.String({ description: "Who the order is shipped to; masked without pii:read" })),
    destination: Nullable(Type.String({ description: "City, state and country of the shipping address" })),
  }),
});

export type RunResult = Static<typeof RunResult>;

const TaskOutcomes = Type.Object({
  step: Nullable({ ...Count, description: "Step index, from 0; null: queued before steps were recorded" }),
  type: Nullable(Type.String({ description: "Action type of the step" })),
  bridge_id: Id,
  task_name: Type.String(),
  executions: Type.Object(CountOfEach(executionStatuses), { description: "Current statuses, each of its last retry" }),
  failed_orders: { ...Count, description: "For tasks that send orders: orders that were not received" },
  unknown_orders: { ...Count, description: "Orders that may or may not have been received" },
});

export type TaskOutcomes = Static<typeof TaskOutcomes>;

const LabelService = Type.Object({
  carrier_account_id: Nullable(Id),
  carrier: Type.String(),
  service: Type.String(),
  currency: Nullable(Type.String()),
  labels: Count,
  cost: Nullable(Type.Number()),
  voidable: { ...Count, description: "Labels without a first scan, as far as the hub knows" },
});

export type LabelService = Static<typeof LabelService>;

export const RunDetail = Type.Object({
  ...runFields,
  label_services: Type.Optional(
    Type.Array(LabelService, {
      description: "The bought labels that are not voided, by service, the most frequent first",
    }),
  ),
  errors_by_code: Type.Record(Type.String(), Count),
  retried_by: Type.Array(Id),
  undone_by: Type.Array(Id),
  preflight: Nullable(
    Type.Object({
      drifted_orders: Type.Array(Type.String(), {
        description: "Orders changed since the preflight; the first 10,000",
      }),
    }),
  ),
  tasks: Type.Array(TaskOutcomes, {
    description: "Outcome of the bridge tasks of its steps, by step and task",
  }),
  task_summary: Type.Object(
    {
      failed_orders: { ...Count, description: "Orders that a bridge rejected or did not receive" },
      unknown_orders: { ...Count, description: "Orders that a bridge may or may not have received" },
    },
    { description: "Sums over `tasks`. `summary` counts changes in the hub; tasks run after them" },
  ),
  results: Type.Array(RunResult, { description: "The first 100; see /results for all" }),
});

export type RunDetail = Static<typeof RunDetail>;

export const RunDetailQuery = Strict({
  results_limit: Type.Integer({
    minimum: 0,
    maximum: 100,
    default: 100,
    description: "Number of results to include",
  }),
});

export const RunGroups = Type.Object({
  data: Type.Array(
    Type.Object({
      ...orderGroup,
      status: OneOf(resultStatuses),
      retryable: Type.Boolean({ description: "A retry of the run includes these orders" }),
    }),
  ),
  labels: Type.Object(
    {
      bought: { ...Count, description: "Orders with a label that a carrier sold, also if it was voided since" },
      unknown: { ...Count, description: "Other orders with a label whose outcome is pending or unknown" },
    },
    {
      description:
        "Orders of the run that did not succeed although the run bought a label for them, such as when a later step failed",
    },
  ),
});

export const RetryRequest = Strict(
  optional({
    codes: Type.Array(Code, {
      minItems: 1,
      maxItems: 50,
      description: "Only orders that failed with one of these codes; `cancelled` for orders not processed",
    }),
    step: FailedStep,
  }),
  { examples: [{ codes: ["invalid_state"] }] },
);

export type RetryRequest = Static<typeof RetryRequest>;

export const UndoReport = Type.Object({
  run_id: Id,
  summary: Type.Object(
    CountOfEach(["orders", "reversible", "partially_reversible", "irreversible", "no_change", "deleted"] as const),
  ),
  groups: Type.Array(OrderGroup, { description: "Steps that cannot be undone, by reason, the most frequent first" }),
  orders: Type.Array(
    Type.Object({
      ref: Type.String(),
      order_id: Id,
      order_number: Nullable(Type.String()),
      verdict: OneOf(["reversible", "partially_reversible", "irreversible", "no_change"]),
      steps: Type.Array(Type.Object({ ...stepFields, status: stepOutcomes })),
    }),
    { description: "The first 100, irreversible ones first" },
  ),
  orders_truncated: Type.Boolean(),
});

export const RunQuery = pageQuery({
  status: Type.Optional(OneOf(runStatuses)),
  action_type: Type.Optional(Type.String({ maxLength: 64 })),
  order_id: Type.Optional(OrderRef),
  retry_of: Type.Optional(Id),
  automation_id: Type.Optional(Id),
  created_by: Type.Optional({
    ...Id,
    description: "The user or API key that started the run; without runs of automations",
  }),
  from: Since,
  to: Before,
});

export type RunQuery = Static<typeof RunQuery>;

export const ResultQuery = pageQuery(
  {
    status: Type.Optional(OneOf(resultStatuses)),
    code: Type.Optional(Type.String({ maxLength: 64 })),
    step: Type.Optional({ ...Count, description: "Only orders whose first failed step is this one, from 0" }),
  },
  { limit: 100, max: 1000 },
);

export type ResultQuery = Static<typeof ResultQuery>;
