import type { Page, PageRequest } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Scope } from "../../core/scopes.ts";
import type { Stored } from "../../db/columns.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { ApiKey } from "./api-keys.schemas.ts";

/** Without what the surface and the time make of it. */
export type StoredKey = Omit<ApiKey, "status" | "environment">;

const { selected, fromRow } = defineColumns<StoredKey>("t", {
  name: "text",
  prefix: "text",
  last4: "text",
  scopes: "text[]",
  createdBy: "jsonb",
  createdAt: moment,
  expiresAt: moment,
  lastUsedAt: moment,
  replacedBy: "uuid",
  makerIsGone: "boolean",
});

export async function listApiKeys(db: Queryable, orgId: string, query: PageRequest): Promise<Page<StoredKey>> {
  const page = await listPage<Stored<StoredKey>>(db, query, {
    select: selected,
    from: "api_keys t",
    where: [["t.org_id = ?", orgId], "t.revoked_at is null"],
    orderBy: "t.created_at desc, t.id desc",
  });
  return mapPage(page, fromRow);
}

export async function insertApiKey(tx: Tx, orgId: string, key: StoredKey, hash: Buffer): Promise<void> {
  await tx.query(
    `insert into api_keys (id, org_id, name, prefix, last4, secret_hash, scopes, created_by, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [key.id, orgId, key.name, key.prefix, key.last4, hash, key.scopes, key.createdBy, key.createdAt, key.expiresAt],
  );
}

export async function lockApiKey(tx: Tx, orgId: string, id: string): Promise<StoredKey | undefined> {
  const [row] = await tx.query<Stored<StoredKey>>(
    `select ${selected} from api_keys t where t.org_id = $1 and t.id = $2 and t.revoked_at is null for update`,
    [orgId, id],
  );
  return row && fromRow(row);
}

/** The row stays, so that the audit log can still say whose key it was. */
export async function revokeApiKey(tx: Tx, orgId: string, id: string, at: Date): Promise<void> {
  await tx.query("update api_keys set revoked_at = $3 where org_id = $1 and id = $2", [orgId, id, at]);
}

/** Made by this person, or with a key that was, and so on: whoever had the first could have made the others. */
export async function lockKeysOfMaker(tx: Tx, orgId: string, userId: string, at: Date): Promise<StoredKey[]> {
  const rows = await tx.query<Stored<StoredKey>>(
    `with recursive made as (
       select id from api_keys where org_id = $1 and created_by ->> 'type' = 'user' and created_by ->> 'id' = $2
       union
       select k.id from api_keys k join made m on k.created_by ->> 'id' = m.id::text
        where k.org_id = $1 and k.created_by ->> 'type' = 'api_key')
     select ${selected} from api_keys t where t.org_id = $1 and t.id in (select id from made) and t.revoked_at is null
        and (t.expires_at is null or t.expires_at > $3) order by t.id for update`,
    [orgId, userId, at],
  );
  return rows.map((row) => fromRow(row));
}

export async function reduceApiKey(tx: Tx, orgId: string, id: string, scopes: readonly Scope[]): Promise<void> {
  await tx.query("update api_keys set scopes = $3 where org_id = $1 and id = $2", [orgId, id, scopes]);
}

/**
 * Current scopes of API keys, by the id asked for. A rotated key stands for the key that replaced it last. Keys that were
 * deleted or have expired are absent.
 */
export async function findScopesOfKeys(
  db: Queryable,
  keys: readonly { orgId: string; id: string }[],
  at: Date,
): Promise<{ id: string; scopes: Scope[] }[]> {
  if (keys.length === 0) return [];
  // One primary-key lookup per key and rotation.
  return await db.query<{ id: string; scopes: Scope[] }>(
    `with recursive line as (
       select asked.id as asked_id, key.id, key.org_id, key.replaced_by, 0 as nth
         from unnest($1::uuid[], $2::uuid[]) as asked (org_id, id)
         join api_keys key on key.id = asked.id and key.org_id = asked.org_id
       union all
       select line.asked_id, key.id, key.org_id, key.replaced_by, line.nth + 1
         from line join api_keys key on key.id = line.replaced_by and key.org_id = line.org_id),
     latest as (select distinct on (asked_id) asked_id, id from line order by asked_id, nth desc)
     select latest.asked_id as id, key.scopes
       from latest join api_keys key on key.id = latest.id
      where key.revoked_at is null and (key.expires_at is null or key.expires_at > $3)`,
    [keys.map(({ orgId }) => orgId), keys.map(({ id }) => id), at],
  );
}

export async function replaceApiKey(tx: Tx, orgId: string, id: string, by: string, expiresAt: string): Promise<void> {
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
  isHubOperator: boolean;
  name: string;
  hash: Buffer;
  scopes: Scope[];
  expiresAt: Date | null;
};

/** A key says by itself which organization it belongs to: this look-up comes before anything is known. */
export async function findKeyIdentityAcrossOrgs(db: Queryable, prefix: string): Promise<KeyIdentity | undefined> {
  const [row] = await db.query<KeyIdentity>(
    `select k.id, k.org_id as "orgId", o.is_operator as "isHubOperator", k.name, k.secret_hash as hash, k.scopes,
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
