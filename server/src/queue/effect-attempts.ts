import type { Queryable, Tx } from "../db/database.ts";

/** One attempt at an effect outside of the hub. `number`: 1 for the first. */
export type EffectAttempt = { key: string; number: number; noted: Record<string, unknown> | null };

/**
 * Attempts at effects outside of the hub, in the column `carrier_request` of the row that wants them. An attempt is counted before
 * the call, in a transaction of its own, so that also one that takes its process down counts. Its number is the fence: when a
 * later attempt has begun, the earlier one can no longer write.
 */
export type EffectAttempts = ReturnType<typeof effectAttempts>;

export function effectAttempts(table: string) {
  const isLatest = `org_id = $1 and id = $2 and carrier_request ->> 'key' = $3 and (carrier_request -> 'number')::integer = $4`;
  return {
    /** Another effect, with another key, starts at 1 and without notes. `timeoutMs`: the call has ended by then. */
    async begin(db: Queryable, orgId: string, id: string, key: string, timeoutMs: number): Promise<EffectAttempt> {
      const [row] = await db.query<{ carrier_request: EffectAttempt }>(
        `update ${table}
            set carrier_request = jsonb_build_object(
                  'key', $3::text,
                  'number', case when carrier_request ->> 'key' = $3 then (carrier_request -> 'number')::integer else 0 end + 1,
                  'noted', case when carrier_request ->> 'key' = $3 then carrier_request -> 'noted' end,
                  'until', now() + $4 * interval '1 ms')
          where org_id = $1 and id = $2
         returning carrier_request`,
        [orgId, id, key, timeoutMs],
      );
      if (!row) throw new Error(`there is no ${id} in ${table}`);
      const { number, noted } = row.carrier_request;
      return { key, number, noted };
    },
    /** False: a later attempt has begun. */
    async note(
      db: Queryable,
      orgId: string,
      id: string,
      { key, number }: EffectAttempt,
      data: Record<string, unknown>,
    ): Promise<boolean> {
      const rows = await db.query(
        `update ${table} set carrier_request = jsonb_set(carrier_request, '{noted}', $5::jsonb)
          where ${isLatest}
         returning 1`,
        [orgId, id, key, number, JSON.stringify(data)],
      );
      return rows.length > 0;
    },
    /** In the transaction that settles its outcome. False: a later attempt has begun. */
    async end(tx: Tx, orgId: string, id: string, { key, number }: EffectAttempt): Promise<boolean> {
      const rows = await tx.query(
        `update ${table} set carrier_request = carrier_request - 'until' where ${isLatest} returning 1`,
        [orgId, id, key, number],
      );
      return rows.length > 0;
    },
    /** A call may be under way, in this process or another one. */
    async isRunning(db: Queryable, orgId: string, id: string): Promise<boolean> {
      const rows = await db.query(
        `select from ${table}
          where org_id = $1 and id = $2 and (carrier_request ->> 'until')::timestamptz > now()`,
        [orgId, id],
      );
      return rows.length > 0;
    },
  };
}
