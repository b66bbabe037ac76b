import { Type } from "./type.ts";

/** What a `when` looks like: one comparison, or several joined by all, any, not. */
export type Condition =
  | { path: string; op: Operator; value?: unknown }
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition };

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

/** The compiler of conditions validates what is inside and reports mistakes precisely; this schema documents it for the API. */
export const ConditionShape = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  "x-documented": {
    description:
      "What something must meet: a comparison of what lies at a path, or all, any or not of others. Lists on the way are " +
      "looked into, and it is enough that one value there meets it. See docs/conditions.md",
    anyOf: [
      {
        type: "object",
        required: ["path", "op"],
        properties: {
          path: { type: "string", description: "Names joined by dots, such as shippingAddress.countryCode" },
          op: { type: "string", enum: operators },
          value: {
            description:
              "A text, number or boolean; a list of them for in, two for between, none for empty and not_empty",
            anyOf: [
              { type: ["string", "number", "boolean"] },
              { type: "array", items: { type: ["string", "number", "boolean"] } },
            ],
          },
        },
        additionalProperties: false,
      },
      severalOf("all"),
      severalOf("any"),
      { type: "object", required: ["not"], properties: { not: named }, additionalProperties: false },
    ],
  },
});
