import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { Before, Count, DateTime, Id, Nullable, OneOf, pageQuery, Since } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

export const LoggedRequest = Type.Object({
  id: Id,
  requestId: Type.String({ description: "As the answer had it in `X-Request-Id`" }),
  at: DateTime,
  method: Type.String(),
  route: Type.String({ description: "With the names of what is in the path, such as /api/v1/orders/:id" }),
  objectId: Nullable(Type.String({ format: "uuid", description: "What the path names, if it does so by id" })),
  status: Type.Integer(),
  code: Nullable(Type.String({ description: "Of the problem" })),
  durationMs: Count,
  actor: ActorShape,
  leftOut: Type.Integer({
    minimum: 0,
    description: "So many requests before this one, on the same node, were too many to be kept",
  }),
});
export type LoggedRequest = Static<typeof LoggedRequest>;

export const RequestQuery = pageQuery({
  requestId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  actorId: Type.Optional(Id),
  method: Type.Optional(OneOf(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])),
  route: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  objectId: Type.Optional(Id),
  outcome: Type.Optional(OneOf(["failed", "succeeded"], { description: "failed: answered with 400 or more" })),
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  from: Since,
  to: Before,
});
export type RequestQuery = Static<typeof RequestQuery>;
