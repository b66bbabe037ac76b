import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { Type } from "../../core/type.ts";
import { Origin } from "../../core/extension-point.ts";
import { Count, DateTime, Id, Name, OneOf, pageQuery, Strict, Version } from "../../core/schema.ts";
import { mappingLimits, Problem } from "./language/mapping-run.ts";
import { valueTypes } from "./language/mapping-values.ts";
import { onErrors } from "./language/normalise-mapping.ts";
import { transformCatalog } from "./language/transform-catalog.ts";

const Anything = Type.Record(Type.String(), Type.Unknown());
const AnyValue = Type.Unsafe<unknown>({});
const about = (description: string, documented: object = {}) =>
  Type.Optional(Type.Unsafe<unknown>({ description, "x-documented": documented }));
const text = { type: "string", minLength: 1, maxLength: 500 };
const condition = { $ref: "#/components/schemas/Condition" };
const mappingsInside = { type: "array", items: { $ref: "#/components/schemas/Mapping" } };

/** A transform: its name, or an object with its name and its parameters, or only its default parameter. */
const transformShapes = transformCatalog.map(({ name, params, main, text: description }) => {
  const alone = main === undefined ? undefined : (params as { properties?: Record<string, object> }).properties?.[main];
  return {
    type: "object",
    description,
    required: [name],
    properties: { [name]: alone === undefined ? params : { anyOf: [params, alone] } },
    additionalProperties: false,
  };
});

/** The compiler of the language validates what is inside and reports mistakes precisely; this schema documents it for the API. */
export const MappingTransform = Type.Unsafe<string | object>({
  type: ["string", "object"],
  "x-documented": {
    description: "A step of a mapping; see GET /transformations/transforms and docs/mapping.md",
    anyOf: [{ type: "string", enum: transformCatalog.map(({ name }) => name) }, ...transformShapes],
  },
});

export const Mapping = Type.Object(
  {
    target: about(
      "Path in the output: a.b, ['x y'], list[0]; list[] appends; $ merges an object into the output",
      text,
    ),
    source: about(
      "Path in the data: a.b or $.a.b; @.b in the element of an each, ^.b in the object around that element; [0], [-1], [*], " +
        "['x y']; $now(), @index(), @number(), @count(), @group()",
      text,
    ),
    value: about("A constant instead of a source"),
    template: about("A text with placeholders instead of a source: {{first}} {{last}}", {
      type: "string",
      maxLength: 5_000,
    }),
    each: about("A list instead of a source: the inner mappings run for each element", text),
    where: about("Filters the elements of an each: a condition in which @ is the element", condition),
    groupBy: about(
      "Paths in each element by which the elements of an each are grouped. The inner mappings run once per group, with @ as its " +
        "first element and @group() as all of them",
      { anyOf: [text, { type: "array", items: text, minItems: 1, maxItems: 5 }] },
    ),
    mappings: about("The inner mappings of an each", mappingsInside),
    type: about("Converts the value to this type", { type: "string", enum: valueTypes }),
    default: about("Replaces a missing value or null. An empty string is a value"),
    required: about("A missing value is an error", { type: "boolean" }),
    transforms: about('Steps such as "trim" or {"round": 2}, applied in order', {
      type: "array",
      items: MappingTransform,
      maxItems: mappingLimits.transformsPerMapping,
    }),
    when: about(
      "A condition, evaluated first, and once for an each. If it is not met, the mapping is skipped",
      condition,
    ),
    onError: about("What to do with a value that cannot be mapped", { type: "string", enum: onErrors }),
    note: about("A comment", { type: "string", maxLength: 500 }),
  },
  { additionalProperties: true },
);

const Mappings = Type.Array(Mapping, {
  maxItems: mappingLimits.mappings,
  description: "An empty list passes the data unchanged",
});
const Direction = OneOf(["inbound", "outbound"], {
  description: "inbound: data that a task brings into the hub; outbound: data that a task sends",
});
const Mode = OneOf(["extend", "replace"], {
  description:
    "replace: the output is used alone. extend: it is merged into the data that would be used without the transformation (for a " +
    "pulled record the output of the connector, otherwise the data): members of objects are merged, lists are replaced, null " +
    "removes. Default: extend for records pulled from a shop, else replace",
});
const TaskName = Type.String({ minLength: 1, maxLength: 100, description: "One of GET /bridges/{id}/tasks" });

const exampleMappings = [
  { source: "$.order_number", target: "number", type: "string" },
  { source: "shipping.zip", target: "shippingAddress.zip", transforms: ["trim"] },
];

export const TransformationRequest = Strict(
  {
    name: Name,
    bridgeId: Id,
    taskName: TaskName,
    direction: Direction,
    mode: Type.Optional(Mode),
    mappings: Mappings,
    isActive: Type.Optional(Type.Boolean({ description: "Default: true" })),
  },
  {
    examples: [
      {
        name: "Shop orders",
        bridgeId: "0199f0a0-0000-7000-8000-000000000003",
        taskName: "noop",
        direction: "inbound",
        mappings: exampleMappings,
        isActive: true,
      },
    ],
  },
);
export type TransformationRequest = Static<typeof TransformationRequest>;

