import type { Database, Queryable, Tx } from "../db/database.ts";
import { claimStatementOf } from "./claim-statement.ts";
import type { LeaseSpec } from "./lease-spec.ts";

/** Columns of every leased row. `taken_over`: the lease of another claim had expired. `isFailing`: its queue, when it was claimed. */
export type LeasedRow = { id: string; org_id: string; taken_over: boolean; isFailing?: boolean };

type Claim = {
  owner: string;
  /** Owners of the same worker, which never takes over from itself. Default: `owner` alone. */
  sameWorker?: string[];
  limit: number;
  /** Maximum number of rows of each listed organization and of any other one; keeps one organization from using all slots. */
  quotas: {
    byOrg: ReadonlyMap<string, number>;
    others: number;
    /** Maximum number of rows of failing queues. Default: half of the quota, at least one. */
    failingByOrg?: ReadonlyMap<string, number>;
  };
  /** False for a while after the database was unreachable: no worker could renew its leases. */
  mayTakeOver: boolean;
  /** The hub's time. */
  now: Date;
  /** Last queue examined by the previous claim. */
  after?: string | undefined;
  values?: unknown[];
};

const firstUuid = "00000000-0000-0000-0000-000000000000";

type Claimed<Row> = {
  rows: Row[];
  /** Last queue examined; undefined: all of them were. */
  after: string | undefined;
  /** Some rows were locked by other transactions. They may be free in a moment, and no signal will say so. */
  areSomeLocked: boolean;
};

/** A row and the claim that holds it. */
type Held = { id: string; owner: string };

export type Leases<Row extends LeasedRow> = {
  leaseMs: number;
  /** Claims since the row last made progress. */
  attemptsOf(row: Row): number;
  /** Claims the next rows: one of each organization, then a second one of each, and so on. */
  claimAcrossOrgs(db: Database, claim: Claim): Promise<Claimed<Row>>;
  /** Claims this row unless another owner holds it. */
  claimOneAcrossOrgs(db: Queryable, id: string, owner: string, values?: unknown[]): Promise<Row | undefined>;
  /** Whether a claim could find a row; cheaper than a claim. */
  isAnyDueAcrossOrgs(db: Queryable, now: Date): Promise<boolean>;
  /** Rows that are due and not leased, the age of the oldest, and leased rows. */
  countAcrossOrgs(db: Queryable, now: Date): Promise<DueCounts>;
  /** Returns the ids of the rows that their owners still hold. */
  renewAcrossOrgs(db: Queryable, held: readonly Held[]): Promise<string[]>;
  /** Releases rows of these owners that their worker does not know, because the response to a claim was lost. */
  releaseUnknownAcrossOrgs(db: Queryable, owners: string[], knownIds: string[]): Promise<void>;
  /** Releases a row, to be claimed again after `delayMs`. `attempts`: new value of the counter. */
  releaseAcrossOrgs(
    db: Queryable,
    owner: string,
    id: string,
    again: { now: Date; delayMs: number; attempts: number },
  ): Promise<void>;
  /** Expires all leases. Only while no other process uses this database: the rows of a killed one are taken over at once. */
  endAllAcrossOrgs(db: Queryable): Promise<void>;
};

