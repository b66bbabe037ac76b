import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { Before, Count, DateTime, Id, Nullable, OneOf, pageQuery, Since } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

export const LoggedRequest = Type.Object({
  id: Id,
  requestId: Type.String({ description: "As in the response header `X-Request-Id`" }),
  at: DateTime,
  method: Type.String(),
  route: Type.String({ description: "Path with parameter names, such as /api/v1/orders/:id" }),
  objectId: Nullable(Type.String({ format: "uuid", description: "Innermost ID in the path" })),
  status: Type.Integer(),
  code: Nullable(Type.String({ description: "Error code" })),
  durationMs: Count,
  actor: ActorShape,
  droppedCount: Type.Integer({
    minimum: 0,
    description: "Requests to the same node that were dropped since the previous entry",
  }),
});
export type LoggedRequest = Static<typeof LoggedRequest>;

export const RequestQuery = pageQuery({
  requestId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  actorId: Type.Optional(Id),
  method: Type.Optional(OneOf(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])),
  route: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  objectId: Type.Optional(Id),
  outcome: Type.Optional(OneOf(["failed", "succeeded"], { description: "failed: status 400 or above" })),
  code: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  from: Since,
  to: Before,
});
export type RequestQuery = Static<typeof RequestQuery>;
