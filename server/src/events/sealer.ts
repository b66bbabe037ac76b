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
/** Seals events of a process that died between COMMIT and sealing. */
const sweepMs = 15_000;
const batchSize = 2_000;

type SealerOptions = {
  /** Called in the sealing transaction, once per batch: a signal per event would serialize the transactions that record them. */
  onSealed?(tx: Tx, orgId: string): Promise<void>;
  onError(error: unknown): void;
};

export function createSealer(db: Database, signer: HeadSigner, { onSealed, onError }: SealerOptions): Sealer {
  const flights = singleFlight((orgId) => sealEvents(db, orgId, (tx) => sealBatch(tx, signer, orgId, onSealed)));
  async function sealAll(stopping?: AbortSignal): Promise<void> {
    const orgs = await db.query<{ org_id: string }>("select distinct org_id from unsealed_events");
    for (const { org_id } of orgs) if (!stopping?.aborted) await flights.next(org_id);
  }
  const loop = startLoop({ pass: sealAll, intervalMs: sweepMs, onError });
  return {
    signer,
    nudge: () => loop.wake(debounceMs),
    sealNow: (orgId) => (orgId === undefined ? sealAll() : flights.next(orgId)),
    async stop() {
      await loop.stop();
      await flights.ended();
    },
  };
}

/**
 * Runs `work` once at a time per key, so that a slow run holds one connection. Callers during a run share the next one, since
 * the current one may have read too early for them.
 */
function singleFlight(work: (key: string) => Promise<void>) {
  const running = new Map<string, Promise<void>>();
  const waiting = new Map<string, Promise<void>>();

  function begin(key: string): Promise<void> {
    const run = work(key).finally(() => running.delete(key));
    running.set(key, run);
    return run;
  }
  function wait(key: string, before: Promise<void>): Promise<void> {
    const run = Promise.allSettled([before]).then(() => {
      waiting.delete(key);
      return begin(key);
    });
    waiting.set(key, run);
    return run;
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
  // Mostly finds nothing, so without a transaction or lock. Rows that another process is sealing are still visible.
  const waiting = await db.query("select from unsealed_events where org_id = $1 limit 1", [orgId]);
  if (waiting.length === 0) return;
  let sealed: number;
  do sealed = await db.transaction(seal);
  while (sealed === batchSize);
}

/**
 * Seals in the order of positions. A change holds the lock of its object until COMMIT, so the events of an object get their
 * positions in the order of its versions.
 */
async function sealBatch(
  tx: Tx,
  signer: HeadSigner,
  orgId: string,
  onSealed: SealerOptions["onSealed"],
): Promise<number> {
  // Pipelined: the statements after the lock see everything committed before it was acquired.
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
  // Unsealed entries are found by their primary key (org_id, position).
  tx.queue(
    `with seals as (
       select * from unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[])
         as seals (position, sequence, previous_hash, hash)),
     taken as (
       delete from unsealed_events entry
        where entry.org_id = $1 and entry.position = any($2::bigint[])
       returning entry.*),
     sealed as (
       insert into events (id, org_id, type, object_type, object_id, actor, request_id, data, occurred_at, sequence,
                           previous_hash, hash)
       select id, org_id, type, object_type, object_id, actor, request_id, data, occurred_at, sequence, previous_hash, hash
         from taken join seals using (position)
        order by sequence
       returning org_id, sequence, data)
     insert into event_items (org_id, object_id, sequence)
     select distinct sealed.org_id, (items.item ->> 'id')::uuid, sealed.sequence
       from sealed
      cross join lateral jsonb_array_elements(sealed.data -> 'items') as items (item)
      where sealed.data ? 'items'`,
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

/** Position of the next entry. If entries are missing at the end it is after them, so that the gap stays visible. */
async function findEnd(tx: Tx, orgId: string): Promise<Head> {
  const [last, head] = await Promise.all([findLast(tx, orgId), findHead(tx, orgId)]);
  return head && head.sequence >= last.sequence ? head : { orgId, ...last };
}

/** Recent ones are normal; many, or old ones, are a problem. */
export async function readUnsealed(db: Queryable): Promise<{ count: number; oldestSeconds: number }> {
  const [row] = await db.query<{ count: number; oldestSeconds: number }>(
    `select count(*) as count, coalesce(extract(epoch from now() - min(occurred_at)), 0)::float8 as "oldestSeconds"
       from unsealed_events`,
  );
  return row!;
}
