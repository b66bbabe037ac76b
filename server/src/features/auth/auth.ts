import { hash, randomBytes } from "node:crypto";
import { badField, HubError } from "../../core/errors.ts";
import type { Ctx, World } from "../../context.ts";
import { change, perWorld } from "../../context.ts";
import { WithCookies } from "../../route.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
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
import type { SignInRequest, TokenAnswer } from "./auth.schemas.ts";
import * as sessions from "../users/sessions.store.ts";
import { hasTotp, useTotp } from "../users/totp.ts";
import { startAttempt } from "./sign-in-attempts.ts";
import type { Visitor } from "./start-session.ts";
import { actingAs, newSessionCookie, sessionAnswer, sessionMs, startSession } from "./start-session.ts";
import { networkOf } from "../../core/network-of.ts";
import { accessTokenSeconds, signUserToken } from "./user-tokens.ts";

export type { Credential } from "./authenticate.ts";
export { authenticate } from "./authenticate.ts";
export { forgetOldAttempts } from "./sign-in-attempts.ts";

const refreshPrefix = "oohr_";

// Somebody unknown must cost as much time as somebody known, or the answer's delay tells who has an account.
const decoyHash = perWorld(({ settings }) => hashPassword(randomBytes(16).toString("hex"), settings.passwordCost));

const wrongCode = "wrong code";

export async function signIn(ctx: Ctx, request: SignInRequest, visitor: Visitor): Promise<TokenAnswer> {
  return await signInBy(ctx, request, visitor, {}, (tx, own, holder) => issue(tx, own, holder));
}

/** A session that its browser shows by a cookie, which no script can read: two tabs have no tokens to take from each other. */
export async function startBrowserSession(ctx: Ctx, request: SignInRequest, visitor: Visitor) {
  const { cookie, cookieHash } = newSessionCookie();
  const answer = await signInBy(ctx, request, visitor, { cookieHash }, async (_tx, _own, holder) =>
    sessionAnswer(holder, holder.expiresAt),
  );
  return new WithCookies(answer, { session: cookie });
}

