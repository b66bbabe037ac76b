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
      Type.Array(ScopeName, {
        minItems: 1,
        uniqueItems: true,
        description:
          "Name what the key needs. Default: all scopes of the creator, with a warning, but those that only administrators have " +
          "(admin, operations:override, audit:read, and those beyond the organization)",
      }),
    ),
    expiresAt: Type.Optional(
      Type.String({ format: "date-time", description: "In the future; default: never, with a warning" }),
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
  makerIsGone: Type.Boolean({
    description:
      "Made by somebody who was disabled or deleted before keys ended with their makers: rotate or delete it",
  }),
};

export const ApiKey = Type.Object(fields);
export type ApiKey = Static<typeof ApiKey>;

export const ApiKeyWithValue = Type.Object({
  ...fields,
  key: Type.String({ description: "The value; shown this one time" }),
  warnings: Type.Array(Type.Object({ code: OneOf(["all_scopes", "never_expires"]), message: Type.String() })),
});

/** What became of a key when its maker lost what it was made with. */
export const KeyOutcome = Type.Object({
  id: Id,
  name: Type.String(),
  outcome: OneOf(["ended", "reduced"]),
  scopes: Type.Array(ScopeName, { description: "Those that are left" }),
});
export type KeyOutcome = Static<typeof KeyOutcome>;

export const RotatedApiKey = Type.Object({
  ...fields,
  key: Type.String({ description: "The new value; shown this one time" }),
  replaces: Id,
  previousExpiresAt: DateTime,
});

export const ApiKeyQuery = pageQuery({});
export type ApiKeyQuery = Static<typeof ApiKeyQuery>;
