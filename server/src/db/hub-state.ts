import type { Queryable } from "./transaction.ts";

/** State of the database as a whole, such as the preview clock. */
export async function findState<T>(db: Queryable, key: string): Promise<T | undefined> {
  const [row] = await db.query<{ value: T }>("select value from hub_state where key = $1", [key]);
  return row?.value;
}

export async function saveState(db: Queryable, key: string, value: unknown): Promise<void> {
  await db.query(
    "insert into hub_state (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value",
    [key, JSON.stringify(value)],
  );
}

/** Set after a restore: the original hub may still run with the same data, so this one must not call other systems. */
export type OutboundPause = { reason: string; pausedAt: string; takenAt: string };

const outboundKey = "outbound";

export async function findOutboundPause(db: Queryable): Promise<OutboundPause | undefined> {
  return await findState<OutboundPause>(db, outboundKey);
}

export async function saveOutboundPause(db: Queryable, pause: OutboundPause): Promise<void> {
  await saveState(db, outboundKey, pause);
}

/** Returns the removed pause. */
export async function removeOutboundPause(db: Queryable): Promise<OutboundPause | undefined> {
  const [row] = await db.query<{ value: OutboundPause }>("delete from hub_state where key = $1 returning value", [
    outboundKey,
  ]);
  return row?.value;
}
