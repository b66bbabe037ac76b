import type { Queryable } from "./database.ts";

/** A table of access tokens: `org_id`, the key columns, `sealed`, `renew_at`, `lease_owner`, `lease_until`. */
export type TokenTable = { name: string; keyColumns: readonly string[] };

/** The row of one token. `key`: values of the key columns. */
export type TokenRow = { orgId: string; key: readonly string[] };

export type StoredToken = { sealed: string | null; renew_at: Date | null };

const leaseSeconds = 60;

/** Statements on a table of tokens. The lease belongs to the process that fetches a token. */
export function tokenLeases({ name, keyColumns }: TokenTable) {
  const isRow = ["org_id = $1", ...keyColumns.map((column, index) => `${column} = $${index + 2}`)].join(" and ");
  const next = keyColumns.length + 2;
  const valuesOf = ({ orgId, key }: TokenRow): string[] => [orgId, ...key];
  return {
    async find(db: Queryable, row: TokenRow): Promise<StoredToken | undefined> {
      const [found] = await db.query<StoredToken>(`select sealed, renew_at from ${name} where ${isRow}`, valuesOf(row));
      return found;
    },
    /** Undefined if another process holds the lease. */
    async claim(db: Queryable, row: TokenRow, owner: string): Promise<StoredToken | undefined> {
      const keys = keyColumns.map((_column, index) => `$${index + 2}`);
      const [claimed] = await db.query<StoredToken>(
        `insert into ${name} as t (org_id, ${keyColumns.join(", ")}, lease_owner, lease_until)
         values ($1, ${keys.join(", ")}, $${next}, now() + interval '${leaseSeconds} seconds')
         on conflict (${keyColumns.join(", ")}) do update
            set lease_owner = excluded.lease_owner, lease_until = excluded.lease_until
          where t.lease_until is null or t.lease_until < now()
         returning sealed, renew_at`,
        [...valuesOf(row), owner],
      );
      return claimed;
    },
    async save(db: Queryable, row: TokenRow, owner: string, { sealed, renew_at }: StoredToken): Promise<void> {
      await db.query(
        `update ${name}
            set sealed = $${next + 1}, renew_at = $${next + 2}, lease_owner = null, lease_until = null
          where ${isRow} and lease_owner = $${next}`,
        [...valuesOf(row), owner, sealed, renew_at],
      );
    },
    async release(db: Queryable, row: TokenRow, owner: string): Promise<void> {
      await db.query(
        `update ${name} set lease_owner = null, lease_until = null where ${isRow} and lease_owner = $${next}`,
        [...valuesOf(row), owner],
      );
    },
    /** Only if it is still this one: another process may have fetched a new token meanwhile. */
    async forget(db: Queryable, row: TokenRow, sealed: string): Promise<void> {
      await db.query(`update ${name} set sealed = null, renew_at = null where ${isRow} and sealed = $${next}`, [
        ...valuesOf(row),
        sealed,
      ]);
    },
  };
}
