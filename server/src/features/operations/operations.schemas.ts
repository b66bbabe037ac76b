import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { ConditionShape } from "../../core/condition-shape.ts";
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
import type { OrderFilterRequest } from "../orders/order-filter.schemas.ts";
import { OrderRef } from "../orders/orders.schemas.ts";
import { executionStatuses } from "../tasks/tasks.schemas.ts";
import { SelectionFilter } from "./selections.schemas.ts";

const maxOrders = 10_000;
const maxActions = 25;
const verdicts = ["ok", "no_change", "warning", "blocked"] as const;
const Code = Type.String({ pattern: "^[a-z0-9_]{1,64}$" });
const runStatuses = ["queued", "running", "succeeded", "partially_failed", "failed", "cancelled"] as const;
export type RunStatus = (typeof runStatuses)[number];
const resultStatuses = ["succeeded", "failed", "skipped", "cancelled"] as const;

export const OnErrorName = OneOf(["skip_order", "continue", "abort_run"], {
  description: "After a failed step: leave out the rest of this order's steps, go on with them, or stop the whole run",
});
export type OnError = Static<typeof OnErrorName>;

const ActionRequest = Strict({
  type: Type.String({ minLength: 1, maxLength: 64 }),
  params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  when: Type.Optional(ConditionShape),
  on_error: Type.Optional(OnErrorName),
});
export type ActionRequest = Static<typeof ActionRequest>;

export const Actions = Type.Array(ActionRequest, { minItems: 1, maxItems: maxActions });
const OrderRefs = Type.Array(OrderRef, {
  minItems: 1,
  maxItems: maxOrders,
  description: "Order ids or order numbers",
});

const sourceFields = optional({
  order_ids: OrderRefs,
  filter: SelectionFilter,
  selection_id: { ...Id, description: "Of POST /operations/selections, or of a preflight by filter" },
});
/** One of these says which orders. */
export type OrderSource = { order_ids?: string[]; filter?: OrderFilterRequest; selection_id?: string };

const pipelineFields = {
  ...sourceFields,
  actions: Type.Optional(Actions),
  pipeline_id: Type.Optional({
    ...Id,
    description: "A saved pipeline: its actions, on_error and atomic stand for those that are left out",
  }),
  on_error: Type.Optional(OnErrorName),
  atomic: Type.Optional(Type.Boolean({ description: "Take back an order's earlier steps when a later one fails" })),
};
export const example = { order_ids: ["ORD-1001"], actions: [{ type: "add_tags", params: { tags: ["vip"] } }] };

export const PreflightRequest = Strict(
  {
    ...pipelineFields,
    detail_limit: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxOrders,
        description: "How many orders to show; those with problems first. Default 1000",
      }),
    ),
    report_filter: Type.Optional(
      Strict(
        optional({
          verdict: OneOf(verdicts),
          step: Type.Integer({ minimum: 0, maximum: maxActions - 1 }),
          code: Code,
          page: Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Of `detail_limit` orders each" }),
        }),
      ),
    ),
  },
  { examples: [example] },
);
export type PreflightBody = Static<typeof PreflightRequest>;
/** With the actions of the saved pipeline, if they were left out. */
export type PreflightRequest = PreflightBody & { actions: ActionRequest[] };

export const RunRequest = Strict(
  {
    ...pipelineFields,
    preflight_token: Type.Optional(Type.String({ maxLength: 200_000 })),
    recheck_filter: Type.Optional(
      Type.Boolean({
        description:
          "Orders of a filter that do not meet it any more when their turn comes are skipped, as no_longer_matches. Default true",
      }),
    ),
    on_drift: Type.Optional(
      OneOf(["run", "skip", "reject"], {
        description:
          "What becomes of orders that were changed since the preflight: they are run (default) or skipped, as " +
          "changed_since_preflight; or nothing is begun if there are any, and those changed later are skipped",
      }),
    ),
    exclude_codes: Type.Optional(
      Type.Array(Code, {
        minItems: 1,
        maxItems: 50,
        description: "Codes of errors and warnings: orders that the preflight said one of them about are left out",
      }),
    ),
    note: Type.Optional(Type.String({ maxLength: 500 })),
  },
  { examples: [example] },
);
export type RunBody = Static<typeof RunRequest>;
export type RunRequest = RunBody & { actions: ActionRequest[] };

const Change = Type.Object({ path: Type.String(), from: Type.Unknown(), to: Type.Unknown() });
export const StepError = Type.Object({
  code: Type.String(),
  message: Type.String(),
  fix: Type.Optional(Type.String()),
});
const StepWarning = Type.Object({ code: Type.String(), message: Type.String() });

const StepPrice = Type.Object(
  {
    carrier_account_id: Id,
    carrier_account: Type.String(),
    service: Type.String(),
    service_name: Type.String(),
    total: Type.Number(),
    currency: Type.String(),
    transit_days: Nullable(Count),
  },
  { description: "What the carrier account asks for the parcel" },
);

