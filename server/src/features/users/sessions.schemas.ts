import type { Static } from "typebox";
import { Count, DateTime, Id, Nullable, pageQuery } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

const fields = {
  id: Id,
  userId: Id,
  address: Nullable(Type.String({ description: "Where it was begun; null if that was before the hub kept it" })),
  userAgent: Nullable(Type.String({ description: "What the program that signed in called itself" })),
  createdAt: DateTime,
  lastUsedAt: Type.String({ format: "date-time", description: "Within some seconds" }),
  expiresAt: DateTime,
  isBrowser: Type.Boolean({ description: "By a cookie, which also ends when it was not used for 12 hours" }),
};
const SessionRecord = Type.Object(fields);
export type SessionRecord = Static<typeof SessionRecord>;

export const Session = Type.Object({
  ...fields,
  isCurrent: Type.Boolean({ description: "The one this request was made with" }),
});
export type Session = Static<typeof Session>;

export const SessionQuery = pageQuery({
  userId: Type.Optional(Type.String({ format: "uuid", description: "Of somebody else; for administrators" })),
});
export type SessionQuery = Static<typeof SessionQuery>;

export const SessionsEnded = Type.Object({ ended: Count });
