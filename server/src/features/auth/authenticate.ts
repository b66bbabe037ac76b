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

const people = perWorld((world) =>
  createSignalledCache<UserIdentity>(
    world.signals,
    "user",
    (id) => findIdentityAcrossOrgs(world.db, id),
    (user) => user.id,
  ),
);

/** How a caller says who they are: with a header, or a browser with the cookie of its session. */
export type Credential = { authorization?: string | undefined; cookie?: string | undefined };

/** The caller behind it: an API key, a token of ours, one of the OIDC issuer, or whoever has signed in with a browser. */
export async function authenticate(world: World, { authorization: header, cookie }: Credential): Promise<Principal> {
  // A header is sent on purpose, so it wins.
  if (header === undefined && cookie !== undefined) return await byCookie(world, cookie);
  if (header === undefined)
    throw new HubError("missing_token", "Send `Authorization: Bearer <API key or access token>`.");
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (token === undefined || token.length > maxTokenLength) {
    throw new HubError("malformed_token", "The Authorization header must be `Bearer <token>`.");
  }
  if (looksLikeApiKey(token)) return await authenticateKey(world, token);
  if (!jwtShape.test(token)) throw new HubError("malformed_token", "This is neither an API key nor an access token.");
  return await authenticatePerson(world, token);
}

async function authenticatePerson(world: World, token: string): Promise<Principal> {
  const { iss, aud } = unverifiedClaims(token);
  const { oidc } = world.settings;
  const foreignAudience = iss === oidc?.issuer ? oidc?.audience : undefined;
  const isOfOther = (aud === "live" || aud === "preview") && aud !== world.environment;
  if (iss === ownIssuer && isOfOther) {
    throw new HubError("environment_mismatch", `This is a token of the ${aud} surface.`);
  }
  return principalOf(
    foreignAudience === undefined ? await byOwnToken(world, token) : await byOidc(world, foreignAudience, token),
  );
}

async function byCookie(world: World, cookie: string): Promise<Principal> {
  const { id, userId, provedAt, isByIssuer, expiresAt } = await getBrowserSession(world, cookie);
  const idleAt = new Date(world.clock.real().getTime() + browserIdleMs);
  return principalOf({
    user: await people(world).get(userId),
    sessionId: id,
    provedAt,
    isByIssuer,
    expiresAt: expiresAt < idleAt ? expiresAt : idleAt,
  });
}

function principalOf({ user, sessionId, provedAt, expiresAt, isByIssuer }: SignedIn): Principal {
  if (!user?.isActive) throw new HubError("invalid_token", "The account does not exist or is disabled.");
  return {
    orgId: user.orgId,
    isHubOperator: user.isHubOperator,
    actor: { type: "user", id: user.id, email: user.email },
    role: user.role,
    scopes: new Set(scopesOfRole(user.role, user.isHubOperator)),
    ...(sessionId === undefined ? {} : { sessionId }),
    expiresAt,
    ...(provedAt ? { provedAt } : {}),
    ...(isByIssuer ? { isByIssuer } : {}),
    needsStepUp: user.hasTotp || user.requiresStepUp,
    // Whoever comes from the issuer showed there what the issuer wants.
    mustEnrolTotp: !isByIssuer && user.requiresTotp && !user.hasTotp,
  };
}

type SignedIn = {
  user: UserIdentity | undefined;
  expiresAt: Date;
  sessionId?: string;
  provedAt?: Date | null | undefined;
  isByIssuer?: boolean;
};

async function byOwnToken(world: World, token: string): Promise<SignedIn> {
  const { userId, sessionId, expiresAt } = await verifyUserToken(world, token);
  const user = await people(world).get(userId);
  if (!user?.isActive) return { user, expiresAt };
  const { provedAt } = await getLiveSession(world, sessionId, userId);
  return { user, expiresAt, sessionId, provedAt };
}

async function byOidc(world: World, audience: string, token: string): Promise<SignedIn> {
  const { subject, verifiedEmail, provedAt, expiresAt } = await verifyOidcToken(world, audience, token);
  return { user: await findOidcIdentity(world, subject, verifiedEmail), expiresAt, provedAt, isByIssuer: true };
}

/** Only to choose who checks the token and which error to answer; nothing in it is believed. */
function unverifiedClaims(token: string): { iss?: unknown; aud?: unknown } {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    return typeof claims === "object" && claims !== null ? claims : {};
  } catch {
    throw new HubError("malformed_token", "The access token cannot be read.");
  }
}
