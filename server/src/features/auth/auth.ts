import { hash, randomBytes } from "node:crypto";
import { badField, HubError } from "../../core/errors.ts";
import type { Ctx, World } from "../../context.ts";
import { change, perWorld } from "../../context.ts";
import { WithCookies } from "../../route.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { canMailLinks } from "../mails/mails.ts";
import { getOrganization } from "../organizations/organizations.ts";
import { hashPassword, passwordMatches } from "../../core/passwords.ts";
import type { PasswordChange, SignInRow } from "../users/users.schemas.ts";
import {
  findIdentityAcrossOrgs,
  findPasswordHash,
  findSignInsAcrossOrgs,
  getUser,
  hashNewPassword,
  markSignedIn,
  replacePassword,
} from "../users/users.ts";
import type { SignInRequest, TokenResponse } from "./auth.schemas.ts";
import * as sessions from "../users/sessions.store.ts";
import { hasTotp, useTotp } from "../users/totp.ts";
import { startAttempt } from "./sign-in-attempts.ts";
import type { ClientInfo } from "./start-session.ts";
import { actingAs, newSessionCookie, sessionResponse, sessionMs, startSession } from "./start-session.ts";
import { networkOf } from "../../core/network-of.ts";
import { accessTokenSeconds, signUserToken } from "./user-tokens.ts";

export type { Credential } from "./authenticate.ts";
export { authenticate } from "./authenticate.ts";
export { answerResetRequests, removeOldResets } from "./password-reset.ts";
export { purgeOldAttempts } from "./sign-in-attempts.ts";

const refreshPrefix = "oohr_";

// An unknown address must take as long as a known one, or the response time would reveal which addresses have accounts.
const decoyHash = perWorld(({ settings }) => hashPassword(randomBytes(16).toString("hex"), settings.passwordCost));

const incorrectCode = "incorrect code";

export async function signIn(ctx: Ctx, request: SignInRequest, client: ClientInfo): Promise<TokenResponse> {
  return await signInWithPassword(ctx, request, client, {}, (tx, own, session) => issueTokens(tx, own, session));
}

/** A session with an HttpOnly cookie. Tabs share it, so they cannot invalidate each other's refresh tokens. */
export async function startBrowserSession(ctx: Ctx, request: SignInRequest, client: ClientInfo) {
  const { cookie, cookieHash } = newSessionCookie();
  const answer = await signInWithPassword(ctx, request, client, { cookieHash }, async (_tx, _own, session) =>
    sessionResponse(session, session.expiresAt),
  );
  return new WithCookies(answer, { session: cookie });
}

/** Ends the session of the request's cookie or access token. */
export async function endOwnSession(ctx: Ctx) {
  const { sessionId, actor } = ctx.principal;
  if (sessionId === undefined || actor.type !== "user") {
    throw new HubError(
      "invalid_state",
      "The request has no session to end: it uses an API key or a token of the identity provider.",
    );
  }
  const answer = await change(ctx, async (tx) => {
    const end = { at: ctx.clock.real(), reason: "signed_out" as const };
    const ended = await sessions.endSession(tx, ctx.orgId, sessionId, end);
    if (ended === undefined) return { signedOut: false };
    await ctx.signals.publish(tx, "user", actor.id);
    recordEvent(tx, ctx, { type: "session.ended", objectId: actor.id });
    return { signedOut: true };
  });
  return new WithCookies(answer, { session: null });
}

type StartedSession = { id: string; orgId: string; role: string; sessionId: string; expiresAt: Date };