const stepFields = {
  index: Count,
  type: Type.String(),
  ...optional({
    changes: Type.Array(Change),
    created_order_ids: Type.Array(Id),
    deleted_order_ids: Type.Array(Id, {
      description: "What the step had made, deleted by this undo; it cannot be brought back",
    }),
    execution_id: { ...Id, description: "Queued at a bridge; GET /tasks/executions/{id} says how it ends" },
    execution_status: OneOf(executionStatuses, {
      description: "Of the execution as it is now, by its last retry; missing when it is not kept any more",
    }),
    label_ids: Type.Array(Id, {
      description: "To be bought, or given back: the step learns how it ended; GET /shipments/labels/{id} says more",
    }),
    price: StepPrice,
    error: StepError,
    warning: StepWarning,
  }),
};

const stepOutcomes = OneOf(["applied", "no_change", "failed", "skipped", "rolled_back", "undo_failed"]);

const PreflightStep = Type.Object({
  ...stepFields,
  verdict: OneOf(["ok", "no_change", "warning", "blocked", "skipped"]),
});

/** What is said about many orders in the same way. */
const orderGroup = {
  step: Nullable({ ...Count, description: "Of the pipeline, from 0; null: it is about the order as a whole" }),
  type: Nullable(Type.String({ description: "The action of the step" })),
  code: Type.String(),
  message: Type.String({ description: "What is said about all of them; ends in … where `reasons` differ" }),
  fix: Type.Optional(Type.String({ description: "Where it is the same for all" })),
  count: Count,
  reasons: Type.Array(Type.Object({ message: Type.String(), fix: Type.Optional(Type.String()), count: Count }), {
    description: "What is said about each order, the most frequent first; at most ten",
  }),
  sample: Type.Array(
    Type.Object({ ref: Type.String(), order_id: Nullable(Id), order_number: Nullable(Type.String()) }),
    {
      description: "The first five orders",
    },
  ),
};
const OrderGroup = Type.Object(orderGroup);
export type OrderGroup = Static<typeof OrderGroup>;

export const PreflightReport = Type.Object({
  preflight_token: Type.String({ description: "Send it with the run to learn which orders changed in between" }),
  expires_at: DateTime,
  selection_id: Nullable(Id),
  pipeline_id: Nullable(Id),
  verdict: OneOf(["ready", "ready_with_warnings", "blocked"]),
  summary: Type.Object({
    orders: Count,
    ok: Count,
    warning: Count,
    blocked: Count,
    no_change: Count,
    not_found: Count,
    duplicates_removed: Count,
  }),
  errors_by_code: Type.Record(Type.String(), Count),
  groups: Type.Array(Type.Object({ ...orderGroup, verdict: OneOf(["blocked", "warning"]) }), {
    description: "Why orders are blocked and what they are warned of, the most frequent first",
  }),
  pipeline: Type.Array(
    Type.Object({
      index: Count,
      type: Type.String(),
      order_count: Count,
      warnings: Type.Array(StepWarning),
      prices: Type.Array(Type.Object({ currency: Type.String(), total: Type.Number(), orders: Count }), {
        description: "What it would cost for all orders that it applies to, as far as it has a price",
      }),
    }),
  ),
  report_page: Type.Object(
    { total: Count, page: Count, pages: Count },
    { description: "How many orders match `report_filter`, and which page of them `orders` holds" },
  ),
  orders: Type.Array(
    Type.Object({
      ref: Type.String(),
      order_id: Nullable(Id),
      order_number: Nullable(Type.String()),
      version: Nullable(Type.Integer()),
      verdict: OneOf(verdicts),
      error: Type.Optional(StepError),
      steps: Type.Array(PreflightStep),
    }),
  ),
  orders_truncated: Type.Boolean(),
});

export const RunCause = Type.Object(
  {
    automation_id: Id,
    from_sequence: Nullable(
      Type.String({
        description: "The first event it was begun for, as the feed numbers it; null: the clock began it",
      }),
    ),
    to_sequence: Nullable(Type.String({ description: "The last of these events" })),
    scheduled_for: Nullable(DateTime),
    depth: Type.Integer({ minimum: 1, description: "How many automations led to it, this one included" }),
    automation_path: Type.Array(Id, { description: "These, the first one first" }),
  },
  { description: "The automation that began it" },
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
  actions: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  order_count: Count,
  duplicates_removed: Count,
  selection_id: Nullable({ ...Id, description: "The orders were those of a selection" }),
  pipeline_id: Nullable({ ...Id, description: "The saved pipeline it was started with, if it was named" }),
  excluded_count: Type.Integer({ minimum: 0, description: "How many orders `exclude_codes` kept out of the run" }),
  summary: Type.Object({
    total: Count,
    succeeded: Count,
    failed: Count,
    skipped: Count,
    cancelled: Type.Integer({ minimum: 0, description: "Those that a run that was cancelled did not come to" }),
    no_change: Type.Integer({ minimum: 0, description: "Succeeded orders that were already in the requested state" }),
    partially_undone: Type.Integer({
      minimum: 0,
      description: "Of an undo: succeeded orders with steps that could not be undone; GET .../result-groups lists them",
    }),
  }),
  open_label_requests: Type.Integer({
    minimum: 0,
    description:
      "Labels that the run has asked carriers for, or to take back, and that no carrier has answered yet. A run ends before they " +
      "do; one that is refused fails its order afterwards",
  }),
};

