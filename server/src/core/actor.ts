import { Id, OneOf } from "./schema.ts";
import type { Role, Scope } from "./scopes.ts";
import { Type } from "./type.ts";

/** Who did it, as it is kept in events and in `createdBy`. */
export type Actor =
  | { type: "user"; id: string; email: string }
  | { type: "api_key"; id: string; name: string }
  | { type: "system"; name: string };

/** An actor as answers show it. */
export const ActorShape = Type.Unsafe<Actor>(
  Type.Object({
    type: OneOf(["user", "api_key", "system"]),
    id: Type.Optional(Id),
    email: Type.Optional(Type.String({ description: "Of a user" })),
    name: Type.Optional(Type.String({ description: "Of an API key, or of what the hub does by itself" })),
  }),
);

/** An authenticated caller. */
export type Principal = {
  orgId: string;
  isHubOperator: boolean;
  actor: Actor;
  scopes: ReadonlySet<Scope>;
  role?: Role;
  /** In which a person is signed in; none of API keys, nor of people who come with a token of the OIDC issuer. */
  sessionId?: string;
  /** Who they are was shown at the OIDC issuer, and is shown there again when it matters. */
  isFromIdentityProvider?: boolean;
  /** When the token ends by itself. */
  expiresAt?: Date;
  /** When a person last showed that they are who they are, beyond having a token. */
  authenticatedAt?: Date;
  /** They have codes of an app, or their organization wants it: what matters most needs a recent proof. */
  needsStepUp?: boolean;
  /** Their organization wants codes of an app, and they have none yet: until then they can do nothing else. */
  mustEnrollTotp?: boolean;
};

/** Stable text for things that are bound to one caller, such as idempotency keys. */
export function callerKey(actor: Actor): string {
  return actor.type === "system" ? `system:${actor.name}` : `${actor.type}:${actor.id}`;
}
