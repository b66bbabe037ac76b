import type { Page } from "../../core/page.ts";
import type { Role } from "../../core/scopes.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { recordsIn } from "../../db/records.ts";
import type { SignInRow, User, UserIdentity, UserQuery } from "./users.schemas.ts";

const columns = defineColumns<User>("t", {
  email: "text",
  name: "text",
  role: "text",
  status: "text",
  hasPassword: { type: "boolean", selected: "t.password_hash is not null" },
  lastSignedInAt: moment,
  createdAt: moment,
  updatedAt: moment,
  version: "integer",
});
const users = recordsIn("users", "user", columns);
export const { get: getUser, lock: lockUser, insert: insertUser, update: updateUser, remove: deleteUser } = users;

export async function listUsers(db: Queryable, orgId: string, query: UserQuery): Promise<Page<User>> {
  return await users.list(db, orgId, query, [
    ["t.role = ?", query.role],
    ["t.status = ?", query.status],
  ]);
}

export async function setPasswordHash(tx: Tx, orgId: string, id: string, passwordHash: string): Promise<void> {
  await tx.query("update users set password_hash = $3 where org_id = $1 and id = $2", [orgId, id, passwordHash]);
}

export async function findOrganizationName(db: Queryable, orgId: string): Promise<string> {
  const [row] = await db.query<{ name: string }>("select name from organizations where id = $1", [orgId]);
  return row?.name ?? "";
}

/** False: the person was deleted or disabled, or has another password than the one that was checked, if one was. */
export async function markSignedIn(tx: Tx, userId: string, at: Date, checkedHash?: string): Promise<boolean> {
  const rows = await tx.query(
    `update users set last_signed_in_at = $2
      where id = $1 and status = 'active' and ($3::text is null or password_hash = $3) returning 1`,
    [userId, at, checkedHash ?? null],
  );
  return rows.length === 1;
}

export async function listUserIds(db: Queryable, orgId: string): Promise<string[]> {
  return (await db.query<{ id: string }>("select id from users where org_id = $1", [orgId])).map(({ id }) => id);
}

export async function findActiveIds(db: Queryable, orgId: string, ids: string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    "select id from users where org_id = $1 and id = any($2::uuid[]) and status = 'active'",
    [orgId, ids],
  );
  return rows.map((row) => row.id);
}

/**
 * Locks all administrators, so that two of them cannot remove each other at the same moment. To be called before anybody
 * else is locked: those who change two of them would each wait for the other.
 */
export async function lockActiveAdmins(tx: Tx, orgId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    "select id from users where org_id = $1 and role = 'admin' and status = 'active' order by id for update",
    [orgId],
  );
  return rows.map((row) => row.id);
}

/** One in each organization; more than this have to say which one they mean. */
const maxSignIns = 8;

/** Sign-in is the one place where the organization is not known before the person is. The account used last comes first. */
export async function findSignInsAcrossOrgs(db: Queryable, email: string, orgId?: string): Promise<SignInRow[]> {
  return await db.query<SignInRow>(
    `select u.id, u.org_id, o.name as org_name, u.email, u.role, u.status, u.password_hash
       from users u join organizations o on o.id = u.org_id
      where lower(u.email) = lower($1) and ($2::text is null or u.org_id::text = lower($2))
      order by u.last_signed_in_at desc nulls last, u.created_at, u.id limit ${maxSignIns}`,
    [email, orgId ?? null],
  );
}

export async function findPasswordHash(db: Queryable, orgId: string, id: string): Promise<string | undefined> {
  const [row] = await db.query<{ password_hash: string | null }>(
    "select password_hash from users where org_id = $1 and id = $2",
    [orgId, id],
  );
  return row?.password_hash ?? undefined;
}

const identityColumns = `u.id, u.org_id as "orgId", u.email, u.role, u.status = 'active' as "isActive",
  o.is_operator as "isHubOperator", o.requires_totp as "requiresTotp", o.requires_step_up as "requiresStepUp",
  exists (select from user_totp t where t.user_id = u.id and t.confirmed_at is not null) as "hasTotp" from users u join organizations o on o.id = u.org_id`;

export async function findIdentityAcrossOrgs(db: Queryable, id: string): Promise<UserIdentity | undefined> {
  const [row] = await db.query<UserIdentity>(`select ${identityColumns} where u.id = $1`, [id]);
  return row;
}

/** Roles of those of these users that are active in their organization. */
export async function findActiveRoles(
  db: Queryable,
  users: readonly { orgId: string; id: string }[],
): Promise<{ id: string; role: Role }[]> {
  if (users.length === 0) return [];
  return await db.query<{ id: string; role: Role }>(
    `select account.id, account.role
       from unnest($1::uuid[], $2::uuid[]) as asked (org_id, id)
       join users account on account.id = asked.id and account.org_id = asked.org_id
      where account.status = 'active'`,
    [users.map(({ orgId }) => orgId), users.map(({ id }) => id)],
  );
}

export async function findIdentityByOidcSubject(db: Queryable, subject: string): Promise<UserIdentity | undefined> {
  const [row] = await db.query<UserIdentity>(`select ${identityColumns} where u.oidc_subject = $1`, [subject]);
  return row;
}

/**
 * Ties an issuer's subject to the person with this address; the first to come keeps it. Not in any organization that made an
 * account with it, which could so catch other people's sign-ins: in the one whose domain it is, or else in the one that runs
 * the hub, whose issuer this is.
 */
export async function bindOidcSubject(
  tx: Tx,
  email: string,
  subject: string,
): Promise<{ id: string; orgId: string; email: string } | undefined> {
  const [row] = await tx.query<{ id: string; orgId: string; email: string }>(
    `update users set oidc_subject = $2 where oidc_subject is null and id = (
       select u.id from users u join organizations o on o.id = u.org_id
         left join organization_domains d on d.domain = substring(lower($1) from '@([^@]+)$')
        where lower(u.email) = lower($1) and u.status = 'active'
          and case when d.domain is null then o.is_operator else d.org_id = o.id end)
     returning id, org_id as "orgId", email`,
    [email, subject],
  );
  return row;
}
