import { badField, HubError } from "../../core/errors.ts";
import type { Page } from "../../core/page.ts";
import type { Role } from "../../core/scopes.ts";
import { scopesNotHeld, scopesOfRole } from "../../core/scopes.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, nextVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx, World } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { refuseDuplicate } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { requireStrongPassword } from "../../core/password-rules.ts";
import { hashPassword } from "../../core/passwords.ts";
import { limitKeysOfCreator } from "../api-keys/api-keys.ts";
import type {
  ChangedUser,
  DeletedUser,
  PeopleQuery,
  Person,
  User,
  UserIdentity,
  UserPatch,
  UserQuery,
  UserRequest,
} from "./users.schemas.ts";
import { useUpResets } from "./password-resets.store.ts";
import { endSessionsOf } from "./sessions.store.ts";
import { removeTotp } from "./totp.ts";
import * as store from "./users.store.ts";

export { findScopesOfOwners } from "./actor-scopes.ts";
export {
  findIdentityAcrossOrgs,
  findOrganizationName,
  findPasswordHash,
  findSignInsAcrossOrgs,
  listActiveEmails,
  markSignedIn,
} from "./users.store.ts";

export async function listUsers(ctx: Ctx, query: UserQuery): Promise<Page<User>> {
  return await store.listUsers(ctx.db, ctx.orgId, query);
}

/** Names of colleagues, to assign and mention them; everything else about users is for administrators. */
export async function listPeople(ctx: Ctx, query: PeopleQuery): Promise<Page<Person>> {
  return await store.listPeople(ctx.db, ctx.orgId, query);
}

export async function getUser(ctx: Ctx, id: string): Promise<User> {
  return await store.getUser(ctx.db, ctx.orgId, id);
}

export async function createUser(ctx: Ctx, request: UserRequest): Promise<User> {
  requireHeldRole(ctx, request.role, "/role");
  const { email, role } = request;
  const passwordHash = request.password === undefined ? null : await hashNewPassword(ctx, request.password, email);
  return await change(ctx, (tx) => addUser(tx, ctx, { email, name: request.name ?? email, role, passwordHash }));
}

export async function updateUser(ctx: Ctx, id: string, patch: UserPatch, ifMatch: IfMatch): Promise<ChangedUser> {
  requirePatch(patch);
  const email = patch.password === undefined ? "" : (await getUser(ctx, id)).email;
  const passwordHash = patch.password === undefined ? undefined : await hashNewPassword(ctx, patch.password, email);
  const losesScopes = patch.role !== undefined || patch.status !== undefined;
  return await change(ctx, async (tx) => {
    const admins = losesScopes ? await store.lockActiveAdmins(tx, ctx.orgId) : [];
    const user = await store.lockUser(tx, ctx.orgId, id);
    checkVersion(user, ifMatch);
    const { password, ...visible } = patch;
    const updated = nextVersion(user, visible, ctx.clock.now());
    requireHeldGrant(ctx, patch, updated.role);
    if (updated.role !== "admin" || updated.status !== "active") requireOtherAdmin(admins, id);
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
    const remaining = updated.status === "disabled" ? [] : scopesOfRole(updated.role, ctx.principal.isHubOperator);
    const keys = losesScopes ? await limitKeysOfCreator(tx, ctx, id, remaining) : [];
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
      throw new HubError("self_lockout", "You cannot delete your own account. Ask another administrator.");
    }
    requireOtherAdmin(admins, id);
    await store.deleteUser(tx, ctx.orgId, id);
    const { email, version } = user;
    recordEvent(tx, ctx, { type: "user.deleted", objectId: id, data: { email, version } });
    await ctx.signals.publish(tx, "user", id);
    const keys = await limitKeysOfCreator(tx, ctx, id, []);
    return { id, deleted: true as const, ...(keys.length > 0 ? { apiKeys: keys } : {}) };
  });
}

/** Rejects weak passwords and hashes the others. */
export async function hashNewPassword(
  ctx: Ctx,
  password: string,
  email: string,
  pointer = "/password",
): Promise<string> {
  const organization = await store.findOrganizationName(ctx.db, ctx.orgId);
  requireStrongPassword(password, { email, organization }, pointer);
  return await hashPassword(password, ctx.settings.passwordCost);
}

/** For users who lost their authenticator app. Not for users with more permissions than the caller, who could then take over their account. */
export async function resetTotp(ctx: Ctx, id: string) {
  return await change(ctx, async (tx) => {
    const user = await store.lockUser(tx, ctx.orgId, id);
    requireHeldRole(ctx, user.role, "");
    return await removeTotp(tx, ctx, id);
  });
}

/** Invalidates the cached identities of all users of an organization. */
export async function signalUsers(tx: Tx, ctx: Ctx, orgId: string): Promise<void> {
  for (const id of await store.listUserIds(tx, orgId)) await ctx.signals.publish(tx, "user", id);
}

