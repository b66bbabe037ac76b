import type { Database, Queryable, Tx } from "../db/database.ts";
import { startLoop } from "../queue/loop.ts";
import type { Head, HeadSigner } from "./audit-head.ts";
import { findHead, saveHead } from "./audit-head.ts";
import type { ChainRow } from "./chain.ts";
import { chainColumns, chainHash, findLast } from "./chain.ts";

/**
 * Numbers and chains the events of each organization shortly after they are committed. Doing it in the transaction of
 * the change would make all writers of an organization wait for each other until COMMIT.
 */
export type Sealer = {
  /** Something was committed: seal soon. */
  nudge(): void;
  /** Seal everything that is committed now; readers call it so that they see their own writes. */
  sealNow(orgId?: string): Promise<void>;
  /** Signs where logs end. */
  signer: HeadSigner;
  stop(): Promise<void>;
};

const debounceMs = 200;
/** Events of a node that died between COMMIT and sealing are found by then. */
const sweepMs = 15_000;
const batchSize = 2_000;

type SealerOptions = {
  /** In the transaction that seals, once for many events: those who make them must not wait for each other's signals. */
  onSealed?(tx: Tx, orgId: string): Promise<void>;
  onError(error: unknown): void;
};

export function createSealer(db: Database, signer: HeadSigner, { onSealed, onError }: SealerOptions): Sealer {
  const turns = takeTurns((orgId) => sealEvents(db, orgId, (tx) => sealBatch(tx, signer, orgId, onSealed)));
  async function sealAll(stopping?: AbortSignal): Promise<void> {
    const orgs = await db.query<{ org_id: string }>("select distinct org_id from unsealed_events");
    for (const { org_id } of orgs) if (!stopping?.aborted) await turns.next(org_id);
  }
  const loop = startLoop({ pass: sealAll, intervalMs: sweepMs, onError });
  return {
    signer,
    nudge: () => loop.wake(debounceMs),
    sealNow: (orgId) => (orgId === undefined ? sealAll() : turns.next(orgId)),
    async stop() {
      await loop.stop();
      await turns.ended();
    },
  };
}

/**
 * One at a time for each key, however many ask: a slow one holds one connection. Who asks while it runs needs the next
 * one, since it may have looked too early for them; they share it.
 */
function takeTurns(work: (key: string) => Promise<void>) {
  const running = new Map<string, Promise<void>>();
  const waiting = new Map<string, Promise<void>>();

  function begin(key: string): Promise<void> {
    const turn = work(key).finally(() => running.delete(key));
    running.set(key, turn);
    return turn;
  }
  function wait(key: string, before: Promise<void>): Promise<void> {
    const turn = Promise.allSettled([before]).then(() => {
      waiting.delete(key);
      return begin(key);
    });
    waiting.set(key, turn);
    return turn;
  }
  return {
    next(key: string): Promise<void> {
      const before = running.get(key);
      return waiting.get(key) ?? (before ? wait(key, before) : begin(key));
    },
    ended: () => Promise.allSettled([...running.values(), ...waiting.values()]),
  };
}

async function sealEvents(db: Database, orgId: string, seal: (tx: Tx) => Promise<number>): Promise<void> {
  // Mostly in vain: without a transaction, and without waiting for anybody. What another node seals now is still there.
  const waiting = await db.query("select from unsealed_events where org_id = $1 limit 1", [orgId]);
  if (waiting.length === 0) return;
  let sealed: number;
  do sealed = await db.transaction(seal);
  while (sealed === batchSize);
}

/** In the order of their positions: see `server/migrations/0017_unsealed_events.sql`. */
async function sealBatch(
  tx: Tx,
  signer: HeadSigner,
  orgId: string,
  onSealed: SealerOptions["onSealed"],
): Promise<number> {
  // One behind the other: what comes after the lock sees all that was committed before it was had.
  const [, rows, end] = await Promise.all([
    tx.query("select set_config('hub.is_sealing', 'yes', true), pg_advisory_xact_lock(hashtextextended($1, 0))", [
      `events:${orgId}`,
    ]),
    tx.query<ChainRow & { position: number }>(
      `select ${chainColumns}, position from unsealed_events where org_id = $1 order by position limit ${batchSize}`,
      [orgId],
    ),
    findEnd(tx, orgId),
  ]);
  if (rows.length === 0) return 0;
  let { sequence, hash } = end;
  const seals = rows.map((row) => {
    const previous = hash;
    hash = chainHash(previous, ++sequence, row);
    return { position: row.position, sequence, previous, hash };
  });
  tx.queue(
    `with s as (select * from unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[])
                  as s (position, sequence, previous_hash, hash)),
          taken as (delete from unsealed_events u where u.org_id = $1 and u.position = any($2::bigint[]) returning u.*),
          sealed as (
            insert into events (id, org_id, type, object_type, object_id, actor, request_id, data, occurred_at, sequence,
                                previous_hash, hash)
            select id, org_id, type, object_type, object_id, actor, request_id, data, occurred_at, sequence,
                   previous_hash, hash
              from taken join s using (position) order by sequence
            returning org_id, sequence, data)
     insert into event_items (org_id, object_id, sequence)
     select distinct e.org_id, (i.item ->> 'id')::uuid, e.sequence
       from sealed e cross join lateral jsonb_array_elements(e.data -> 'items') as i (item)
      where e.data ? 'items'`,
    [
      orgId,
      seals.map((seal) => seal.position),
      seals.map((seal) => seal.sequence),
      seals.map((seal) => seal.previous),
      seals.map((seal) => seal.hash),
    ],
  );
  saveHead(tx, signer.sign({ orgId, sequence, hash }, new Date()));
  await onSealed?.(tx, orgId);
  return rows.length;
}

/** Where to go on. If entries are gone from the end it is behind them, so that the gap stays for everybody to see. */
async function findEnd(tx: Tx, orgId: string): Promise<Head> {
  const [last, head] = await Promise.all([findLast(tx, orgId), findHead(tx, orgId)]);
  return head && head.sequence >= last.sequence ? head : { orgId, ...last };
}

/** Those of the last moment are no reason to worry; many, or old ones, are. */
export async function readUnsealed(db: Queryable): Promise<{ count: number; oldestSeconds: number }> {
  const [row] = await db.query<{ count: number; oldestSeconds: number }>(
    `select count(*) as count, coalesce(extract(epoch from now() - min(occurred_at)), 0)::float8 as "oldestSeconds"
       from unsealed_events`,
  );
  return row!;
}