export function leasesOn<Row extends LeasedRow>(spec: LeaseSpec): Leases<Row> {
  const { table, columns, attempts, leaseMs, clock, onClaim } = spec;
  const newLease = `now() + interval '${leaseMs} ms'`;
  const assignments = (firstValue: number): string =>
    [`lease_owner = $1, lease_until = ${newLease}, ${attempts} = t.${attempts} + 1`]
      .concat(onClaim?.((position) => `$${firstValue + position - 1}`) ?? [])
      .join(", ");
  const claimStatement = claimStatementOf(spec, assignments(9));

  // A busy queue leaves dead index entries behind, which only a plain index scan skips fast. With a limit, claims run one at a
  // time: two nodes that count at the same moment would both take the last slot of a queue. The timeout ends the claim of a
  // process that freezes while it holds the lock.
  const opening = [
    "set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off; set local enable_bitmapscan = off",
    ...(spec.queue
      ? [
          "set local idle_in_transaction_session_timeout = '5s'",
          `select pg_advisory_xact_lock(hashtextextended('leases on ${table}', 0))`,
        ]
      : []),
  ].join("; ");
  const timeOf = (now: Date): Date | null => (clock === "hub" ? now : null);

  return {
    leaseMs,
    attemptsOf: (row) => (row as Row & Record<string, number>)[attempts]!,
    async claimAcrossOrgs(
      db,
      { owner, sameWorker = [owner], limit, quotas, mayTakeOver, now, after = firstUuid, values = [] },
    ) {
      const byOrg = JSON.stringify(
        [...quotas.byOrg].map(([org, most]) => ({ org, most, most_failing: quotas.failingByOrg?.get(org) })),
      );
      const all = [owner, limit, mayTakeOver, after, timeOf(now), byOrg, quotas.others, sameWorker, ...values];
      const claim = (tx: Tx) =>
        tx.query<Row & { stopped_at: string | null; some_locked: boolean }>(claimStatement, all);
      const found = await db.transaction(claim, opening);
      const { stopped_at: stoppedAt, some_locked: areSomeLocked } = found[0]!;
      return { rows: found.filter(({ id }) => id !== null), after: stoppedAt ?? undefined, areSomeLocked };
    },
    async claimOneAcrossOrgs(db, id, owner, values = []) {
      const [row] = await db.query<Row>(
        `with before as (
           select t.id as before_id, t.lease_owner as previous_owner
             from ${table} t
            where t.id = $2
              and t.due_at is not null
              and (lease_owner is null or lease_owner = $1 or lease_until <= now())
              for update)
         update ${table} t
            set ${assignments(3)}
           from before
          where t.id = before_id
         returning ${columns}, previous_owner is not null and previous_owner <> $1 as taken_over`,
        [owner, id, ...values],
      );
      return row;
    },
    async isAnyDueAcrossOrgs(db, now) {
      const [row] = await db.query<{ isDue: boolean }>(
        `select exists (
           select from ${table} t
            where t.due_at <= coalesce($1::timestamptz, now())
              and (t.lease_owner is null or t.lease_until <= now())) as "isDue"`,
        [timeOf(now)],
      );
      return row!.isDue;
    },
    countAcrossOrgs: (db, now) => countDue(db, table, timeOf(now)),
    async renewAcrossOrgs(db, held) {
      // Locked in the order of the ids, as settling does: in another order the two could deadlock.
      const rows = await db.query<{ id: string }>(
        `update ${table} set lease_until = ${newLease}
          where id in (
            select t.id
              from ${table} t
              join unnest($1::uuid[], $2::text[]) as held (id, owner)
                on held.id = t.id and held.owner = t.lease_owner::text
             order by t.id for update of t)
         returning id`,
        [held.map(({ id }) => id), held.map(({ owner }) => owner)],
      );
      return rows.map(({ id }) => id);
    },
    async releaseAcrossOrgs(db, owner, id, { now, delayMs, attempts: count }) {
      await db.query(
        `update ${table}
            set lease_owner = null,
                lease_until = null,
                due_at = coalesce($3::timestamptz, now()) + $4 * interval '1 ms',
                ${attempts} = $5
          where id = $2 and lease_owner = $1`,
        [owner, id, timeOf(now), delayMs, count],
      );
    },
    async releaseUnknownAcrossOrgs(db, owners, knownIds) {
      await db.query(
        `update ${table}
            set lease_owner = null,
                lease_until = null,
                ${attempts} = greatest(0, ${attempts} - 1)
          where lease_owner::text = any($1::text[])
            and not (id = any($2::uuid[]))`,
        [owners, knownIds],
      );
    },
    async endAllAcrossOrgs(db) {
      await db.query(`update ${table} set lease_until = now() where lease_owner is not null`);
    },
  };
}

type DueCounts = { waiting: number; oldestSeconds: number; leased: number };

async function countDue(db: Queryable, table: string, now: Date | null): Promise<DueCounts> {
  const isFree = "(lease_owner is null or lease_until <= now())";
  const time = "coalesce($1::timestamptz, now())";
  const [row] = await db.query<DueCounts>(
    `select count(*) filter (where ${isFree}) as waiting,
            count(*) filter (where not ${isFree}) as leased,
            coalesce(extract(epoch from ${time} - min(due_at) filter (where ${isFree})), 0)::float8 as "oldestSeconds"
       from ${table}
      where due_at <= ${time}`,
    [now],
  );
  return row!;
}