export const TransformationPatch = Strict(
  {
    name: Type.Optional(Name),
    bridgeId: Type.Optional(Id),
    taskName: Type.Optional(TaskName),
    direction: Type.Optional(Direction),
    mode: Type.Optional(Mode),
    mappings: Type.Optional(Mappings),
    isActive: Type.Optional(Type.Boolean()),
  },
  { examples: [{ mappings: exampleMappings }] },
);
export type TransformationPatch = Static<typeof TransformationPatch>;

const MappingWarning = Type.Object({
  index: Type.Integer(),
  target: Type.String(),
  path: Type.String(),
  code: Type.String({
    description:
      "unknown_target: the records of the task have no such field. required_target: they need this field, and no mapping fills it. source_missing: nothing lies there in the data. condition_outside_each: `when` of an each names what its elements have, " +
      "which `where` is for. overwritten: another mapping wrote there before. empty_value_kept: an empty text is no missing " +
      "value, so `default` did not apply. Or an error that onError settled",
  }),
  message: Type.String(),
  source: Type.Optional(Type.String()),
  suggestion: Type.Optional(Type.String({ description: "The path that was probably meant" })),
});

export const Transformation = Type.Object({
  id: Id,
  name: Type.String(),
  bridgeId: Id,
  taskName: Type.String(),
  direction: Direction,
  mode: Mode,
  mappings: Type.Array(Anything),
  isActive: Type.Boolean(),
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type Transformation = Static<typeof Transformation>;

export const SavedTransformation = Type.Object({
  ...Transformation.properties,
  warnings: Type.Optional(
    Type.Array(MappingWarning, {
      description:
        "Targets that are no field of the task's records, and required fields that no mapping fills; absent if there are none",
    }),
  ),
});
export type SavedTransformation = Static<typeof SavedTransformation>;

export const TransformationQuery = pageQuery({
  bridgeId: Type.Optional(Id),
  taskName: Type.Optional(Type.String({ maxLength: 100 })),
  direction: Type.Optional(Direction),
  isActive: Type.Optional(Type.Boolean()),
});
export type TransformationQuery = Static<typeof TransformationQuery>;

export const ReplaceQuery = Strict({
  replace: Type.Optional(
    Type.Boolean({ description: "Deactivate the active transformation of this bridge, task and direction" }),
  ),
});
export type ReplaceQuery = Static<typeof ReplaceQuery>;

export const maxSampleBytes = 6 * 1024 * 1024;

export const TestRequest = Strict(
  { mappings: Mappings, sampleData: Anything },
  { examples: [{ mappings: exampleMappings, sampleData: { order_number: 1001, shipping: { zip: " 10001" } } }] },
);
export type TestRequest = Static<typeof TestRequest>;

export const SavedTestRequest = Strict(
  { sampleData: Anything },
  { examples: [{ sampleData: { order_number: 1001, shipping: { zip: " 10001" } } }] },
);
export type SavedTestRequest = Static<typeof SavedTestRequest>;

export const TestResult = Type.Object({
  ok: Type.Boolean(),
  output: Anything,
  errors: Type.Array(Problem),
  warnings: Type.Array(MappingWarning),
  trace: Type.Array(
    Type.Object({
      index: Type.Integer(),
      target: Type.String(),
      path: Type.String(),
      status: OneOf(["mapped", "defaulted", "skipped", "error"]),
      reason: Type.Optional(Type.String({ description: "Why the status is not `mapped`" })),
      from: Type.Optional(AnyValue),
      steps: Type.Optional(
        Type.Array(Type.Object({ transform: Type.String(), to: Type.Optional(AnyValue) }), {
          description: "The output of each transform, up to the first error",
        }),
      ),
      to: Type.Optional(AnyValue),
    }),
  ),
  unusedSource: Type.Array(Type.String()),
  durationMs: Type.Number(),
});
export type TestResult = Static<typeof TestResult>;

export const SuggestRequest = Strict(
  { sampleData: Anything, targetExample: Anything },
  { examples: [{ sampleData: { order_no: 1001 }, targetExample: { orderNumber: 1001 } }] },
);
export type SuggestRequest = Static<typeof SuggestRequest>;

export const SuggestAnswer = Type.Object({
  mappings: Type.Array(Anything),
  matches: Type.Array(
    Type.Object({ target: Type.String(), source: Type.String(), confidence: Type.Number({ description: "0 to 1" }) }),
  ),
  unmatched: Type.Array(Type.String({ description: "A target without a similar field in the sample" })),
});

export const TransformationVersion = Type.Object({
  version: Count,
  name: Type.String(),
  mode: Mode,
  mappings: Type.Array(Anything),
  isActive: Type.Boolean(),
  createdBy: ActorShape,
  createdAt: DateTime,
});
export type TransformationVersion = Static<typeof TransformationVersion>;

export const VersionsQuery = pageQuery({});
export type VersionsQuery = Static<typeof VersionsQuery>;

export const RollbackRequest = Strict(
  { version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) },
  { examples: [{ version: 1 }] },
);
export type RollbackRequest = Static<typeof RollbackRequest>;

export const TransformCatalog = Type.Object({
  data: Type.Array(
    Type.Object({
      name: Type.String(),
      group: Type.String(),
      description: Type.String(),
      plugin: Origin,
      paramsSchema: Type.Unsafe<object>({ type: "object", additionalProperties: true, description: "A JSON Schema" }),
      defaultParam: Type.Optional(Type.String({ description: "The parameter that may be given alone" })),
      example: Type.Object({ transform: AnyValue, from: AnyValue, to: AnyValue, data: Type.Optional(Anything) }),
    }),
  ),
});
