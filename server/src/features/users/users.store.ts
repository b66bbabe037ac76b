import type { Page } from "../../core/page.ts";
import type { Role } from "../../core/scopes.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import { recordsIn } from "../../db/records.ts";
import { useUpResets } from "./password-resets.store.ts";
import type { PeopleQuery, Person, SignInRow, User, UserIdentity, UserQuery } from "./users.schemas.ts";

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

/** By name, for lists to choose from. */
export async function listPeople(db: Queryable, orgId: string, query: PeopleQuery): Promise<Page<Person>> {
  return await listPage<Person>(db, query, {
    select: `account.id, account.name, account.email, account.status = 'active' as "isActive"`,
    from: "users account",
    where: [["account.org_id = ?", orgId]],
    orderBy: "lower(account.name), account.id",
  });
}

export async function setPasswordHash(tx: Tx, orgId: string, id: string, passwordHash: string): Promise<void> {
  await tx.query("update users set password_hash = $3 where org_id = $1 and id = $2", [orgId, id, passwordHash]);
  await useUpResets(tx, id);
}

export async function findOrganizationName(db: Queryable, orgId: string): Promise<string> {
  const [row] = await db.query<{ name: string }>("select name from organizations where id = $1", [orgId]);
  return row?.name ?? "";
}

/** Returns false if the user was deleted or disabled, or if the password changed since `checkedHash` was checked. */
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

/** Email addresses of active users by ID. */
export async function listActiveEmails(db: Queryable, orgId: string): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; email: string }>(
    "select id, email from users where org_id = $1 and status = 'active'",
    [orgId],
  );
  return new Map(rows.map(({ id, email }) => [id, email]));
}

/**
 * Locks all active administrators, so that two of them cannot remove each other at the same moment. Call it before locking
 * any other user, or two such transactions can deadlock.
 */
export async function lockActiveAdmins(tx: Tx, orgId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    "select id from users where org_id = $1 and role = 'admin' and status = 'active' order by id for update",
    [orgId],
  );
  return rows.map((row) => row.id);
}

/** Accounts read per email address, one per organization. Users with more must send `organizationId`. */
const maxSignIns = 8;

/** Spans all organizations: a sign-in does not know the organization yet. The most recently used account comes first. */
export async function findSignInsAcrossOrgs(db: Queryable, email: string, orgId?: string): Promise<SignInRow[]> {
  return await db.query<SignInRow>(
    `select account.id, account.org_id, organization.name as org_name, account.email, account.role, account.status,
            account.password_hash
       from users account
       join organizations organization on organization.id = account.org_id
      where lower(account.email) = lower($1)
        and ($2::text is null or account.org_id::text = lower($2))
      order by account.last_signed_in_at desc nulls last, account.created_at, account.id
      limit ${maxSignIns}`,
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

const selectIdentity = `
  select account.id, account.org_id as "orgId", account.email, account.role, account.status = 'active' as "isActive",
         organization.is_operator as "isHubOperator",
         organization.requires_totp as "requiresTotp",
         organization.requires_step_up as "requiresStepUp",
         exists (select from user_totp totp where totp.user_id = account.id and totp.confirmed_at is not null) as "hasTotp"
    from users account
    join organizations organization on organization.id = account.org_id`;

export async function findIdentityAcrossOrgs(db: Queryable, id: string): Promise<UserIdentity | undefined> {
  const [row] = await db.query<UserIdentity>(`${selectIdentity} where account.id = $1`, [id]);
  return row;
}

/** Roles of the given users, without those that are disabled or deleted. */
export async function findActiveRoles(
  db: Queryable,
  users: readonly { orgId: string; id: string }[],
): Promise<{ id: string; role: Role }[]> {
  if (users.length === 0) return [];
  return await db.query<{ id: string; role: Role }>(
    `select account.id, account.role
       from unnest($1::uuid[], $2::uuid[]) as requested (org_id, id)
       join users account on account.id = requested.id and account.org_id = requested.org_id
      where account.status = 'active'`,
    [users.map(({ orgId }) => orgId), users.map(({ id }) => id)],
  );
}

export async function findIdentityByOidcSubject(db: Queryable, subject: string): Promise<UserIdentity | undefined> {
  const [row] = await db.query<UserIdentity>(`${selectIdentity} where account.oidc_subject = $1`, [subject]);
  return row;
}

/**
 * Links an OIDC subject to the user with this verified email address; an existing link is never replaced. Only the
 * organization that owns the email domain qualifies, or the hub's operator organization if none owns it: otherwise any
 * organization could create an account with a foreign address and receive that person's sign-ins.
 */
export async function linkOidcSubject(
  tx: Tx,
  email: string,
  subject: string,
): Promise<{ id: string; orgId: string; email: string } | undefined> {
  const [row] = await tx.query<{ id: string; orgId: string; email: string }>(
    `update users
        set oidc_subject = $2
      where oidc_subject is null
        and id = (
          select account.id
            from users account
            join organizations organization on organization.id = account.org_id
            left join organization_domains owned on owned.domain = substring(lower($1) from '@([^@]+)$')
           where lower(account.email) = lower($1)
             and account.status = 'active'
             and case when owned.domain is null then organization.is_operator else owned.org_id = organization.id end)
      returning id, org_id as "orgId", email`,
    [email, subject],
  );
  return row;
}
