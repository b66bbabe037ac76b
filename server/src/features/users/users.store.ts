import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Role } from "../../core/scopes.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { User, UserIdentity, UserQuery } from "./users.schemas.ts";

type UserRow = {
  id: string;
  org_id: string;
  email: string;
  name: string;
  role: Role;
  status: "active" | "disabled";
  password_hash: string | null;
  last_signed_in_at: Date | null;
  version: number;
  created_at: Date;
  updated_at: Date;
};

export async function listUsers(db: Queryable, orgId: string, query: UserQuery): Promise<Page<User>> {
  const page = await listPage<UserRow>(db, query, {
    select: "*",
    from: "users",
    where: [
      ["org_id = ?", orgId],
      ["role = ?", query.role],
      ["status = ?", query.status],
    ],
    orderBy: "created_at desc, id desc",
  });
  return mapPage(page, present);
}

export async function findUser(db: Queryable, orgId: string, id: string): Promise<User | undefined> {
  const [row] = await db.query<UserRow>("select * from users where org_id = $1 and id = $2", [orgId, id]);
  return row && present(row);
}

export async function lockUser(tx: Tx, orgId: string, id: string): Promise<User | undefined> {
  const [row] = await tx.query<UserRow>("select * from users where org_id = $1 and id = $2 for update", [orgId, id]);
  return row && present(row);
}

export type NewUser = { id: string; email: string; name: string; role: Role; passwordHash: string | null; at: Date };

export async function insertUser(tx: Tx, orgId: string, user: NewUser): Promise<User> {
  const [row] = await tx.query<UserRow>(
    `insert into users (id, org_id, email, name, role, status, password_hash, created_at, updated_at)
     values ($1, $2, $3, $4, $5, 'active', $6, $7, $7) returning *`,
    [user.id, orgId, user.email, user.name, user.role, user.passwordHash, user.at],
  );
  return present(row!);
}

export type UserChange = { name: string; role: Role; status: string; passwordHash: string | undefined; at: Date };

export async function updateUser(tx: Tx, orgId: string, id: string, user: UserChange): Promise<User> {
  const [row] = await tx.query<UserRow>(
    `update users set name = $3, role = $4, status = $5, password_hash = coalesce($6, password_hash), updated_at = $7,
       version = version + 1 where org_id = $1 and id = $2 returning *`,
    [orgId, id, user.name, user.role, user.status, user.passwordHash ?? null, user.at],
  );
  return present(row!);
}

export async function deleteUser(tx: Tx, orgId: string, id: string): Promise<void> {
  await tx.query("delete from users where org_id = $1 and id = $2", [orgId, id]);
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

export type SignInRow = {
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

function present(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    status: row.status,
    hasPassword: row.password_hash !== null,
    lastSignedInAt: row.last_signed_in_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    version: row.version,
  };
}
