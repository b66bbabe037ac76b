import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { Type } from "../../core/type.ts";
import { scopes } from "../../core/scopes.ts";
import { DateTime, Id, Name, Nullable, OneOf, optional, pageQuery, Strict } from "../../core/schema.ts";

const ScopeName = OneOf(scopes);

const MaxOrdersPerRun = Type.Integer({ minimum: 1, maximum: 10_000, description: "Orders that one run may have" });

export const ApiKeyRequest = Strict(
  {
    name: Name,
    scopes: Type.Optional(
      Type.Array(ScopeName, {
        minItems: 1,
        uniqueItems: true,
        description:
          "Default, with a warning: all scopes of the creator except admin, operations:override, audit:read and those of hub operators",
      }),
    ),
    expiresAt: Type.Optional(
      Type.String({
        format: "date-time",
        description:
          "Must be in the future. Default, with a warning: never. Of an agent key: at most 7 days from now; default 24 hours",
      }),
    ),
    agent: Type.Optional(
      Strict(optional({ maxOrdersPerRun: { ...MaxOrdersPerRun, default: 100 } }), {
        description:
          "Creates a key for an AI assistant. Its changes need a preflight or a confirmation (POST /mcp), its runs are limited, " +
          "and events and timelines show `kind: agent`. Scopes by default: those to read, without pii:read; admin, " +
          "operations:override and scopes of hub operators are refused",
      }),
    ),
  },
  { examples: [{ name: "Warehouse screen", scopes: ["condition_sets:read", "gateway:read"] }] },
);
export type ApiKeyRequest = Static<typeof ApiKeyRequest>;

export const RotateRequest = Strict(
  {
    graceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        description: "How long the previous value keeps working; default one day",
      }),
    ),
  },
  { examples: [{ graceSeconds: 3600 }] },
);
export type RotateRequest = Static<typeof RotateRequest>;

const fields = {
  id: Id,
  name: Type.String(),
  prefix: Type.String({ description: "First characters of the value, to recognize the key" }),
  last4: Type.String(),
  scopes: Type.Array(ScopeName),
  status: OneOf(["active", "expired"]),
  environment: OneOf(["live", "preview"]),
  createdBy: ActorShape,
  createdAt: DateTime,
  expiresAt: Nullable(DateTime),
  lastUsedAt: Nullable(DateTime),
  replacedBy: Nullable(Id),
  agent: Nullable(
    Type.Object(
      { maxOrdersPerRun: MaxOrdersPerRun },
      { description: "Limits of an agent key; null: not an agent key" },
    ),
  ),
  creatorDeleted: Type.Boolean({
    description:
      "The creator was disabled or deleted before the hub revoked keys with their creators. Rotate or delete this key",
  }),
};

export const ApiKey = Type.Object(fields);
export type ApiKey = Static<typeof ApiKey>;

export const ApiKeyWithValue = Type.Object({
  ...fields,
  key: Type.String({ description: "The value of the key; only in this response" }),
  warnings: Type.Array(Type.Object({ code: OneOf(["all_scopes", "never_expires"]), message: Type.String() })),
});

/** Effect on an API key when its creator loses scopes. */
export const KeyOutcome = Type.Object({
  id: Id,
  name: Type.String(),
  outcome: OneOf(["deleted", "scopes_reduced"]),
  scopes: Type.Array(ScopeName, { description: "Remaining scopes" }),
});
export type KeyOutcome = Static<typeof KeyOutcome>;

export const RotatedApiKey = Type.Object({
  ...fields,
  key: Type.String({ description: "The new value of the key; only in this response" }),
  replaces: Id,
  previousExpiresAt: DateTime,
});

export const ApiKeyQuery = pageQuery({});
export type ApiKeyQuery = Static<typeof ApiKeyQuery>;
