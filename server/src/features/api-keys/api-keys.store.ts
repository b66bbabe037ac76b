import type { AgentLimits } from "../../core/actor.ts";
import type { Page, PageRequest } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Scope } from "../../core/scopes.ts";
import type { Stored } from "../../db/columns.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { ApiKey } from "./api-keys.schemas.ts";

/** An API key without the fields that depend on the clock and the environment. */
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
  agent: "jsonb",
  creatorDeleted: "boolean",
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
    `insert into api_keys (id, org_id, name, prefix, last4, secret_hash, scopes, created_by, created_at, expires_at, agent)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      key.id,
      orgId,
      key.name,
      key.prefix,
      key.last4,
      hash,
      key.scopes,
      key.createdBy,
      key.createdAt,
      key.expiresAt,
      key.agent,
    ],
  );
}

export async function lockApiKey(tx: Tx, orgId: string, id: string): Promise<StoredKey | undefined> {
  const [row] = await tx.query<Stored<StoredKey>>(
    `select ${selected} from api_keys t where t.org_id = $1 and t.id = $2 and t.revoked_at is null for update`,
    [orgId, id],
  );
  return row && fromRow(row);
}

/** Keeps the row, since audit entries refer to it. */
export async function revokeApiKey(tx: Tx, orgId: string, id: string, at: Date): Promise<void> {
  await tx.query("update api_keys set revoked_at = $3 where org_id = $1 and id = $2", [orgId, id, at]);
}

/** Keys created by this user, directly or through one of their API keys: the user could know the values of all of them. */
export async function lockKeysOfCreator(tx: Tx, orgId: string, userId: string, at: Date): Promise<StoredKey[]> {
  // Scans the keys of the organization once per generation; an organization has tens of keys.
  const rows = await tx.query<Stored<StoredKey>>(
    `with recursive created as (
       select id
         from api_keys
        where org_id = $1 and created_by ->> 'type' = 'user' and created_by ->> 'id' = $2
       union
       select child.id
         from api_keys child
         join created parent on child.created_by ->> 'id' = parent.id::text
        where child.org_id = $1 and child.created_by ->> 'type' = 'api_key')
     select ${selected}
       from api_keys t
      where t.org_id = $1
        and t.id in (select id from created)
        and t.revoked_at is null
        and (t.expires_at is null or t.expires_at > $3)
      order by t.id
        for update`,
    [orgId, userId, at],
  );
  return rows.map((row) => fromRow(row));
}

export async function setKeyScopes(tx: Tx, orgId: string, id: string, scopes: readonly Scope[]): Promise<void> {
  await tx.query("update api_keys set scopes = $3 where org_id = $1 and id = $2", [orgId, id, scopes]);
}

/**
 * Current scopes of API keys, by the requested id. For a rotated key, those of its latest replacement. Deleted and expired keys
 * are absent.
 */
export async function findScopesOfKeys(
  db: Queryable,
  keys: readonly { orgId: string; id: string }[],
  at: Date,
): Promise<{ id: string; scopes: Scope[] }[]> {
  if (keys.length === 0) return [];
  // One primary-key lookup per key and rotation.
  return await db.query<{ id: string; scopes: Scope[] }>(
    `with recursive rotation as (
       select requested.id as requested_id, key.id, key.org_id, key.replaced_by, 0 as nth
         from unnest($1::uuid[], $2::uuid[]) as requested (org_id, id)
         join api_keys key on key.id = requested.id and key.org_id = requested.org_id
       union all
       select rotation.requested_id, key.id, key.org_id, key.replaced_by, rotation.nth + 1
         from rotation join api_keys key on key.id = rotation.replaced_by and key.org_id = rotation.org_id),
     latest as (select distinct on (requested_id) requested_id, id from rotation order by requested_id, nth desc)
     select latest.requested_id as id, key.scopes
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
  agent: AgentLimits | null;
};

/** The organization is not known before the key is found, so this lookup spans all organizations. */
export async function findKeyIdentityAcrossOrgs(db: Queryable, prefix: string): Promise<KeyIdentity | undefined> {
  const [row] = await db.query<KeyIdentity>(
    `select key.id, key.org_id as "orgId", organization.is_operator as "isHubOperator", key.name,
            key.secret_hash as hash, key.scopes, key.expires_at as "expiresAt", key.agent
       from api_keys key
       join organizations organization on organization.id = key.org_id
      where key.prefix = $1 and key.revoked_at is null`,
    [prefix],
  );
  return row;
}

export async function markUsedAcrossOrgs(db: Queryable, ids: string[], times: Date[]): Promise<void> {
  await db.query(
    `update api_keys key
        set last_used_at = greatest(key.last_used_at, used.at)
       from unnest($1::uuid[], $2::timestamptz[]) as used (id, at)
      where key.id = used.id`,
    [ids, times],
  );
}