export const RunRow = Type.Object(runFields);
export type RunRecord = Static<typeof RunRow>;

export const RunResult = Type.Object({
  position: Count,
  ref: Type.String(),
  order_id: Nullable(Id),
  order_number: Nullable(Type.String()),
  status: OneOf(resultStatuses),
  error: Nullable(StepError),
  resume_from_step: Nullable(Type.Integer({ description: "First step that a retry would do" })),
  steps: Type.Array(
    Type.Object({
      ...stepFields,
      status: stepOutcomes,
      carried_over: Type.Optional(Type.Boolean({ description: "Applied by an earlier run of the chain" })),
    }),
  ),
});
export type RunResult = Static<typeof RunResult>;

const TaskEnds = Type.Object({
  step: Nullable({ ...Count, description: "Of the pipeline, from 0; null: queued before steps were kept" }),
  type: Nullable(Type.String({ description: "The action of the step" })),
  bridge_id: Id,
  task_name: Type.String(),
  executions: Type.Object(CountOfEach(executionStatuses), { description: "As they are now, each by its last retry" }),
  failed_orders: { ...Count, description: "Of tasks that send orders: these did not arrive" },
  unknown_orders: { ...Count, description: "Nobody knows whether these did" },
});
export type TaskEnds = Static<typeof TaskEnds>;

export const RunDetail = Type.Object({
  ...runFields,
  errors_by_code: Type.Record(Type.String(), Count),
  retried_by: Type.Array(Id),
  undone_by: Type.Array(Id),
  preflight: Nullable(
    Type.Object({
      drifted_orders: Type.Array(Type.String(), { description: "Changed since the preflight; the first 10,000" }),
    }),
  ),
  tasks: Type.Array(TaskEnds, {
    description: "What its steps queued at bridges, and how that ended; by step and task",
  }),
  results: Type.Array(RunResult, { description: "The first 100; see /results for all" }),
});
export type RunDetail = Static<typeof RunDetail>;

export const RunDetailQuery = Strict({
  results_limit: Type.Integer({
    minimum: 0,
    maximum: 100,
    default: 100,
    description: "How many results to answer with",
  }),
});

export const RunGroups = Type.Object({
  data: Type.Array(
    Type.Object({
      ...orderGroup,
      status: OneOf(resultStatuses),
      retryable: Type.Boolean({ description: "A retry of the run does these orders again" }),
    }),
  ),
});

export const RetryRequest = Strict(
  optional({
    codes: Type.Array(Code, {
      minItems: 1,
      maxItems: 50,
      description: "Only the orders that failed with one of these; `cancelled` for those that were not reached",
    }),
  }),
  { examples: [{ codes: ["invalid_state"] }] },
);
export type RetryRequest = Static<typeof RetryRequest>;

export const UndoReport = Type.Object({
  run_id: Id,
  summary: Type.Object(
    CountOfEach(["orders", "reversible", "partially_reversible", "irreversible", "no_change", "deleted"] as const),
  ),
  groups: Type.Array(OrderGroup, { description: "What cannot be taken back and why, the most frequent first" }),
  orders: Type.Array(
    Type.Object({
      ref: Type.String(),
      order_id: Id,
      order_number: Nullable(Type.String()),
      verdict: OneOf(["reversible", "partially_reversible", "irreversible", "no_change"]),
      steps: Type.Array(Type.Object({ ...stepFields, status: stepOutcomes })),
    }),
    { description: "The first 100; those that cannot be taken back come first" },
  ),
  orders_truncated: Type.Boolean(),
});

export const RunQuery = pageQuery({
  status: Type.Optional(OneOf(runStatuses)),
  action_type: Type.Optional(Type.String({ maxLength: 64 })),
  order_id: Type.Optional(OrderRef),
  retry_of: Type.Optional(Id),
  automation_id: Type.Optional(Id),
  from: Since,
  to: Before,
});
export type RunQuery = Static<typeof RunQuery>;

export const ResultQuery = pageQuery(
  { status: Type.Optional(OneOf(resultStatuses)), code: Type.Optional(Type.String({ maxLength: 64 })) },
  { limit: 100, max: 1000 },
);
export type ResultQuery = Static<typeof ResultQuery>;