/** Replaces the password whose hash is `from`; returns false if the user has another password by now. */
export async function replacePassword(
  tx: Tx,
  ctx: Ctx,
  id: string,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  await store.lockUser(tx, ctx.orgId, id);
  if ((await store.findPasswordHash(tx, ctx.orgId, id)) !== from) return false;
  await resetPassword(tx, ctx, id, to);
  return true;
}

/** Sets a password whatever the one before, and ends all sessions. */
export async function resetPassword(tx: Tx, ctx: Ctx, id: string, passwordHash: string): Promise<void> {
  const user = await store.lockUser(tx, ctx.orgId, id);
  await store.setPasswordHash(tx, ctx.orgId, id, passwordHash);
  await endSessionsOf(tx, id, { at: ctx.clock.real(), reason: "password_changed" });
  await saveOwn(tx, ctx, user, {}, { passwordChanged: true });
}

export async function changeOwnName(tx: Tx, ctx: Ctx, id: string, name: string): Promise<User> {
  return await saveOwn(tx, ctx, await store.lockUser(tx, ctx.orgId, id), { name }, { name });
}

/** Links for a new password that were sent to the former address stop working. */
export async function changeOwnEmail(tx: Tx, ctx: Ctx, id: string, email: string): Promise<User> {
  const user = await store.lockUser(tx, ctx.orgId, id);
  await useUpResets(tx, id);
  return await refuseDuplicate(saveOwn(tx, ctx, user, { email }, { email }), "users_email_key", emailTaken);
}

/** A change by the user themselves. Other processes forget the identity they have cached. */
async function saveOwn(tx: Tx, ctx: Ctx, user: User, patch: Partial<User>, said: OwnChange): Promise<User> {
  const updated = nextVersion(user, patch, ctx.clock.now());
  await store.updateUser(tx, ctx.orgId, updated);
  const data = { ...said, version: updated.version };
  recordEvent(tx, ctx, { type: "user.updated", objectId: user.id, data });
  await ctx.signals.publish(tx, "user", user.id);
  return updated;
}

type OwnChange = { passwordChanged?: true; name?: string; email?: string };
const emailTaken = () => new HubError("email_taken", "Another user of the organization has this email address.");

/** The user linked to an OIDC subject. At the first sign-in, a verified email address links the two. */
export async function findOidcIdentity(
  world: World,
  subject: string,
  verifiedEmail: string | undefined,
): Promise<UserIdentity | undefined> {
  const known = await store.findIdentityByOidcSubject(world.db, subject);
  if (known || verifiedEmail === undefined) return known;
  await world.db.transaction(async (tx) => {
    const linked = await store.linkOidcSubject(tx, verifiedEmail, subject);
    if (!linked) return;
    const { id, orgId, email } = linked;
    const by = { ...world, orgId, actor: { type: "user" as const, id, email }, requestId: "system:oidc" };
    recordEvent(tx, by, { type: "user.oidc_linked", objectId: id, data: { email } });
  });
  return await store.findIdentityByOidcSubject(world.db, subject);
}

/** The given ids that belong to active users of the organization. */
export async function findUserIds(db: Queryable, orgId: string, ids: string[]): Promise<Set<string>> {
  return new Set(ids.length === 0 ? [] : await store.findActiveIds(db, orgId, ids));
}

type NewUser = Pick<User, "email" | "name" | "role"> & { passwordHash: string | null };

/** Also called by the transaction that creates an organization. */
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
  await refuseDuplicate(store.insertUser(tx, ctx.orgId, user), "users_email_key", emailTaken);
  const { id, email, role, version } = user;
  if (passwordHash !== null) await store.setPasswordHash(tx, ctx.orgId, id, passwordHash);
  recordEvent(tx, ctx, { type: "user.created", objectId: id, data: { email, role, version } });
  return user;
}

/** A new role, a password known to the caller, or a reactivated account hands out the scopes of the user's role. */
function requireHeldGrant(ctx: Ctx, patch: UserPatch, role: Role): void {
  if (patch.role !== undefined) requireHeldRole(ctx, role, "/role");
  if (patch.password !== undefined) requireHeldRole(ctx, role, "/password");
  if (patch.status === "active") requireHeldRole(ctx, role, "/status");
}

export function requireHeldRole(ctx: Ctx, role: Role, pointer: string): void {
  const { scopes, isHubOperator } = ctx.principal;
  const missing = scopesNotHeld(scopes, scopesOfRole(role, isHubOperator));
  if (missing.length === 0) return;
  const message = `The role ${role} includes scopes you do not have: ${missing.join(", ")}.`;
  throw badField(pointer, "scope_not_held", message, { allowed: [...scopes] });
}

function requireOtherAdmin(admins: string[], leaving: string): void {
  if (admins.includes(leaving) && admins.length === 1) throw new HubError("last_admin");
}
