import type { Actor } from "../../core/actor.ts";
import type { Page, PageRequest } from "../../core/page.ts";
import type { Scope } from "../../core/scopes.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";

export type ApiKeyRow = {
  id: string;
  name: string;
  prefix: string;
  last4: string;
  scopes: Scope[];
  created_by: Actor;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  replaced_by: string | null;
};

const columns = "id, name, prefix, last4, scopes, created_by, created_at, expires_at, last_used_at, replaced_by";

export async function listApiKeys(db: Queryable, orgId: string, query: PageRequest): Promise<Page<ApiKeyRow>> {
  return await listPage<ApiKeyRow>(db, query, {
    select: columns,
    from: "api_keys",
    where: [["org_id = ?", orgId], "revoked_at is null"],
    orderBy: "created_at desc, id desc",
  });
}

export type NewApiKey = {
  id: string;
  name: string;
  prefix: string;
  last4: string;
  hash: Buffer;
  scopes: readonly Scope[];
  createdBy: Actor;
  at: Date;
  expiresAt: Date | null;
};

export async function insertApiKey(tx: Tx, orgId: string, key: NewApiKey): Promise<ApiKeyRow> {
  const [row] = await tx.query<ApiKeyRow>(
    `insert into api_keys (id, org_id, name, prefix, last4, secret_hash, scopes, created_by, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${columns}`,
    [key.id, orgId, key.name, key.prefix, key.last4, key.hash, key.scopes, key.createdBy, key.at, key.expiresAt],
  );
  return row!;
}

export async function lockApiKey(tx: Tx, orgId: string, id: string): Promise<ApiKeyRow | undefined> {
  const [row] = await tx.query<ApiKeyRow>(
    `select ${columns} from api_keys where org_id = $1 and id = $2 and revoked_at is null for update`,
    [orgId, id],
  );
  return row;
}

/** The row stays, so that the audit log can still say whose key it was. */
export async function revokeApiKey(tx: Tx, orgId: string, id: string, at: Date): Promise<void> {
  await tx.query("update api_keys set revoked_at = $3 where org_id = $1 and id = $2", [orgId, id, at]);
}

export async function replaceApiKey(tx: Tx, orgId: string, id: string, by: string, expiresAt: Date): Promise<void> {
  await tx.query("update api_keys set replaced_by = $3, expires_at = $4 where org_id = $1 and id = $2", [
    orgId,
    id,
    by,
    expiresAt,
  ]);
}

export type KeyIdentity = {
  id: string;
  orgId: string;
  isOperator: boolean;
  name: string;
  hash: Buffer;
  scopes: Scope[];
  expiresAt: Date | null;
};

/** A key says by itself which organization it belongs to: this look-up comes before anything is known. */
export async function findKeyIdentityAcrossOrgs(db: Queryable, prefix: string): Promise<KeyIdentity | undefined> {
  const [row] = await db.query<KeyIdentity>(
    `select k.id, k.org_id as "orgId", o.is_operator as "isOperator", k.name, k.secret_hash as hash, k.scopes,
            k.expires_at as "expiresAt"
       from api_keys k join organizations o on o.id = k.org_id where k.prefix = $1 and k.revoked_at is null`,
    [prefix],
  );
  return row;
}

export async function markUsedAcrossOrgs(db: Queryable, ids: string[], times: Date[]): Promise<void> {
  await db.query(
    `update api_keys k set last_used_at = greatest(k.last_used_at, u.at)
       from unnest($1::uuid[], $2::timestamptz[]) as u (id, at) where k.id = u.id`,
    [ids, times],
  );
}
