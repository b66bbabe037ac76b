import { Type } from "./type.ts";

/** What a `when` looks like: one comparison, or several joined by all, any, not. */
export type Condition =
  | { path: string; op: Operator; value?: unknown }
  | { count: string; where?: Condition; op: Operator; value?: unknown }
  | { sum: string; where?: Condition; op: Operator; value?: unknown }
  | { any_of: string; where: Condition }
  | { all_of: string; where: Condition }
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition };

/** The member that says what a condition is; each has exactly one. */
export const conditionKinds = ["path", "count", "sum", "any_of", "all_of", "all", "any", "not"] as const;

export const conditionLimits = { parts: 200, depth: 10 } as const;

export const operators = [
  "eq",
  "ne",
  "in",
  "not_in",
  "in_set",
  "not_in_set",
  "gt",
  "gte",
  "lt",
  "lte",
  "between",
  "contains",
  "starts_with",
  "ends_with",
  "matches",
  "empty",
  "not_empty",
  "has_tag",
] as const;
export type Operator = (typeof operators)[number];

const named = { $ref: "#/components/schemas/Condition" };
const severalOf = (how: string) => ({
  type: "object",
  required: [how],
  properties: { [how]: { type: "array", minItems: 1, items: named } },
  additionalProperties: false,
});

const plain = ["string", "number", "boolean"];
const computed = [
  {
    type: "object",
    required: ["path"],
    properties: {
      path: { type: "string", description: "Another field" },
      times: { type: "number", description: "A number is multiplied with it" },
      plus: { type: ["number", "string"], description: "Added: a number, or a time span such as `2 working days`" },
    },
    additionalProperties: false,
  },
  {
    type: "object",
    required: ["now"],
    properties: {
      now: { type: "string", description: "A moment by its distance from now, such as `-2 working days` or `4 hours`" },
    },
    additionalProperties: false,
  },
];
const compared = {
  op: { type: "string", enum: operators },
  value: {
    description:
      "A text, number or boolean; a list of them for in, two for between, none for empty and not_empty. Or a value that is " +
      "computed for each record: another field or a moment",
    anyOf: [{ type: plain }, { type: "array", items: { anyOf: [{ type: plain }, ...computed] } }, ...computed],
  },
};
const comparisonOf = (side: string, description: string, more = {}) => ({
  type: "object",
  required: [side, "op"],
  properties: { [side]: { type: "string", description }, ...more, ...compared },
  additionalProperties: false,
});
const elementsOf = (side: string, description: string) => ({
  type: "object",
  required: [side, "where"],
  properties: { [side]: { type: "string", description }, where: named },
  additionalProperties: false,
});

/** The compiler of conditions validates what is inside and reports mistakes precisely; this schema documents it for the API. */
export const ConditionShape = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  "x-documented": {
    description:
      "What something must meet: a comparison of what lies at a path, of a count or a sum, a condition on the elements of a " +
      "list, or all, any or not of others. Lists on a path are looked into, and it is enough that one value there meets the " +
      "comparison. See docs/conditions.md",
    anyOf: [
      comparisonOf("path", "Names joined by dots, such as shippingAddress.countryCode"),
      comparisonOf("count", "A list, such as lines: the number of its elements", { where: named }),
      comparisonOf("sum", "A number in the elements of a list, such as lines.quantity", { where: named }),
      elementsOf("any_of", "A list, such as lines: at least one element meets `where`"),
      elementsOf("all_of", "A list, such as lines: it has elements, and all of them meet `where`"),
      severalOf("all"),
      severalOf("any"),
      { type: "object", required: ["not"], properties: { not: named }, additionalProperties: false },
    ],
  },
});
