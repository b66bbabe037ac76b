import type { Static } from "typebox";
import { Count, DateTime, Id, OneOf, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import { OrderFilterRequest } from "../orders/order-filter.schemas.ts";
import { orderStatuses } from "../orders/orders.states.ts";
import { Code, FailedStep, resultStatuses } from "./result-parts.schemas.ts";

const maxNamed = 10_000;
const Refs = (options: { minItems?: number; description: string }) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: maxNamed, ...options }));

/** Names of `GET /orders`. */
export const SelectionFilter = Type.Unsafe<OrderFilterRequest>({
  ...OrderFilterRequest,
  description:
    "As in GET /orders; parameters that can be repeated there take a list. Empty: all orders that are not archived",
});

export const SelectionRequest = Strict(
  {
    filter: Type.Optional(SelectionFilter),
    refs: Refs({ minItems: 1, description: "Order IDs or numbers, instead of a filter" }),
    run: Type.Optional(
      Strict(
        {
          id: Id,
          status: Type.Optional(OneOf(resultStatuses)),
          code: Type.Optional(Code),
          step: Type.Optional(FailedStep),
        },
        {
          description:
            "The orders of a run instead of a filter: all, those with a result, or those that failed with a code, at a step. Deleted orders are left out",
        },
      ),
    ),
    exclude_order_ids: Refs({ description: "Order IDs or numbers to exclude" }),
  },
  { examples: [{ filter: { status: ["new", "ready"] } }] },
);
export type SelectionRequest = Static<typeof SelectionRequest>;

const SampledOrder = Type.Object({ id: Id, number: Type.String(), status: OneOf(orderStatuses) });
export type SampledOrder = Static<typeof SampledOrder>;

export const Selection = Type.Object({
  id: Id,
  matched: Count,
  not_found: Type.Integer({ minimum: 0, description: "Number of `refs` without an order" }),
  by_status: Type.Record(Type.String(), Count),
  sample: Type.Array(SampledOrder, { description: "The first ten, oldest first" }),
  as_of: DateTime,
  expires_at: DateTime,
});
export type Selection = Static<typeof Selection>;
