import type { Static } from "typebox";
import { ConditionShape } from "../../core/condition-shape.ts";
import { Origin } from "../../core/extension-point.ts";
import { Id, Nullable, OneOf, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import { StepError } from "./operations.schemas.ts";

export const CatalogQuery = Strict({
  order_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "The id or number of an order: says of each action whether it is possible for it, and why not",
    }),
  ),
});
export type CatalogQuery = Static<typeof CatalogQuery>;

export const CatalogEntry = Type.Object({
  type: Type.String(),
  title: Type.String(),
  group: Type.String(),
  description: Type.String(),
  plugin: Origin,
  params_schema: Type.Record(Type.String(), Type.Unknown()),
  example: Type.Record(Type.String(), Type.Unknown()),
  allowed_statuses: Type.Array(Type.String()),
  effect: OneOf(["local", "external"]),
  reversible: Type.Boolean(),
  irreversible_reason: Nullable(Type.String({ description: "Why it cannot be undone, and what can be done instead" })),
  idempotent: Type.Boolean(),
  blocked_by_hold: Type.Boolean(),
  asks_carriers: Type.Boolean({
    description:
      "A preflight may ask carriers, which takes time for many orders: use POST /operations/preflight/stream",
  }),
  scope: Type.String(),
  available: Type.Boolean(),
  unavailable_reason: Nullable(Type.String()),
  applicable: Type.Optional(
    Type.Boolean({
      description: "With `order_id`: nothing forbids it for this order; what its params ask for may still be refused",
    }),
  ),
  not_applicable_reason: Type.Optional(Nullable(StepError)),
});
const fieldTypes = ["text", "number", "boolean", "date", "id", "choice", "tags"] as const;
const ConditionField = Type.Object({
  path: Type.String({ description: "As a condition names it; `*` stands for any name, as of a custom field" }),
  title: Type.String(),
  type: OneOf(fieldTypes),
  operators: Type.Array(Type.String(), { description: "Those that make sense for it" }),
  values: Nullable(Type.Array(Type.String(), { description: "All that there are" })),
  entity: Nullable(Type.String({ description: "What it is the id of" })),
  available: Type.Boolean({ description: "false: to ask about it takes the scope pii:read" }),
});
export type ConditionField = Static<typeof ConditionField>;
export const ConditionFields = Type.Object({
  data: Type.Array(ConditionField),
  operators: Type.Array(Type.String()),
  lists: Type.Array(Type.String(), { description: "What count, any_of and all_of can name" }),
});

export const ExplainRequest = Strict(
  {
    order_id: Type.String({ minLength: 1, maxLength: 100, description: "The ID or number of an order" }),
    when: ConditionShape,
  },
  { examples: [{ order_id: "ORD-1001", when: { path: "total", op: "gte", value: 100 } }] },
);
export type ExplainRequest = Static<typeof ExplainRequest>;

const Explained = Type.Object({
  pointer: Type.String({ description: "Where in the request the condition is" }),
  depth: Type.Integer({ minimum: 0, description: "How deep it is nested" }),
  text: Type.String({ description: "A sentence about the order, such as: Total is not at least 100: it is 80." }),
  met: Type.Boolean(),
  found: Nullable(
    Type.Array(Type.Unknown(), { description: "The first 100 values of the order; null for conditions with parts" }),
  ),
});
export type Explained = Static<typeof Explained>;

export const Explanation = Type.Object({
  order_id: Id,
  order_number: Type.String(),
  met: Type.Boolean(),
  parts: Type.Array(Explained, {
    description:
      "The condition and those inside it, each before its parts. The condition on the elements of a list is there for each element",
  }),
});
export type Explanation = Static<typeof Explanation>;

export const Catalog = Type.Object({ data: Type.Array(CatalogEntry), groups: Type.Array(Type.String()) });
