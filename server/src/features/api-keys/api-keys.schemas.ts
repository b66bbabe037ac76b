import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { Type } from "../../core/type.ts";
import { scopes } from "../../core/scopes.ts";
import { DateTime, Id, Name, Nullable, OneOf, pageQuery, Strict } from "../../core/schema.ts";

const ScopeName = OneOf(scopes);

export const ApiKeyRequest = Strict(
  {
    name: Name,
    scopes: Type.Optional(
      Type.Array(ScopeName, { minItems: 1, uniqueItems: true, description: "Default: all scopes of the creator" }),
    ),
    expiresAt: Type.Optional(Type.String({ format: "date-time", description: "In the future; default: never" })),
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
        description: "How long the old value still works; default one day",
      }),
    ),
  },
  { examples: [{ graceSeconds: 3600 }] },
);
export type RotateRequest = Static<typeof RotateRequest>;

const fields = {
  id: Id,
  name: Type.String(),
  prefix: Type.String({ description: "The readable start of the value" }),
  last4: Type.String(),
  scopes: Type.Array(ScopeName),
  status: OneOf(["active", "expired"]),
  environment: OneOf(["live", "preview"]),
  createdBy: ActorShape,
  createdAt: DateTime,
  expiresAt: Nullable(DateTime),
  lastUsedAt: Nullable(DateTime),
  replacedBy: Nullable(Id),
};

export const ApiKey = Type.Object(fields);
export type ApiKey = Static<typeof ApiKey>;

export const ApiKeyWithValue = Type.Object({
  ...fields,
  key: Type.String({ description: "The value; shown this one time" }),
});

export const RotatedApiKey = Type.Object({
  ...fields,
  key: Type.String({ description: "The new value; shown this one time" }),
  replaces: Id,
  previousExpiresAt: DateTime,
});

export const ApiKeyQuery = pageQuery({});
export type ApiKeyQuery = Static<typeof ApiKeyQuery>;
