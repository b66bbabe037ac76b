import type { Static } from "typebox";
import { CalendarDate } from "../../carriers/rate-card/card.schemas.ts";
import { ConditionShape } from "../../core/condition-shape.ts";
import { Type } from "../../core/type.ts";
import { Count, Id, Nullable, OneOf, optional, Strict } from "../../core/schema.ts";
import type { OrderFilterRequest } from "../orders/order-filter.schemas.ts";
import { OrderRef } from "../orders/orders.schemas.ts";
import { executionStatuses } from "../tasks/tasks.schemas.ts";
import { Code } from "./result-parts.schemas.ts";
import { SelectionFilter } from "./selections.schemas.ts";

export const maxOrders = 10_000;

export const maxActions = 25;

export const OnErrorName = OneOf(["skip_order", "continue", "abort_run"], {
  description: "After a failed step: skip the remaining steps of the order, continue with them, or abort the run",
});

export type OnError = Static<typeof OnErrorName>;

export const ActionRequest = Strict({
  type: Type.String({ minLength: 1, maxLength: 64 }),
  params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  when: Type.Optional(ConditionShape),
  on_error: Type.Optional(OnErrorName),
});

export type ActionRequest = Static<typeof ActionRequest>;

/** An action as it was requested. Runs and pipelines may hold actions of an older hub. */
export const StoredAction = Type.Record(Type.String(), Type.Unknown(), { description: "As requested" });

export const Actions = Type.Array(ActionRequest, { minItems: 1, maxItems: maxActions });

const OrderRefs = Type.Array(OrderRef, {
  minItems: 1,
  maxItems: maxOrders,
  description: "Order IDs or numbers",
});

const sourceFields = optional({
  order_ids: OrderRefs,
  filter: SelectionFilter,
  selection_id: { ...Id, description: "From POST /operations/selections, or from a preflight by filter" },
});

/** Exactly one selects the orders. */
export type OrderSource = { order_ids?: string[]; filter?: OrderFilterRequest; selection_id?: string };

export const pipelineFields = {
  ...sourceFields,
  actions: Type.Optional(Actions),
  pipeline_id: Type.Optional({
    ...Id,
    description: "A saved pipeline: provides actions, on_error and atomic where omitted",
  }),
  on_error: Type.Optional(OnErrorName),
  atomic: Type.Optional(Type.Boolean({ description: "Roll back an order's earlier steps when a later one fails" })),
};

export const example = { order_ids: ["ORD-1001"], actions: [{ type: "add_tags", params: { tags: ["vip"] } }] };

export const RunRequest = Strict(
  {
    ...pipelineFields,
    preflight_token: Type.Optional(Type.String({ maxLength: 200_000 })),
    recheck_filter: Type.Optional(
      Type.Boolean({
        description:
          "Skip orders that no longer match the filter when they are processed (no_longer_matches). Default true",
      }),
    ),
    on_drift: Type.Optional(
      OneOf(["run", "skip", "reject"], {
        description:
          "Orders that changed since the preflight: `run` them (default), `skip` them (changed_since_preflight), or `reject` the " +
          "request; with `reject`, orders that change later are skipped",
      }),
    ),
    exclude_codes: Type.Optional(
      Type.Array(Code, {
        minItems: 1,
        maxItems: 50,
        description: "Error and warning codes: orders with one of them in the preflight are excluded",
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

export const StepWarning = Type.Object({ code: Type.String(), message: Type.String() });

const StepPrice = Type.Object(
  {
    carrier_account_id: Id,
    carrier_account: Type.String(),
    service: Type.String(),
    service_name: Type.String(),
    total: Type.Number(),
    currency: Type.String(),
    transit_days: Nullable(Count),
    estimated_delivery_date: Type.Optional(
      Nullable({
        ...CalendarDate,
        description:
          "By the carrier's promise for this shipment, else by its transit days; null: unknown. Missing in results of older runs",
      }),
    ),
  },
  { description: "Price of the parcel at the carrier account" },
);

export const stepFields = {
  index: Count,
  type: Type.String(),
  ...optional({
    changes: Type.Array(Change),
    created_order_ids: Type.Array(Id),
    deleted_order_ids: Type.Array(Id, {
      description: "Orders created by the step and deleted by this undo; they cannot be restored",
    }),
    execution_id: { ...Id, description: "The queued bridge task; see GET /tasks/executions/{id}" },
    execution_status: OneOf(executionStatuses, {
      description: "Current status of the execution, or of its last retry; absent once deleted by retention",
    }),
    label_ids: Type.Array(Id, {
      description:
        "Labels to buy or void; see GET /shipments/labels/{id}. The step is updated with the carrier's response",
    }),
    price: StepPrice,
    error: StepError,
    warning: StepWarning,
  }),
};

export const stepOutcomes = OneOf(["applied", "no_change", "failed", "skipped", "rolled_back", "undo_failed"]);

/** Orders with the same error or warning. */
export const orderGroup = {
  step: Nullable({ ...Count, description: "Step index, from 0; null: applies to the order as a whole" }),
  type: Nullable(Type.String({ description: "Action type of the step" })),
  code: Type.String(),
  message: Type.String({ description: "Common message; ends in … where `reasons` differ" }),
  fix: Type.Optional(Type.String({ description: "If it is the same for all" })),
  count: Count,
  reasons: Type.Array(Type.Object({ message: Type.String(), fix: Type.Optional(Type.String()), count: Count }), {
    description: "Distinct messages, the most frequent first; at most ten",
  }),
  sample: Type.Array(
    Type.Object({ ref: Type.String(), order_id: Nullable(Id), order_number: Nullable(Type.String()) }),
    {
      description: "The first five orders",
    },
  ),
};

export const OrderGroup = Type.Object(orderGroup);

export type OrderGroup = Static<typeof OrderGroup>;
