import type { Page } from "../../core/page.ts";
import type { Role } from "../../core/scopes.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { recordsIn } from "../../db/records.ts";
import type { User, UserIdentity, UserQuery } from "./users.schemas.ts";

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

type SignInRow = {
  id: string;
  org_id: string;
  email: string;
  role: Role;
  status: string;
  password_hash: string | null;
};

/** Sign-in is the one place where the organization is not known before the person is. */
export async function findSignInAcrossOrgs(db: Queryable, email: string): Promise<SignInRow | undefined> {
  const [row] = await db.query<SignInRow>(
    "select id, org_id, email, role, status, password_hash from users where lower(email) = lower($1)",
    [email],
  );
  return row;
}

export async function findPasswordHash(db: Queryable, orgId: string, id: string): Promise<string | undefined> {
  const [row] = await db.query<{ password_hash: string | null }>(
    "select password_hash from users where org_id = $1 and id = $2",
    [orgId, id],
  );
  return row?.password_hash ?? undefined;
}

const identityColumns = `u.id, u.org_id as "orgId", u.email, u.role, u.status = 'active' as "isActive",
  o.is_operator as "isOperator" from users u join organizations o on o.id = u.org_id`;

export async function findIdentityAcrossOrgs(db: Queryable, id: string): Promise<UserIdentity | undefined> {
  const [row] = await db.query<UserIdentity>(`select ${identityColumns} where u.id = $1`, [id]);
  return row;
}

export async function findIdentityByOidcSubject(db: Queryable, subject: string): Promise<UserIdentity | undefined> {
  const [row] = await db.query<UserIdentity>(`select ${identityColumns} where u.oidc_subject = $1`, [subject]);
  return row;
}

/** Ties an issuer's subject to the person with this address; the first to come keeps it. */
export async function bindOidcSubject(db: Queryable, email: string, subject: string): Promise<void> {
  await db.query("update users set oidc_subject = $2 where lower(email) = lower($1) and oidc_subject is null", [
    email,
    subject,
  ]);
}
