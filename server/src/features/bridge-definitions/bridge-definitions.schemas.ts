import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Id, Name, Nullable, OneOf, Strict } from "../../core/schema.ts";
import { Bridge } from "../bridges/bridges.schemas.ts";

const Variable = Type.Object({
  name: Type.String(),
  label: Type.String(),
  description: Nullable(Type.String()),
  example: Type.String(),
  default: Type.Unsafe<string | number | null>({
    type: ["string", "number", "null"],
    description: "Used if the request has no value. Null: the variable is required",
  }),
  format: OneOf(["text", "url", "number"]),
});

const Credential = Type.Object({
  name: Type.String(),
  label: Type.String(),
  description: Nullable(Type.String()),
  isSecret: Type.Boolean({
    description: "Whether a form should hide what is typed. All credentials are stored encrypted",
  }),
  isRequired: Type.Boolean(),
});

const Task = Type.Object({ name: Type.String(), mode: OneOf(["pull", "push", "call"]) });

export const Definition = Type.Object({
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  docs: Type.String({ description: "The document about this system, in the repository of the hub" }),
  requiredScopes: Type.String({ description: "What the account or token must be allowed to do in the other system" }),
  variables: Type.Array(Variable),
  credentials: Type.Array(Credential),
  tasks: Type.Array(Task),
  schedules: Type.Array(Type.Object({ taskName: Type.String(), cron: Type.String() }), {
    description: "Created if the installation asks for them",
  }),
});
export type Definition = Static<typeof Definition>;

export const DefinitionCatalog = Type.Object({ data: Type.Array(Definition) });

const Value = Type.Union([Type.String({ maxLength: 500 }), Type.Number()]);

export const InstallRequest = Strict(
  {
    name: { ...Name, description: "Name of the new bridge" },
    variables: Type.Optional(
      Type.Record(Type.String({ maxLength: 64 }), Value, { description: "By the names of the definition's variables" }),
    ),
    credentials: Type.Optional(
      Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 10_000 }), {
        description: "By the names of the definition's credentials. Stored encrypted, never returned",
      }),
    ),
    schedules: Type.Optional(
      Type.Boolean({ default: false, description: "Whether to create the proposed schedules as well" }),
    ),
  },
  {
    examples: [
      { name: "Web shop", variables: { shopUrl: "https://shop.example.com" }, credentials: { token: "abc..." } },
    ],
  },
);
export type InstallRequest = Static<typeof InstallRequest>;

export const Installation = Type.Object({
  bridge: Bridge,
  transformations: Type.Array(
    Type.Object({ id: Id, taskName: Type.String(), direction: OneOf(["inbound", "outbound"]) }),
  ),
  schedules: Type.Array(Type.Object({ id: Id, taskName: Type.String(), cron: Type.String() })),
});
export type Installation = Static<typeof Installation>;