/** Password sign-in for both kinds of sessions; `respond` creates the tokens or the cookie response. */
async function signInWithPassword<T extends object>(
  ctx: Ctx,
  request: SignInRequest,
  client: ClientInfo,
  kind: Pick<sessions.NewSession, "cookieHash">,
  respond: (tx: Tx, own: Ctx, session: StartedSession) => Promise<T>,
): Promise<T> {
  const { email, organizationId } = request;
  const found = await findSignInsAcrossOrgs(ctx.db, email, organizationId);
  const attempt = await startAttempt(ctx, { email, userIds: found.map(({ id }) => id) }, client.address);
  const incorrect = new HubError("invalid_credentials");
  const [account, ...others] = await findAccountsByPassword(ctx, found, request.password);
  if (!account) throw await attempt.failed(incorrect);
  const network = networkOf(client.address);
  // During a pause, users who signed in from this network before may still pass. Otherwise an attacker who keeps guessing
  // could lock the user out.
  const mayPass =
    attempt.retryAfterSeconds === undefined || (await sessions.hasSignedInFrom(ctx.db, account.id, network));
  if (!mayPass) throw await attempt.failed(incorrect);
  if (others.length > 0) {
    await attempt.succeeded();
    const organizations = [account, ...others].map(({ org_id: id, org_name: name }) => ({ id, name }));
    throw new HubError("organization_required", "Send the `organizationId` of one of `organizations`.", {
      extra: { organizations },
    });
  }
  const needsCode = await hasTotp(ctx.db, account.id);
  if (needsCode && request.totpCode === undefined) {
    await attempt.withdrawn();
    throw new HubError("totp_required", "Send a code from the authenticator app, or a recovery code, as `totpCode`.");
  }
  const answer = await ctx.db.transaction(async (tx) => {
    if (needsCode && !(await useTotp(tx, ctx, account.id, request.totpCode!))) return incorrectCode;
    if (!(await markSignedIn(tx, account.id, ctx.clock.real(), account.password_hash!))) return undefined;
    const user = { id: account.id, orgId: account.org_id, role: account.role };
    const identity = { ...user, email: account.email };
    const { own, sessionId, expiresAt } = await startSession(tx, ctx, identity, client, kind);
    return await respond(tx, own, { ...user, sessionId, expiresAt });
  });
  if (answer === undefined) throw await attempt.failed(incorrect);
  if (answer === incorrectCode) throw await attempt.failed(new HubError("invalid_totp_code"));
  await attempt.succeeded();
  return answer;
}

/**
 * Hashes computed per sign-in, whatever accounts the address has. A number that depends on the accounts would reveal, by
 * the response time, whether the address has accounts in other organizations. Users with more accounts send `organizationId`.
 */
const hashesPerSignIn = 4;

async function findAccountsByPassword(ctx: Ctx, found: SignInRow[], password: string): Promise<SignInRow[]> {
  const known = found
    .filter(({ status, password_hash }) => status === "active" && password_hash !== null)
    .slice(0, hashesPerSignIn);
  const decoy = await decoyHash(ctx);
  const hashes = Array.from({ length: hashesPerSignIn }, (_, index) => known[index]?.password_hash ?? decoy);
  const matches = await Promise.all(hashes.map((hashed) => passwordMatches(password, hashed)));
  return known.filter((_, index) => matches[index]);
}

/** Each refresh token works once. A second use means that it was copied, so the session is revoked. */
export async function refresh(ctx: Ctx, refreshToken: string): Promise<TokenResponse> {
  const tokenHash = hashToken(refreshToken);
  const now = ctx.clock.real();
  return await change<TokenResponse>(ctx, async (tx) => {
    await sessions.lockTokenUser(tx, tokenHash);
    const token = await sessions.lockRefreshToken(tx, tokenHash);
    const user = token && (await findIdentityAcrossOrgs(tx, token.user_id));
    if (!token || !user?.isActive || token.ended_at || token.expires_at <= now) {
      return new HubError("invalid_token", "The refresh token is invalid or expired. Sign in again.");
    }
    if (token.used_at) {
      // Returned, not thrown: the revocation must be committed.
      await sessions.endSession(tx, user.orgId, token.family_id, { at: now, reason: "token_reused" });
      await ctx.signals.publish(tx, "user", user.id);
      const own = actingAs(ctx, user);
      recordEvent(tx, own, { type: "session.token_reuse_detected", objectId: user.id });
      return new HubError(
        "refresh_token_reused",
        "The refresh token was already used. The session has been revoked; sign in again.",
      );
    }
    await sessions.markUsed(tx, tokenHash, now);
    return await issueTokens(tx, ctx, { ...user, sessionId: token.family_id });
  });
}

