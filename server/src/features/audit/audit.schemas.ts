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

/** Newest entries that a text search reads. Without a limit, each search would scan a log of years. */
export const maxSearched = 100_000;

const filters = {
  type: Type.Optional(
    Type.String({ maxLength: 100, description: "Event type, such as condition_set.created; see docs/events.md" }),
  ),
  objectType: Type.Optional(OneOf(objectTypes, { description: "Type of the changed record, such as condition_set" })),
  objectId: Type.Optional(Id),
  actorId: Type.Optional(Id),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        "Text in the type, IDs, actor or data; searches the newest " +
        `${maxSearched.toLocaleString("en-US")} entries that match the other filters`,
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
  keyId: Type.String({ description: "ID of the hub's secret key that the signing key is derived from" }),
  algorithm: Type.Literal("Ed25519"),
  publicKey: Type.String({ description: "PEM. Store it separately from the heads: it proves who signed them" }),
  signedText: Type.String({ description: "The signed text, which contains all fields above" }),
  signature: Type.String({ description: "Base64" }),
});
export type AuditHead = Static<typeof AuditHead>;

export const AuditVerification = Type.Object({
  ok: Type.Boolean(),
  entries: Count,
  head: Type.Object({
    sequence: Count,
    hash: Type.String({ description: "Store it outside of the hub to detect a truncated log" }),
  }),
  firstInvalidEntry: Nullable(Type.Object({ sequence: Count, reason: Type.String() })),
});
export type AuditVerification = Static<typeof AuditVerification>;
