import { HubError } from "../../core/errors.ts";
import type { Page } from "../../core/page.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, nextVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx, World } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { refuseTwin } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { hashPassword } from "../../core/passwords.ts";
import type { User, UserIdentity, UserPatch, UserQuery, UserRequest } from "./users.schemas.ts";
import { endSessions } from "./sessions.store.ts";
import * as store from "./users.store.ts";

export { findIdentityAcrossOrgs, findPasswordHash, findSignInAcrossOrgs } from "./users.store.ts";

export async function listUsers(ctx: Ctx, query: UserQuery): Promise<Page<User>> {
  return await store.listUsers(ctx.db, ctx.orgId, query);
}

export async function getUser(ctx: Ctx, id: string): Promise<User> {
  return await store.getUser(ctx.db, ctx.orgId, id);
}

export async function createUser(ctx: Ctx, request: UserRequest): Promise<User> {
  const passwordHash = request.password === undefined ? null : await hashPassword(request.password);
  const { email, role } = request;
  return await change(ctx, (tx) => addUser(tx, ctx, { email, name: request.name ?? email, role, passwordHash }));
}

export async function updateUser(ctx: Ctx, id: string, patch: UserPatch, ifMatch: IfMatch): Promise<User> {
  requirePatch(patch);
  const passwordHash = patch.password === undefined ? undefined : await hashPassword(patch.password);
  const mayLeave = patch.role !== undefined || patch.status !== undefined;
  return await change(ctx, async (tx) => {
    const admins = mayLeave ? await store.lockActiveAdmins(tx, ctx.orgId) : [];
    const user = await store.lockUser(tx, ctx.orgId, id);
    checkVersion(user, ifMatch);
    const { password, ...visible } = patch;
    const updated = nextVersion(user, visible, ctx.clock.now());
    if (updated.role !== "admin" || updated.status !== "active") keepOneAdmin(admins, id);
    await store.updateUser(tx, ctx.orgId, updated);
    if (passwordHash !== undefined) await store.setPasswordHash(tx, ctx.orgId, id, passwordHash);
    if (passwordHash !== undefined || updated.status === "disabled") await endSessions(tx, id, ctx.clock.real());
    const hidden = password === undefined ? {} : { passwordChanged: true };
    const data = { ...visible, ...hidden, version: updated.version };
    await recordEvent(tx, ctx, { type: "user.updated", objectId: id, data });
    await ctx.signals.publish(tx, "user", id);
    return { ...updated, hasPassword: updated.hasPassword || password !== undefined };
  });
}

export async function deleteUser(ctx: Ctx, id: string, ifMatch: IfMatch) {
  return await change(ctx, async (tx) => {
    const admins = await store.lockActiveAdmins(tx, ctx.orgId);
    const user = await store.lockUser(tx, ctx.orgId, id);
    checkVersion(user, ifMatch);
    if (ctx.actor.type === "user" && ctx.actor.id === id) {
      throw new HubError("own_account", "Another administrator has to delete your account.");
    }
    keepOneAdmin(admins, id);
    await store.deleteUser(tx, ctx.orgId, id);
    const { email, version } = user;
    await recordEvent(tx, ctx, { type: "user.deleted", objectId: id, data: { email, version } });
    await ctx.signals.publish(tx, "user", id);
    return { id, deleted: true as const };
  });
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
  await endSessions(tx, id, ctx.clock.real());
  await recordEvent(tx, ctx, {
    type: "user.updated",
    objectId: id,
    data: { passwordChanged: true, version: updated.version },
  });
  return true;
}

/** The person an OIDC subject stands for; a verified address ties the two together at the first sign-in. */
export async function findOidcIdentity(
  world: Pick<World, "db">,
  subject: string,
  verifiedEmail: string | undefined,
): Promise<UserIdentity | undefined> {
  const known = await store.findIdentityByOidcSubject(world.db, subject);
  if (known || verifiedEmail === undefined) return known;
  await store.bindOidcSubject(world.db, verifiedEmail, subject);
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
    () => new HubError("email_taken", "Another account has this e-mail address."),
  );
  const { id, email, role, version } = user;
  if (passwordHash !== null) await store.setPasswordHash(tx, ctx.orgId, id, passwordHash);
  await recordEvent(tx, ctx, { type: "user.created", objectId: id, data: { email, role, version } });
  return user;
}

function keepOneAdmin(admins: string[], leaving: string): void {
  if (admins.includes(leaving) && admins.length === 1) throw new HubError("last_admin");
}
