import { hash, randomBytes } from "node:crypto";
import { badField, HubError } from "../../core/errors.ts";
import type { Ctx, World } from "../../context.ts";
import { change, perWorld } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { getOrganization } from "../organizations/organizations.ts";
import { hashPassword, passwordMatches } from "../../core/passwords.ts";
import type { PasswordChange } from "../users/users.schemas.ts";
import { findIdentityAcrossOrgs, findPasswordHash, findSignInAcrossOrgs, hashNewPassword, replacePassword } from "../users/users.ts";
import type { SignInRequest, TokenAnswer } from "./auth.schemas.ts";
import * as sessions from "../users/sessions.store.ts";
import { signInLimiter } from "./sign-in-limiter.ts";
import { accessTokenSeconds, signUserToken } from "./user-tokens.ts";

export { authenticate } from "./authenticate.ts";

const sessionMs = 30 * 24 * 3_600_000;
const refreshPrefix = "oohr_";

// Somebody unknown must cost as much time as somebody known, or the answer's delay tells who has an account.
const decoyHash = perWorld(() => hashPassword(randomBytes(16).toString("hex")));

export async function signIn(ctx: Ctx, request: SignInRequest, address: string): Promise<TokenAnswer> {
  const succeeded = signInLimiter(ctx).start(address);
  const user = await findSignInAcrossOrgs(ctx.db, request.email);
  const matches = await passwordMatches(request.password, user?.password_hash ?? (await decoyHash(ctx)));
  if (!user?.password_hash || !matches || user.status !== "active") throw new HubError("invalid_credentials");
  const { password_hash: checked } = user;
  succeeded();
  const own = actingAs(ctx, user.id, user.org_id, user.email);
  return await ctx.db.transaction(async (tx) => {
    if (!(await sessions.markSignedIn(tx, user.id, checked, ctx.clock.real())))
      throw new HubError("invalid_credentials");
    await recordEvent(tx, own, { type: "session.started", objectId: user.id });
    return await issue(tx, own, { id: user.id, orgId: user.org_id, role: user.role }, ctx.newId());
  });
}

/** Each refresh token works once. One that comes back was copied: the whole session ends. */
export async function refresh(ctx: Ctx, refreshToken: string): Promise<TokenAnswer> {
  const tokenHash = hashToken(refreshToken);
  const now = ctx.clock.real();
  return await change<TokenAnswer>(ctx, async (tx) => {
    await sessions.lockHolder(tx, tokenHash);
    const token = await sessions.lockRefreshToken(tx, tokenHash);
    const user = token && (await findIdentityAcrossOrgs(tx, token.user_id));
    if (!token || !user?.isActive || token.revoked_at || token.expires_at <= now) {
      return new HubError("invalid_token", "The refresh token is not valid (any more). Sign in again.");
    }
    if (token.used_at) {
      // Returned, not thrown: the revocation has to be committed.
      await sessions.revokeFamily(tx, token.family_id, now);
      const own = actingAs(ctx, user.id, user.orgId, user.email);
      await recordEvent(tx, own, { type: "session.reuse_detected", objectId: user.id });
      return new HubError("refresh_token_reused", "This refresh token was used before; the session has been ended.");
    }
    await sessions.markUsed(tx, tokenHash, now);
    return await issue(tx, ctx, user, token.family_id);
  });
}

export async function signOut(ctx: Ctx, refreshToken: string): Promise<{ signedOut: boolean }> {
  const tokenHash = hashToken(refreshToken);
  return await ctx.db.transaction(async (tx) => {
    await sessions.lockHolder(tx, tokenHash);
    const token = await sessions.lockRefreshToken(tx, tokenHash);
    if (!token || token.revoked_at) return { signedOut: false };
    await sessions.revokeFamily(tx, token.family_id, ctx.clock.real());
    const user = await findIdentityAcrossOrgs(tx, token.user_id);
    if (user) {
      const own = actingAs(ctx, user.id, user.orgId, user.email);
      await recordEvent(tx, own, { type: "session.ended", objectId: user.id });
    }
    return { signedOut: true };
  });
}

export async function describeCaller(ctx: Ctx) {
  const organization = await getOrganization(ctx, ctx.orgId);
  const { id, name, isOperator } = organization;
  return {
    actor: ctx.actor,
    organization: { id, name, isOperator },
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
  const succeeded = signInLimiter(ctx).start(address);
  if (!(await passwordMatches(request.currentPassword, stored))) throw wrongPassword();
  succeeded();
  const email = ctx.actor.type === "user" ? ctx.actor.email : "";
  const passwordHash = await hashNewPassword(ctx, request.newPassword, email, "/newPassword");
  return await change(ctx, async (tx) => {
    // Somebody else gave them another one meanwhile: it must not be undone with the old one.
    if (!(await replacePassword(tx, ctx, userId, { from: stored, to: passwordHash }))) throw wrongPassword();
    return { changed: true as const };
  });
}

const wrongPassword = () => badField("/currentPassword", "wrong_password", "The current password is wrong.");

export async function removeExpiredSessions(world: World): Promise<void> {
  await sessions.deleteExpiredTokensAcrossOrgs(world.db, world.clock.real());
}

async function issue(
  tx: Tx,
  ctx: Ctx,
  user: { id: string; orgId: string; role: string },
  familyId: string,
): Promise<TokenAnswer> {
  const refreshToken = refreshPrefix + randomBytes(32).toString("base64url");
  const at = ctx.clock.real();
  const expiresAt = new Date(at.getTime() + sessionMs);
  await sessions.insertRefreshToken(tx, { hash: hashToken(refreshToken), familyId, userId: user.id, at, expiresAt });
  const accessToken = await signUserToken(ctx, user);
  return { accessToken, tokenType: "Bearer", expiresIn: accessTokenSeconds, refreshToken };
}

function hashToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

function actingAs(ctx: Ctx, id: string, orgId: string, email: string): Ctx {
  return { ...ctx, orgId, actor: { type: "user", id, email } };
}
