import type { Static } from "typebox";
import { Origin } from "../../core/extension-point.ts";
import { Type } from "../../core/type.ts";
import {
  Count,
  DateTime,
  Id,
  linePattern,
  Name,
  Nullable,
  OneOf,
  pageQuery,
  Strict,
  Version,
} from "../../core/schema.ts";

const Anything = Type.Record(Type.String(), Type.Unknown());
const Concurrency = Type.Integer({
  minimum: 1,
  maximum: 50,
  description: "Maximum concurrent executions; default: that of the connector",
});

const OrderNumberPrefix = Type.String({
  minLength: 1,
  maxLength: 20,
  pattern: linePattern,
  description: "Prefix for the numbers of imported orders, to distinguish orders of several shops",
});

export const BridgeRequest = Strict(
  {
    name: Name,
    connector: Type.String({ maxLength: 50, description: "One of GET /bridges/connectors" }),
    settings: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({ ...Anything, description: "As defined by the connector" }),
    ),
    credentials: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({ ...Anything, description: "Stored encrypted, never returned" }),
    ),
    isActive: Type.Optional(Type.Boolean({ description: "Default: true" })),
    concurrency: Type.Optional(Concurrency),
    orderNumberPrefix: Type.Optional(OrderNumberPrefix),
  },
  { examples: [{ name: "Demo shop", connector: "demo" }] },
);
export type BridgeRequest = Static<typeof BridgeRequest>;

export const BridgePatch = Strict(
  {
    name: Type.Optional(Name),
    settings: Type.Optional(Anything),
    credentials: Type.Optional(Nullable(Anything)),
    isActive: Type.Optional(Type.Boolean({ description: "An inactive bridge executes no tasks" })),
    concurrency: Type.Optional(Nullable(Concurrency)),
    orderNumberPrefix: Type.Optional(Nullable(OrderNumberPrefix)),
  },
  { examples: [{ isActive: false }] },
);
export type BridgePatch = Static<typeof BridgePatch>;

const healthStates = ["unknown", "healthy", "failing"] as const;

const Problem = Type.Object({ code: Type.String(), message: Type.String() });

export const Bridge = Type.Object({
  id: Id,
  name: Type.String(),
  connector: Type.String(),
  settings: Anything,
  hasCredentials: Type.Boolean(),
  isActive: Type.Boolean(),
  concurrency: Nullable(Type.Integer()),
  orderNumberPrefix: Nullable(Type.String()),
  health: Type.Object({
    status: OneOf(healthStates),
    consecutiveFailures: Count,
    lastSuccessAt: Nullable(DateTime),
    lastFailureAt: Nullable(DateTime),
    lastError: Nullable(Problem),
  }),
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type Bridge = Static<typeof Bridge>;

export const BridgeQuery = pageQuery({
  connector: Type.Optional(Type.String({ maxLength: 50 })),
  isActive: Type.Optional(Type.Boolean()),
  search: Type.Optional(Type.String({ maxLength: 100, description: "Part of the name" })),
});
export type BridgeQuery = Static<typeof BridgeQuery>;

const JsonSchema = Type.Unsafe<object>({ type: "object", additionalProperties: true, description: "A JSON Schema" });

const taskSummary = {
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  mode: OneOf(["call", "pull", "push"]),
};

export const TaskInfo = Type.Object({
  ...taskSummary,
  idempotent: Type.Boolean({ description: "Repeated automatically if the outcome is unknown" }),
  timeoutSeconds: Type.Number(),
  inputSchema: JsonSchema,
  outputSchema: JsonSchema,
});
export const TaskCatalog = Type.Object({ data: Type.Array(TaskInfo) });

export const ConnectorCatalog = Type.Object({
  data: Type.Array(
    Type.Object({
      name: Type.String(),
      title: Type.String(),
      description: Type.String(),
      plugin: Origin,
      settingsSchema: JsonSchema,
      credentialsSchema: JsonSchema,
      isOffline: Type.Boolean({ description: "Makes no network calls" }),
      tasks: Type.Array(Type.Object(taskSummary), {
        description: "Built-in tasks; settings can define more, as for rest",
      }),
    }),
  ),
});

export const TestAnswer = Type.Object({
  ok: Type.Boolean(),
  durationMs: Type.Number(),
  result: Nullable(Anything),
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String(), retryable: Type.Boolean() })),
});
export type TestAnswer = Static<typeof TestAnswer>;
