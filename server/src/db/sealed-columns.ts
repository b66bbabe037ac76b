import type { Secrets } from "../core/secrets.ts";
import type { Database, Queryable } from "./database.ts";

/** All columns with encrypted values, and the context that each value is bound to. A test finds missing ones. */
export const sealedColumns = [
  { table: "bridges", column: "sealed_credentials", context: "'bridge:' || org_id || ':' || id" },
  { table: "bridge_tokens", column: "sealed", context: "'bridge-token:' || org_id || ':' || bridge_id" },
  {
    table: "carrier_account_tokens",
    column: "sealed",
    context: "'carrier-account-token:' || org_id || ':' || account_id || ':' || name",
  },
  {
    table: "carrier_webhooks",
    column: "sealed_secret",
    context: "'carrier-webhook:' || org_id || ':' || account_id",
  },
  { table: "carrier_accounts", column: "credentials", context: "'carrier-account:' || org_id || ':' || id" },
  { table: "task_samples", column: "sealed", context: "'task_sample:' || org_id || ':' || execution_id" },
  { table: "exceptions", column: "sealed_record", context: "'exception:' || org_id || ':' || dedup_key" },
  { table: "webhooks", column: "sealed_secret", context: "'webhook-secret:' || org_id || ':' || id" },
  { table: "webhooks", column: "sealed_previous_secret", context: "'webhook-previous-secret:' || org_id || ':' || id" },
  { table: "webhooks", column: "sealed_headers", context: "'webhook-headers:' || org_id || ':' || id" },
  { table: "mails", column: "sealed", context: "'mail:' || org_id || ':' || id" },
  { table: "user_totp", column: "secret", context: "'totp:' || user_id" },
  // Only responses with a secret are encrypted; the others are JSON, which never begins with `s1.`.
  {
    table: "idempotency_keys",
    column: "answer",
    context: "'idempotency:' || org_id || ':' || caller || ':' || key",
  },
] as const;

type SealedColumn = (typeof sealedColumns)[number];

const batchSize = 200;
const isSealed = (column: string): string => `${column} like 's1.%'`;
const keyIdOf = (column: string): string => `split_part(${column}, '.', 2)`;

export type KeyUse = { table: string; keyId: string; count: number };

export async function countByKeyAcrossOrgs(db: Queryable): Promise<KeyUse[]> {
  const uses = sealedColumns.map(
    ({ table, column }) =>
      `select '${table}' as "table", ${keyIdOf(column)} as "keyId", count(*)::integer as count
         from ${table}
        where ${isSealed(column)}
        group by 2`,
  );
  return await db.query<KeyUse>(`${uses.join(" union all ")} order by 1, 2`);
}

export type Resealed = { resealed: number; unreadable: number };

/**
 * Re-encrypts all values of older keys with the current key, in batches that commit separately, so that it can be interrupted
 * and repeated. Hubs may run at the same time; values they change in the meantime are kept.
 */
export async function resealAcrossOrgs(db: Database, secrets: Secrets): Promise<Resealed> {
  const total = { resealed: 0, unreadable: 0 };
  for (const sealedColumn of sealedColumns) {
    const unreadable: string[] = [];
    for (;;) {
      const rows = await listOld(db, sealedColumn, secrets, unreadable);
      if (rows.length === 0) break;
      const fresh = rows.flatMap((row) => {
        try {
          return [{ ...row, fresh: secrets.seal(secrets.open(row.sealed, row.context), row.context) }];
        } catch {
          unreadable.push(row.context);
          return [];
        }
      });
      total.resealed += await replace(db, sealedColumn, fresh);
    }
    total.unreadable += unreadable.length;
  }
  return total;
}

type SealedRow = { ctid: string; context: string; sealed: string };

async function listOld(
  db: Queryable,
  { table, column, context }: SealedColumn,
  { keyIds }: Secrets,
  unreadable: string[],
): Promise<SealedRow[]> {
  return await db.query<SealedRow>(
    `select ctid::text, ${context} as context, ${column} as sealed
       from ${table}
      where ${isSealed(column)} and ${keyIdOf(column)} = any($1) and not (${context} = any($2))
      limit ${batchSize}`,
    [keyIds.slice(1), unreadable],
  );
}

/** Only if the value is unchanged, so that credentials set in the meantime are not overwritten. */
async function replace(
  db: Queryable,
  { table, column }: SealedColumn,
  rows: (SealedRow & { fresh: string })[],
): Promise<number> {
  const replaced = await db.query(
    `update ${table} t
        set ${column} = resealed.fresh
       from unnest($1::tid[], $2::text[], $3::text[]) as resealed (place, sealed, fresh)
      where t.ctid = resealed.place and t.${column} = resealed.sealed
      returning 1`,
    [rows.map(({ ctid }) => ctid), rows.map(({ sealed }) => sealed), rows.map(({ fresh }) => fresh)],
  );
  return replaced.length;
}

/** IDs of the keys that hubs on this database have used. */
export async function listKeyIds(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ keyId: string }>(`select key_id as "keyId" from secret_keys order by first_used_at`);
  return rows.map(({ keyId }) => keyId);
}

/** IDs of used keys that this hub does not have. */
export async function findMissingKeys(db: Queryable, secrets: Secrets): Promise<string[]> {
  const used = await listKeyIds(db);
  // Databases of early versions have no list; the encrypted values name their keys.
  if (used.length === 0) used.push(...(await countByKeyAcrossOrgs(db)).map(({ keyId }) => keyId));
  return [...new Set(used)].filter((keyId) => !secrets.keyIds.includes(keyId));
}

export async function recordKey(db: Queryable, { keyId }: Secrets, at: Date): Promise<void> {
  await db.query("insert into secret_keys (key_id, first_used_at) values ($1, $2) on conflict do nothing", [keyId, at]);
}

/** Never the current one. */
export async function deleteKeyRecords(db: Queryable, { keyId }: Secrets, keyIds: string[]): Promise<void> {
  await db.query("delete from secret_keys where key_id = any($1) and key_id <> $2", [keyIds, keyId]);
}
