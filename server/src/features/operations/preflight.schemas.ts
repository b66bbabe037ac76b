import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Count, DateTime, Id, Nullable, OneOf, optional, Strict } from "../../core/schema.ts";
import type { ActionRequest } from "./operations.schemas.ts";
import { Code } from "./result-parts.schemas.ts";
import {
  StepError,
  StepWarning,
  example,
  maxActions,
  maxOrders,
  orderGroup,
  pipelineFields,
  stepFields,
} from "./operations.schemas.ts";

const verdicts = ["ok", "no_change", "warning", "blocked"] as const;

export const PreflightRequest = Strict(
  {
    ...pipelineFields,
    detail_limit: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxOrders,
        description: "Number of orders to list, those with problems first. Default 1000",
      }),
    ),
    report_filter: Type.Optional(
      Strict(
        optional({
          verdict: OneOf(verdicts),
          step: Type.Integer({ minimum: 0, maximum: maxActions - 1 }),
          code: Code,
          page: Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Page of `detail_limit` orders" }),
        }),
      ),
    ),
  },
  { examples: [example] },
);

export type PreflightBody = Static<typeof PreflightRequest>;

/** With the actions of the saved pipeline where omitted. */
export type PreflightRequest = PreflightBody & { actions: ActionRequest[] };

const PreflightStep = Type.Object({
  ...stepFields,
  verdict: OneOf(["ok", "no_change", "warning", "blocked", "skipped"]),
});

export const PreflightReport = Type.Object({
  preflight_token: Type.String({ description: "Send it with the run to detect orders that changed in between" }),
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
    description: "Errors and warnings, the most frequent first",
  }),
  pipeline: Type.Array(
    Type.Object({
      index: Count,
      type: Type.String(),
      order_count: Count,
      warnings: Type.Array(StepWarning),
      prices: Type.Array(Type.Object({ currency: Type.String(), total: Type.Number(), orders: Count }), {
        description: "Total price over the orders of the step, where prices are known",
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

/** One message of the stream. */
export const PreflightProgress = Type.Object({
  orders: Count,
  evaluated: { ...Count, description: "Orders whose result is known. They are evaluated in batches of 250" },
  prices: Type.Array(
    Type.Object({
      carrier_account_id: Id,
      carrier_account: Type.String(),
      answered: {
        ...Count,
        description: "Parcels the carrier answered for; parcels that are alike are asked for once",
      },
      failed: { ...Count, description: "Parcels without an answer: the carrier failed, or was no longer asked" },
      pending: { ...Count, description: "Parcels of the current batch without an answer yet" },
      status: OneOf(["asking", "waiting", "stopped", "idle"], {
        description:
          "`waiting`: the carrier's rate limit was reached, and the hub waits as long as the carrier asks for. `stopped`: the " +
          "account failed several times in a row and is not asked again",
      }),
    }),
    { description: "By carrier account that was asked for prices" },
  ),
  report: Nullable(PreflightReport),
});
