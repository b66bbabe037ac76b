import type { Static } from "typebox";
import { ActorShape } from "../../core/actor.ts";
import { Type } from "../../core/type.ts";
import { Before, Count, DateTime, Id, Nullable, OneOf, pageQuery, Since, Strict } from "../../core/schema.ts";
import { objectTypes } from "../../events/event-catalogue.ts";

export const AuditEntry = Type.Object({
  id: Id,
  sequence: Type.Integer({ minimum: 1, description: "Gapless within the organization" }),
  type: Type.String(),
  objectType: Type.String(),
  objectId: Id,
  actor: ActorShape,
  requestId: Nullable(Type.String()),
  data: Type.Record(Type.String(), Type.Unknown()),
  occurredAt: DateTime,
  previousHash: Type.String(),
  hash: Type.String({ description: "SHA-256 over the entry and previousHash" }),
});
export type AuditEntry = Static<typeof AuditEntry>;

/** Looked at for a text, the newest first: a log that has grown for years is not read to its end for each key that is pressed. */
export const maxSearched = 100_000;

const filters = {
  type: Type.Optional(
    Type.String({ maxLength: 100, description: "Such as condition_set.created; docs/events.md has all of them" }),
  ),
  objectType: Type.Optional(OneOf(objectTypes, { description: "What was changed, such as condition_set" })),
  objectId: Type.Optional(Id),
  actorId: Type.Optional(Id),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        "Part of the type, of an id, of who did it, or of the data; among the newest " +
        `${maxSearched.toLocaleString("en-US")} entries that meet the other filters`,
    }),
  ),
  from: Since,
  to: Before,
};

export const AuditQuery = pageQuery(filters);
export type AuditQuery = Static<typeof AuditQuery>;

export const AuditExportQuery = Strict(filters);
export type AuditExportQuery = Static<typeof AuditExportQuery>;

export const AuditHead = Type.Object({
  organizationId: Id,
  environment: OneOf(["live", "preview"]),
  sequence: Type.Integer({ minimum: 1, description: "Of the last entry" }),
  hash: Type.String({ description: "Of the last entry" }),
  signedAt: DateTime,
  keyId: Type.String({ description: "Which secret key of the hub the signing key is derived from" }),
  algorithm: Type.Literal("Ed25519"),
  publicKey: Type.String({ description: "PEM. Keep it apart from the heads: it says who signed them" }),
  signedText: Type.String({ description: "What was signed, word for word; it names all of the above" }),
  signature: Type.String({ description: "Base64" }),
});
export type AuditHead = Static<typeof AuditHead>;

export const AuditVerification = Type.Object({
  ok: Type.Boolean(),
  entries: Count,
  head: Type.Object({
    sequence: Count,
    hash: Type.String({ description: "Keep it elsewhere to detect a cut-off tail" }),
  }),
  firstBroken: Nullable(Type.Object({ sequence: Count, reason: Type.String() })),
});
export type AuditVerification = Static<typeof AuditVerification>;
