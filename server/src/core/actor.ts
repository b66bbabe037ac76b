import { Id, OneOf } from "./schema.ts";
import type { Role, Scope } from "./scopes.ts";
import { Type } from "./type.ts";

/** Author of a change, as stored in events and in `createdBy`. */
export type Actor =
  | { type: "user"; id: string; email: string; kind?: ActorKind }
  | { type: "api_key"; id: string; name: string; kind?: ActorKind }
  | { type: "system"; name: string };

/** `agent`: an AI assistant acts, with an agent key or through MCP. */
type ActorKind = "agent";

export const ActorKind = Type.Optional(
  OneOf(["agent"], { description: "Set if an AI assistant acted, with an agent key or through MCP" }),
);

/** An actor in responses. */
export const ActorShape = Type.Unsafe<Actor>(
  Type.Object({
    type: OneOf(["user", "api_key", "system"]),
    id: Type.Optional(Id),
    email: Type.Optional(Type.String({ description: "Of a user" })),
    name: Type.Optional(Type.String({ description: "Of an API key or a background process of the hub" })),
    kind: ActorKind,
  }),
);

/** An authenticated caller. */
export type Principal = {
  orgId: string;
  isHubOperator: boolean;
  actor: Actor;
  scopes: ReadonlySet<Scope>;
  /** Set for agent keys. */
  agent?: AgentLimits;
  role?: Role;
  /** Not set for API keys and for tokens of the identity provider. */
  sessionId?: string;
  /** Authenticated by the identity provider, where step-up happens, too. */
  isFromIdentityProvider?: boolean;
  /** Expiry of the token. */
  expiresAt?: Date;
  /** Last time the user proved a password or code, or authenticated at the identity provider. */
  authenticatedAt?: Date;
  /** The user has an authenticator app, or the organization requires step-up for sensitive changes. */
  needsStepUp?: boolean;
  /** The organization requires an authenticator app and the user has none: all other routes are closed. */
  mustEnrollTotp?: boolean;
};

/** Limits of an API key that was created for an AI assistant. */
export type AgentLimits = {
  /** Orders that one run may have. */
  maxOrdersPerRun: number;
};

/** The same caller, recorded as an AI assistant in events and timelines. */
export function asAgent(principal: Principal): Principal {
  const { actor } = principal;
  return actor.type === "system" ? principal : { ...principal, actor: { ...actor, kind: "agent" } };
}

/** Stable key of a caller, for example for idempotency keys. */
export function callerKey(actor: Actor): string {
  return actor.type === "system" ? `system:${actor.name}` : `${actor.type}:${actor.id}`;
}
