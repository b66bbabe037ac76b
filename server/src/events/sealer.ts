import type { Database, Tx } from "../db/database.ts";
import type { ChainRow } from "./chain.ts";
import { chainColumns, chainHash, firstHash } from "./chain.ts";

/**
 * Numbers and chains the events of each organization shortly after they are committed. Doing it in the transaction of
 * the change would make all writers of an organization wait for each other until COMMIT.
 */
export type Sealer = {
  /** Something was committed: seal soon. */
  nudge(): void;
  /** Seal everything that is committed now; readers call it so that they see their own writes. */
  sealNow(orgId?: string): Promise<void>;
  stop(): Promise<void>;
};

const debounceMs = 200;
const sweepMs = 15_000;
const batchSize = 2_000;

export function createSealer(db: Database, onError: (error: Error) => void): Sealer {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;

  function background(): void {
    timer = undefined;
    running = sealAll(db).catch(onError);
  }
  // Events of a node that died between COMMIT and sealing are found by the sweep.
  const sweep = setInterval(() => timer ?? background(), sweepMs).unref();

  return {
    nudge() {
      if (!stopped) timer ??= setTimeout(background, debounceMs).unref();
    },
    sealNow: (orgId) => (orgId === undefined ? sealAll(db) : sealOrganization(db, orgId)),
    async stop() {
      stopped = true;
      clearTimeout(timer);
      clearInterval(sweep);
      await running;
    },
  };
}

async function sealAll(db: Database): Promise<void> {
  const orgs = await db.query<{ org_id: string }>("select distinct org_id from events where sequence is null");
  for (const { org_id } of orgs) await sealOrganization(db, org_id);
}

async function sealOrganization(db: Database, orgId: string): Promise<void> {
  let sealed: number;
  do sealed = await db.transaction((tx) => sealBatch(tx, orgId));
  while (sealed === batchSize);
}

async function sealBatch(tx: Tx, orgId: string): Promise<number> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`events:${orgId}`]);
  const rows = await tx.query<ChainRow>(
    `select ${chainColumns} from events where org_id = $1 and sequence is null order by id limit ${batchSize}`,
    [orgId],
  );
  if (rows.length === 0) return 0;
  const [last] = await tx.query<{ sequence: number; hash: Buffer }>(
    "select sequence, hash from events where org_id = $1 and sequence is not null order by sequence desc limit 1",
    [orgId],
  );
  let sequence = last?.sequence ?? 0;
  let hash: Buffer = last?.hash ?? firstHash;
  const seals = rows.map((row) => {
    const previous = hash;
    hash = chainHash(previous, ++sequence, row);
    return { id: row.id, sequence, previous, hash };
  });
  await tx.query(
    `update events e set sequence = s.sequence, previous_hash = s.previous, hash = s.hash
       from unnest($1::uuid[], $2::bigint[], $3::bytea[], $4::bytea[]) as s (id, sequence, previous, hash)
      where e.id = s.id`,
    [seals.map((s) => s.id), seals.map((s) => s.sequence), seals.map((s) => s.previous), seals.map((s) => s.hash)],
  );
  return rows.length;
}