export async function signOut(ctx: Ctx, refreshToken: string): Promise<{ signedOut: boolean }> {
  const tokenHash = hashToken(refreshToken);
  return await ctx.db.transaction(async (tx) => {
    await sessions.lockTokenUser(tx, tokenHash);
    const token = await sessions.lockRefreshToken(tx, tokenHash);
    if (!token || token.ended_at) return { signedOut: false };
    const user = await findIdentityAcrossOrgs(tx, token.user_id);
    if (user) {
      const end = { at: ctx.clock.real(), reason: "signed_out" as const };
      await sessions.endSession(tx, user.orgId, token.family_id, end);
      await ctx.signals.publish(tx, "user", user.id);
      const own = actingAs(ctx, user);
      recordEvent(tx, own, { type: "session.ended", objectId: user.id });
    }
    return { signedOut: true };
  });
}

export function listSignInMethods(world: World) {
  const { oidc } = world.settings;
  const identityProvider = oidc ? { name: new URL(oidc.issuer).host, canSignIn: oidc.client !== undefined } : null;
  return { password: true, identityProvider, passwordReset: canMailLinks(world) };
}

export async function describeCaller(ctx: Ctx) {
  const organization = await getOrganization(ctx, ctx.orgId);
  const { id, name, isHubOperator, timezone } = organization;
  const { actor } = ctx;
  return {
    actor,
    name: actor.type === "user" ? (await getUser(ctx, actor.id)).name : actor.name,
    organization: { id, name, isHubOperator, timezone },
    role: ctx.principal.role ?? null,
    scopes: [...ctx.principal.scopes].toSorted(),
    environment: ctx.environment,
    ...(ctx.settings.ports && { ports: ctx.settings.ports }),
  };
}

export async function changeOwnPassword(ctx: Ctx, request: PasswordChange, address: string) {
  const userId = ctx.actor.type === "user" ? ctx.actor.id : undefined;
  const stored = userId === undefined ? undefined : await findPasswordHash(ctx.db, ctx.orgId, userId);
  if (userId === undefined || stored === undefined) {
    throw badField(
      "/currentPassword",
      "no_password",
      "This account has no password: it is an API key, or signs in through the identity provider.",
    );
  }
  const email = ctx.actor.type === "user" ? ctx.actor.email : "";
  const attempt = await startAttempt(ctx, { email, userIds: [userId] }, address);
  const isCorrect = await passwordMatches(request.currentPassword, stored);
  if (!isCorrect || attempt.retryAfterSeconds !== undefined) throw await attempt.failed(incorrectPassword());
  await attempt.succeeded();
  const passwordHash = await hashNewPassword(ctx, request.newPassword, email, "/newPassword");
  return await change(ctx, async (tx) => {
    // An administrator set another password in the meantime; the old one must not overwrite it.
    if (!(await replacePassword(tx, ctx, userId, { from: stored, to: passwordHash }))) throw incorrectPassword();
    return { changed: true as const };
  });
}

const incorrectPassword = () =>
  badField("/currentPassword", "incorrect_password", "The current password is incorrect.");

export async function removeExpiredSessions(world: World): Promise<void> {
  await sessions.deleteExpiredAcrossOrgs(world.db, world.clock.real());
}

async function issueTokens(
  tx: Tx,
  ctx: Ctx,
  user: { id: string; orgId: string; role: string; sessionId: string },
): Promise<TokenResponse> {
  const refreshToken = refreshPrefix + randomBytes(32).toString("base64url");
  const at = ctx.clock.real();
  const expiresAt = new Date(at.getTime() + sessionMs);
  await sessions.insertRefreshToken(tx, {
    hash: hashToken(refreshToken),
    familyId: user.sessionId,
    userId: user.id,
    at,
    expiresAt,
  });
  const accessToken = await signUserToken(ctx, user);
  return { accessToken, tokenType: "Bearer", expiresIn: accessTokenSeconds, refreshToken };
}

function hashToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
