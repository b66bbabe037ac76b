import { badField, HubError } from "../../core/errors.ts";
import type { Page } from "../../core/page.ts";
import type { Role } from "../../core/scopes.ts";
import { scopesNotHeld, scopesOfRole } from "../../core/scopes.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, nextVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx, World } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { refuseTwin } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { refuseWeakPassword } from "../../core/password-rules.ts";
import { hashPassword } from "../../core/passwords.ts";
import { reduceKeysOfMaker } from "../api-keys/api-keys.ts";
import type {
  ChangedUser,
  DeletedUser,
  User,
  UserIdentity,
  UserPatch,
  UserQuery,
  UserRequest,
} from "./users.schemas.ts";
import { endSessionsOf } from "./sessions.store.ts";
import { removeTotp } from "./totp.ts";
import * as store from "./users.store.ts";

export { findScopesOfOwners } from "./actor-scopes.ts";
export { findIdentityAcrossOrgs, findPasswordHash, findSignInsAcrossOrgs, markSignedIn } from "./users.store.ts";

export async function listUsers(ctx: Ctx, query: UserQuery): Promise<Page<User>> {
  return await store.listUsers(ctx.db, ctx.orgId, query);
}

export async function getUser(ctx: Ctx, id: string): Promise<User> {
  return await store.getUser(ctx.db, ctx.orgId, id);
}

export async function createUser(ctx: Ctx, request: UserRequest): Promise<User> {
  refuseRoleBeyondGiver(ctx, request.role, "/role");
  const { email, role } = request;
  const passwordHash = request.password === undefined ? null : await hashNewPassword(ctx, request.password, email);
  return await change(ctx, (tx) => addUser(tx, ctx, { email, name: request.name ?? email, role, passwordHash }));
}

export async function updateUser(ctx: Ctx, id: string, patch: UserPatch, ifMatch: IfMatch): Promise<ChangedUser> {
  requirePatch(patch);
  const email = patch.password === undefined ? "" : (await getUser(ctx, id)).email;
  const passwordHash = patch.password === undefined ? undefined : await hashNewPassword(ctx, patch.password, email);
  const mayLeave = patch.role !== undefined || patch.status !== undefined;
  return await change(ctx, async (tx) => {
    const admins = mayLeave ? await store.lockActiveAdmins(tx, ctx.orgId) : [];
    const user = await store.lockUser(tx, ctx.orgId, id);
    checkVersion(user, ifMatch);
    const { password, ...visible } = patch;
    const updated = nextVersion(user, visible, ctx.clock.now());
    refuseGivingMore(ctx, patch, updated.role);
    if (updated.role !== "admin" || updated.status !== "active") keepOneAdmin(admins, id);
    await store.updateUser(tx, ctx.orgId, updated);
    if (passwordHash !== undefined) await store.setPasswordHash(tx, ctx.orgId, id, passwordHash);
    if (passwordHash !== undefined || updated.status === "disabled") {
      const reason = updated.status === "disabled" ? "disabled" : "password_changed";
      await endSessionsOf(tx, id, { at: ctx.clock.real(), reason });
    }
    const hidden = password === undefined ? {} : { passwordChanged: true };
    const data = { ...visible, ...hidden, version: updated.version };
    recordEvent(tx, ctx, { type: "user.updated", objectId: id, data });
    await ctx.signals.publish(tx, "user", id);
    const left = updated.status === "disabled" ? [] : scopesOfRole(updated.role, ctx.principal.isHubOperator);
    const keys = mayLeave ? await reduceKeysOfMaker(tx, ctx, id, left) : [];
    const hasPassword = updated.hasPassword || password !== undefined;
    return { ...updated, hasPassword, ...(keys.length > 0 ? { apiKeys: keys } : {}) };
  });
}

export async function deleteUser(ctx: Ctx, id: string, ifMatch: IfMatch): Promise<DeletedUser> {
  return await change(ctx, async (tx) => {
    const admins = await store.lockActiveAdmins(tx, ctx.orgId);
    const user = await store.lockUser(tx, ctx.orgId, id);
    checkVersion(user, ifMatch);
    if (ctx.actor.type === "user" && ctx.actor.id === id) {
      throw new HubError("self_lockout", "Another administrator has to delete your account.");
    }
    keepOneAdmin(admins, id);
    await store.deleteUser(tx, ctx.orgId, id);
    const { email, version } = user;
    recordEvent(tx, ctx, { type: "user.deleted", objectId: id, data: { email, version } });
    await ctx.signals.publish(tx, "user", id);
    const keys = await reduceKeysOfMaker(tx, ctx, id, []);
    return { id, deleted: true as const, ...(keys.length > 0 ? { apiKeys: keys } : {}) };
  });
}

