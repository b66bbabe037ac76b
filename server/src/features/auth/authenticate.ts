import type { Principal } from "../../core/actor.ts";
import { HubError } from "../../core/errors.ts";
import { scopesOfRole } from "../../core/scopes.ts";
import type { World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import { createSignalledCache } from "../../db/signalled-cache.ts";
import { authenticateKey, looksLikeApiKey } from "../api-keys/key-authentication.ts";
import type { UserIdentity } from "../users/users.schemas.ts";
import { browserIdleMs, getBrowserSession, getLiveSession } from "../users/live-sessions.ts";
import { findIdentityAcrossOrgs, findOidcIdentity } from "../users/users.ts";
import { verifyOidcToken } from "./oidc.ts";
import { ownIssuer, verifyUserToken } from "./user-tokens.ts";

const jwtShape = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
const maxTokenLength = 8_192;

const users = perWorld((world) =>
  createSignalledCache<UserIdentity>(
    world.signals,
    "user",
    (id) => findIdentityAcrossOrgs(world.db, id),
    (user) => user.id,
  ),
);

/** Credentials of a request: the Authorization header, or the session cookie of a browser. */
export type Credential = { authorization?: string | undefined; cookie?: string | undefined };

/** Authenticates an API key, an access token of the hub, a token of the identity provider, or a session cookie. */
export async function authenticate(world: World, { authorization: header, cookie }: Credential): Promise<Principal> {
  // The browser attaches cookies by default, a header is explicit: the header takes precedence.
  if (header === undefined && cookie !== undefined) return await authenticateCookie(world, cookie);
  if (header === undefined)
    throw new HubError("missing_token", "Send `Authorization: Bearer <API key or access token>`.");
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (token === undefined || token.length > maxTokenLength) {
    throw new HubError("malformed_token", "The Authorization header must be `Bearer <token>`.");
  }
  if (looksLikeApiKey(token)) return await authenticateKey(world, token);
  if (!jwtShape.test(token))
    throw new HubError("malformed_token", "The token is neither an API key nor an access token.");
  return await authenticateUser(world, token);
}

async function authenticateUser(world: World, token: string): Promise<Principal> {
  const { iss, aud } = unverifiedClaims(token);
  const { oidc } = world.settings;
  const oidcAudience = iss === oidc?.issuer ? oidc?.audience : undefined;
  const isOtherEnvironment = (aud === "live" || aud === "preview") && aud !== world.environment;
  if (iss === ownIssuer && isOtherEnvironment) {
    throw new HubError("environment_mismatch", `The token belongs to the ${aud} environment.`);
  }
  return principalOf(
    oidcAudience === undefined ? await readOwnToken(world, token) : await readOidcToken(world, oidcAudience, token),
  );
}

async function authenticateCookie(world: World, cookie: string): Promise<Principal> {
  const { id, userId, authenticatedAt, isFromIdentityProvider, expiresAt } = await getBrowserSession(world, cookie);
  const idleAt = new Date(world.clock.real().getTime() + browserIdleMs);
  return principalOf({
    user: await users(world).get(userId),
    sessionId: id,
    authenticatedAt,
    isFromIdentityProvider,
    expiresAt: expiresAt < idleAt ? expiresAt : idleAt,
  });
}

function principalOf({ user, sessionId, authenticatedAt, expiresAt, isFromIdentityProvider }: SignedIn): Principal {
  if (!user?.isActive) throw new HubError("invalid_token", "The account does not exist or is disabled.");
  return {
    orgId: user.orgId,
    isHubOperator: user.isHubOperator,
    actor: { type: "user", id: user.id, email: user.email },
    role: user.role,
    scopes: new Set(scopesOfRole(user.role, user.isHubOperator)),
    ...(sessionId === undefined ? {} : { sessionId }),
    expiresAt,
    ...(authenticatedAt ? { authenticatedAt } : {}),
    ...(isFromIdentityProvider ? { isFromIdentityProvider } : {}),
    needsStepUp: user.hasTotp || user.requiresStepUp,
    // The identity provider applies its own second factor.
    mustEnrollTotp: !isFromIdentityProvider && user.requiresTotp && !user.hasTotp,
  };
}

type SignedIn = {
  user: UserIdentity | undefined;
  expiresAt: Date;
  sessionId?: string;
  authenticatedAt?: Date | null | undefined;
  isFromIdentityProvider?: boolean;
};

async function readOwnToken(world: World, token: string): Promise<SignedIn> {
  const { userId, sessionId, expiresAt } = await verifyUserToken(world, token);
  const user = await users(world).get(userId);
  if (!user?.isActive) return { user, expiresAt };
  const { authenticatedAt } = await getLiveSession(world, sessionId, userId);
  return { user, expiresAt, sessionId, authenticatedAt };
}

async function readOidcToken(world: World, audience: string, token: string): Promise<SignedIn> {
  const { subject, verifiedEmail, authenticatedAt, expiresAt } = await verifyOidcToken(world, audience, token);
  return {
    user: await findOidcIdentity(world, subject, verifiedEmail),
    expiresAt,
    authenticatedAt,
    isFromIdentityProvider: true,
  };
}

/** Selects the verifier and the error code only. The claims are not trusted. */
function unverifiedClaims(token: string): { iss?: unknown; aud?: unknown } {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    return typeof claims === "object" && claims !== null ? claims : {};
  } catch {
    throw new HubError("malformed_token", "The access token cannot be decoded.");
  }
}