/** Of a browser, or that of an access token: whichever the request was made with. */
export async function endOwnSession(ctx: Ctx) {
  const { sessionId, actor } = ctx.principal;
  if (sessionId === undefined || actor.type !== "user") {
    throw new HubError("invalid_state", "Only people who signed in here have a session to end.");
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

type Holder = { id: string; orgId: string; role: string; sessionId: string; expiresAt: Date };

/** Who signs in is found out in one way, whatever they get for it. */
async function signInBy<T extends object>(
  ctx: Ctx,
  request: SignInRequest,
  visitor: Visitor,
  marks: Pick<sessions.NewSession, "cookieHash">,
  give: (tx: Tx, own: Ctx, holder: Holder) => Promise<T>,
): Promise<T> {
  const { email, organizationId } = request;
  const found = await findSignInsAcrossOrgs(ctx.db, email, organizationId);
  const attempt = await startAttempt(ctx, { email, userIds: found.map(({ id }) => id) }, visitor.address);
  const wrong = new HubError("invalid_credentials");
  const [user, ...others] = await findMatching(ctx, found, request.password);
  if (!user) throw await attempt.failed(wrong);
  const network = networkOf(visitor.address);
  // Otherwise a stranger who guesses and guesses could lock somebody out.
  const mayPass = attempt.retryAfterSeconds === undefined || (await sessions.hasSignedInFrom(ctx.db, user.id, network));
  if (!mayPass) throw await attempt.failed(wrong);
  if (others.length > 0) {
    await attempt.succeeded();
    const organizations = [user, ...others].map(({ org_id: id, org_name: name }) => ({ id, name }));
    throw new HubError("organization_required", "Name one of them as `organizationId`.", { extra: { organizations } });
  }
  const needsCode = await hasTotp(ctx.db, user.id);
  if (needsCode && request.totpCode === undefined) {
    await attempt.withdrawn();
    throw new HubError("totp_required", "Send the code of the authenticator app, or a recovery code, as `totpCode`.");
  }
  const answer = await ctx.db.transaction(async (tx) => {
    if (needsCode && !(await useTotp(tx, ctx, user.id, request.totpCode!))) return wrongCode;
    if (!(await markSignedIn(tx, user.id, ctx.clock.real(), user.password_hash!))) return undefined;
    const holder = { id: user.id, orgId: user.org_id, role: user.role };
    const person = { ...holder, email: user.email };
    const { own, sessionId, expiresAt } = await startSession(tx, ctx, person, visitor, marks);
    return await give(tx, own, { ...holder, sessionId, expiresAt });
  });
  if (answer === undefined) throw await attempt.failed(wrong);
  if (answer === wrongCode) throw await attempt.failed(new HubError("invalid_totp_code"));
  await attempt.succeeded();
  return answer;
}

/**
 * Hashes that a sign-in takes, whatever is known about the address. A number that depends on the accounts would tell, by the time
 * that it takes, whether an address has an account in other organizations. Users with more accounts name the organization.
 */
const hashesPerSignIn = 4;

async function findMatching(ctx: Ctx, found: SignInRow[], password: string): Promise<SignInRow[]> {
  const known = found
    .filter(({ status, password_hash }) => status === "active" && password_hash !== null)
    .slice(0, hashesPerSignIn);
  const decoy = await decoyHash(ctx);
  const hashes = Array.from({ length: hashesPerSignIn }, (_, index) => known[index]?.password_hash ?? decoy);
  const matches = await Promise.all(hashes.map((hashed) => passwordMatches(password, hashed)));
  return known.filter((_, index) => matches[index]);
}

/** Each refresh token works once. One that comes back was copied: the whole session ends. */
export async function refresh(ctx: Ctx, refreshToken: string): Promise<TokenAnswer> {
  const tokenHash = hashToken(refreshToken);
  const now = ctx.clock.real();
  return await change<TokenAnswer>(ctx, async (tx) => {
    await sessions.lockHolder(tx, tokenHash);
    const token = await sessions.lockRefreshToken(tx, tokenHash);
    const user = token && (await findIdentityAcrossOrgs(tx, token.user_id));
    if (!token || !user?.isActive || token.ended_at || token.expires_at <= now) {
      return new HubError("invalid_token", "The refresh token is not valid (any more). Sign in again.");
    }
    if (token.used_at) {
      // Returned, not thrown: the revocation has to be committed.
      await sessions.endSession(tx, user.orgId, token.family_id, { at: now, reason: "token_reused" });
      await ctx.signals.publish(tx, "user", user.id);
      const own = actingAs(ctx, user);
      recordEvent(tx, own, { type: "session.reuse_detected", objectId: user.id });
      return new HubError("refresh_token_reused", "This refresh token was used before; the session has been ended.");
    }
    await sessions.markUsed(tx, tokenHash, now);
    return await issue(tx, ctx, { ...user, sessionId: token.family_id });
  });
}

export async function signOut(ctx: Ctx, refreshToken: string): Promise<{ signedOut: boolean }> {
  const tokenHash = hashToken(refreshToken);
  return await ctx.db.transaction(async (tx) => {
    await sessions.lockHolder(tx, tokenHash);
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

export function listSignInMethods({ settings }: World) {
  const { oidc } = settings;
  const issuer = oidc ? { name: new URL(oidc.issuer).host, canSignIn: oidc.client !== undefined } : null;
  return { password: true, issuer };
}

export async function describeCaller(ctx: Ctx) {
  const organization = await getOrganization(ctx, ctx.orgId);
  const { id, name, isHubOperator, timeZone } = organization;
  const { actor } = ctx;
  return {
    actor,
    name: actor.type === "user" ? (await getUser(ctx, actor.id)).name : actor.name,
    organization: { id, name, isHubOperator, timeZone },
    role: ctx.principal.role ?? null,
    scopes: [...ctx.principal.scopes].toSorted(),
    environment: ctx.environment,
  };
}

export async function changeOwnPassword(ctx: Ctx, request: PasswordChange, address: string) {
  const userId = ctx.actor.type === "user" ? ctx.actor.id : undefined;
  const stored = userId === undefined ? undefined : await findPasswordHash(ctx.db, ctx.orgId, userId);
  if (userId === undefined || stored === undefined) {
    throw badField("/currentPassword", "no_password", "Only people who sign in with a password have one to change.");
  }
  const email = ctx.actor.type === "user" ? ctx.actor.email : "";
  const attempt = await startAttempt(ctx, { email, userIds: [userId] }, address);
  const isRight = await passwordMatches(request.currentPassword, stored);
  if (!isRight || attempt.retryAfterSeconds !== undefined) throw await attempt.failed(wrongPassword());
  await attempt.succeeded();
  const passwordHash = await hashNewPassword(ctx, request.newPassword, email, "/newPassword");
  return await change(ctx, async (tx) => {
    // Somebody else gave them another one meanwhile: it must not be undone with the old one.
    if (!(await replacePassword(tx, ctx, userId, { from: stored, to: passwordHash }))) throw wrongPassword();
    return { changed: true as const };
  });
}

const wrongPassword = () => badField("/currentPassword", "wrong_password", "The current password is wrong.");

export async function removeExpiredSessions(world: World): Promise<void> {
  await sessions.deleteExpiredAcrossOrgs(world.db, world.clock.real());
}

async function issue(
  tx: Tx,
  ctx: Ctx,
  user: { id: string; orgId: string; role: string; sessionId: string },
): Promise<TokenAnswer> {
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