/** Hashed, if it is none that would be guessed. */
export async function hashNewPassword(
  ctx: Ctx,
  password: string,
  email: string,
  pointer = "/password",
): Promise<string> {
  const organization = await store.findOrganizationName(ctx.db, ctx.orgId);
  refuseWeakPassword(password, { email, organization }, pointer);
  return await hashPassword(password, ctx.settings.passwordCost);
}

/** Somebody lost their app. Whoever could do more than the caller is not made easier to get at. */
export async function resetTotp(ctx: Ctx, id: string) {
  return await change(ctx, async (tx) => {
    const user = await store.lockUser(tx, ctx.orgId, id);
    refuseRoleBeyondGiver(ctx, user.role, "");
    return await removeTotp(tx, ctx, id);
  });
}

/** Something that is known of all of them has changed. */
export async function signalUsers(tx: Tx, ctx: Ctx, orgId: string): Promise<void> {
  for (const id of await store.listUserIds(tx, orgId)) await ctx.signals.publish(tx, "user", id);
}

/** For somebody who has shown that they know the password whose hash is `from`. False: it is not theirs any more. */
export async function replacePassword(
  tx: Tx,
  ctx: Ctx,
  id: string,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const user = await store.lockUser(tx, ctx.orgId, id);
  if ((await store.findPasswordHash(tx, ctx.orgId, id)) !== from) return false;
  const updated = nextVersion(user, {}, ctx.clock.now());
  await store.updateUser(tx, ctx.orgId, updated);
  await store.setPasswordHash(tx, ctx.orgId, id, to);
  await endSessionsOf(tx, id, { at: ctx.clock.real(), reason: "password_changed" });
  recordEvent(tx, ctx, {
    type: "user.updated",
    objectId: id,
    data: { passwordChanged: true, version: updated.version },
  });
  await ctx.signals.publish(tx, "user", id);
  return true;
}

/** The person an OIDC subject stands for; a verified address ties the two together at the first sign-in. */
export async function findOidcIdentity(
  world: World,
  subject: string,
  verifiedEmail: string | undefined,
): Promise<UserIdentity | undefined> {
  const known = await store.findIdentityByOidcSubject(world.db, subject);
  if (known || verifiedEmail === undefined) return known;
  await world.db.transaction(async (tx) => {
    const bound = await store.bindOidcSubject(tx, verifiedEmail, subject);
    if (!bound) return;
    const { id, orgId, email } = bound;
    const by = { ...world, orgId, actor: { type: "user" as const, id, email }, requestId: "system:oidc" };
    recordEvent(tx, by, { type: "user.oidc_bound", objectId: id, data: { email } });
  });
  return await store.findIdentityByOidcSubject(world.db, subject);
}

/** Those of these ids that are active users of the organization. */
export async function findUserIds(db: Queryable, orgId: string, ids: string[]): Promise<Set<string>> {
  return new Set(ids.length === 0 ? [] : await store.findActiveIds(db, orgId, ids));
}

type NewUser = Pick<User, "email" | "name" | "role"> & { passwordHash: string | null };

/** In the transaction of whoever makes the organization, too. */
export async function addUser(tx: Tx, ctx: Ctx, { passwordHash, ...given }: NewUser): Promise<User> {
  const at = ctx.clock.now().toISOString();
  const user: User = {
    ...given,
    id: ctx.newId(),
    status: "active",
    hasPassword: passwordHash !== null,
    lastSignedInAt: null,
    createdAt: at,
    updatedAt: at,
    version: 1,
  };
  await refuseTwin(
    store.insertUser(tx, ctx.orgId, user),
    "users_email_key",
    () => new HubError("email_taken", "Another account of the organization has this e-mail address."),
  );
  const { id, email, role, version } = user;
  if (passwordHash !== null) await store.setPasswordHash(tx, ctx.orgId, id, passwordHash);
  recordEvent(tx, ctx, { type: "user.created", objectId: id, data: { email, role, version } });
  return user;
}

/** Whoever gets another role, a password that the caller knows, or their account back, is given what the role permits. */
function refuseGivingMore(ctx: Ctx, patch: UserPatch, role: Role): void {
  if (patch.role !== undefined) refuseRoleBeyondGiver(ctx, role, "/role");
  if (patch.password !== undefined) refuseRoleBeyondGiver(ctx, role, "/password");
  if (patch.status === "active") refuseRoleBeyondGiver(ctx, role, "/status");
}

function refuseRoleBeyondGiver(ctx: Ctx, role: Role, pointer: string): void {
  const { scopes, isHubOperator } = ctx.principal;
  const missing = scopesNotHeld(scopes, scopesOfRole(role, isHubOperator));
  if (missing.length === 0) return;
  const message = `The role ${role} permits what you may not do yourself: ${missing.join(", ")}.`;
  throw badField(pointer, "scope_not_held", message, { allowed: [...scopes] });
}

function keepOneAdmin(admins: string[], leaving: string): void {
  if (admins.includes(leaving) && admins.length === 1) throw new HubError("last_admin");
}
