import type { Database, Prepared, Queryable, Tx } from "../db/database.ts";

/**
 * Durable work waits in the table it is about: task executions, runs, comparisons, pickups, webhook deliveries. Such a table
 * has the columns
 *   due_at       the earliest time the row may be claimed; null: nothing to do
 *   lease_owner  the claim that holds the row. Each claim is a new owner, so a worker that lost its lease cannot pass for the
 *                one that holds it now
 *   lease_until  end of the lease by the database's clock, the only one all nodes share
 * and a counter of claims since the row last made progress. Processing a row ends the lease, and sets the next due time if
 * there is one, in the transaction of the work itself. An expired lease is taken over by the next claim.
 *
 * The table needs an index on (<queue column>, due_at, <tie-break>) where due_at is not null; with a concurrency limit, another on
 * (<queue column>) where lease_owner is not null.
 */
export type LeaseSpec = {
  table: string;
  /** Columns returned by a claim. */
  columns: string;
  /** Name of the counter column. */
  attempts: string;
  /**
   * The queue a row belongs to. Default: its organization (a tenant queue), without a concurrency limit. `limit` is the maximum
   * number of leased rows per queue on all nodes together, an expression over a row `t`. So is `isFailing`: rows of failing queues
   * have a quota of their own, so that the other queues of the organization go on. `columns` must then have it as "isFailing".
   */
  queue?: { column: string; limit(now: string): string; isFailing?: string };
  /** Column that orders rows of a queue with the same due time. Default: id. */
  tieBreak?: string;
  /** Additional assignments of a claim; `value(1)` is the placeholder of the first of the claim's `values`. */
  onClaim?: (value: (position: number) => string) => string;
  /** Additional condition on a row at this time. */
  isReady?: (now: string) => string;
  /** Clock that due times are compared with: the hub's, which can be set in the preview, or the database's. */
  clock: "hub" | "database";
  leaseMs: number;
};

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

/** Queues examined by one claim; with more of them, successive claims go round. */
const queuesPerClaim = 100;
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

/**
 * The claim, in eight steps. Parameters: $1 owner, $2 limit, $3 may take over, $4 queue to start after, $5 the hub's time or
 * null, $6 quotas by organization, $7 quota of the others, $8 owners of the same worker, $9... values of `onClaim`.
 *
 *   queues   walks the index from one queue to the next, at most `queuesPerClaim` of them. Each step is one index descent, so
 *            a queue with thousands of rows costs as much as a queue with one. `slots` is the concurrency limit of the queue.
 *   offers   the first due rows of each queue, as many as it has slots left. `limit 0` is free: a queue at its limit, or one that
 *            must wait, is not read at all.
 *   ranked   numbers the offers of each queue: the first, the second, ...
 *   admitted applies the quotas of failing queues, before the others are numbered.
 *   rounds   numbers the offers of each organization, the first of every queue before the second of any.
 *   wanted   applies the quotas and takes round by round: one row of every organization before a second one of any.
 *   before   locks the wanted rows and checks them again, since another worker may have claimed them; rows locked by another
 *            transaction are left out.
 *   taken    assigns the lease. The array repeats the ids of the join: it turns the update into index lookups by id.
 *
 * Rows are returned in the order of `wanted`, so that those of a queue start in its order. One row is returned even when nothing
 * was taken: it says where the walk stopped and whether rows were locked.
 */
function claimStatementOf(spec: LeaseSpec, assignments: string): Prepared {
  const { table, columns, tieBreak = "id" } = spec;
  const queue = spec.queue?.column ?? "org_id";
  const time = "coalesce($5::timestamptz, now())";
  const isDue = [
    `t.due_at <= ${time}`,
    "(t.lease_owner is null or ($3 and t.lease_owner::text <> all($8::text[]) and t.lease_until <= now()))",
  ]
    .concat(spec.isReady?.(time) ?? [])
    .join(" and ");
  const nextQueue = (after: string): string => `(
        select t.${queue} as queue, ${spec.queue ? spec.queue.limit(time) : "$2::int"} as slots,
               ${spec.queue?.isFailing ?? "false"} as is_failing
          from ${table} t
         where t.due_at is not null and t.${queue} > ${after}
         order by t.${queue}, t.due_at
         limit 1)`;
  const leasedCount = `(
        select count(*)
          from ${table} leased
         where leased.${queue} = queues.queue and leased.lease_owner is not null and leased.lease_until > now())`;
  const freeSlots = spec.queue ? `queues.slots - ${leasedCount}` : "queues.slots";
  return {
    name: `leases_claim_${table}`,
    text: `
    with recursive queues as (
      select first.*, 1 as depth from ${nextQueue("$4::uuid")} first
      union all
      select next.*, queues.depth + 1 from queues, lateral ${nextQueue("queues.queue")} next
       where queues.depth < ${queuesPerClaim}),
    offers as (
      select queues.queue, queues.is_failing, offer.* from queues, lateral (
        select t.id, t.org_id, t.due_at, t.${tieBreak} as tie_break
          from ${table} t
         where t.${queue} = queues.queue and ${isDue}
         order by t.due_at, t.${tieBreak}
         limit least($2::int, greatest(0, ${freeSlots}))) offer),
    ranked as (
      select *, row_number() over (partition by queue order by due_at, tie_break) as rank from offers),
    admitted as (
      select numbered.*, coalesce(quota.most, $7::int) as most
        from (
          select *, row_number() over (partition by org_id, is_failing order by rank, due_at, tie_break, id) as nth_alike
            from ranked) numbered
        left join jsonb_to_recordset($6::jsonb) as quota (org uuid, most int, most_failing int) on quota.org = org_id
       where not is_failing or nth_alike <= coalesce(quota.most_failing, greatest(1, coalesce(quota.most, $7::int) / 2))),
    rounds as (
      select *, row_number() over (partition by org_id order by rank, due_at, tie_break, id) as round from admitted),
    wanted as (
      select rounds.id, row_number() over (order by rounds.round, rounds.due_at, rounds.tie_break, rounds.id) as nth
        from rounds
       where rounds.round <= rounds.most
       order by nth
       limit $2::int),
    before as (
      select t.id as before_id, t.lease_owner as previous_owner
        from ${table} t
       where t.id = any(array(select id from wanted)) and ${isDue}
         for update skip locked),
    taken as (
      update ${table} t
         set ${assignments}
        from before
       where t.id = before_id and t.id = any(array(select before_id from before))
      returning ${columns}, previous_owner is not null as taken_over)
    select (select queue from queues where depth = ${queuesPerClaim}) as stopped_at,
           (select count(*) from wanted) > (select count(*) from before) as some_locked,
           taken.*
      from (select) as always
      left join (taken join wanted on wanted.id = taken.id) on true
     order by wanted.nth`,
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
