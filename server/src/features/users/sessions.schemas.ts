import type { Static } from "typebox";
import { Count, DateTime, Id, Nullable, pageQuery } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

const fields = {
  id: Id,
  userId: Id,
  address: Nullable(Type.String({ description: "IP address of the sign-in; null for sessions older than this field" })),
  userAgent: Nullable(Type.String({ description: "User-Agent header of the sign-in" })),
  createdAt: DateTime,
  lastUsedAt: Type.String({ format: "date-time", description: "Accurate to a few seconds" }),
  expiresAt: DateTime,
  isBrowser: Type.Boolean({ description: "A cookie session, which also expires after 12 hours without a request" }),
};
const SessionRecord = Type.Object(fields);
export type SessionRecord = Static<typeof SessionRecord>;

export const Session = Type.Object({
  ...fields,
  isCurrent: Type.Boolean({ description: "The session of this request" }),
});
export type Session = Static<typeof Session>;

export const SessionQuery = pageQuery({
  userId: Type.Optional(Type.String({ format: "uuid", description: "Sessions of this user; administrators only" })),
});
export type SessionQuery = Static<typeof SessionQuery>;

export const SessionsRevoked = Type.Object({ revokedCount: Count });
