import type { Database, Prepared, Queryable, Tx } from "../db/database.ts";
import { lookTogether } from "./look-together.ts";

/**
 * Durable work waits in the table of what it is about: a task, a run, a comparison, a pickup. Such a table has the columns
 *   due_at       from when on it may be worked on; null: nothing is to be done
 *   lease_owner  who works on it: each claim is an owner of its own, so that nobody is taken for whoever had it before
 *   lease_until  until when they are believed to be alive, by the clock of the database, the only one all nodes share
 * and a counter of how often it was taken since it last got on. What is done with a row writes its end, or when it is due
 * again, in the transaction of the work itself; a lease that ran out is taken over by whoever comes next.
 *
 * It needs an index on (<lane>, due_at, id) where due_at is not null; with a limit, another on (<lane>) where lease_owner is
 * not null.
 */
export type LeaseSpec = {
  table: string;
  /** What a claim returns. */
  columns: string;
  attempts: string;
  /**
   * Of the rows with the same `column` at most so many as their `limit`, an expression over a row `t` at a time, are leased at
   * once, on all nodes together.
   */
  lane?: { column: string; limit(now: string): string };
  /** Further assignments when a row is taken; `value(1)` stands for the first of the values that come with a claim. */
  onClaim?: (value: (position: number) => string) => string;
  /** What else must be true of a row, at this time. */
  isReady?: (now: string) => string;
  /** By which clock a row is due: the hub's, which can be set in a preview, or the one that all nodes share. */
  clock: "hub" | "database";
  leaseMs: number;
};

/** What every row brings. `taken_over`: somebody else had it and was not heard of any more. */
export type LeasedRow = { id: string; org_id: string; taken_over: boolean };

type Claim = {
  owner: string;
  /** Owners that are the same worker, which does not take over from itself; without them, this one alone. */
  sameWorker?: string[];
  limit: number;
  /** How many more of each of these organizations, and of every other one: what keeps one from filling all places. */
  rooms: { byOrg: ReadonlyMap<string, number>; others: number };
  /** Not for a while after the database was away: nobody could renew. */
  mayTakeOver: boolean;
  /** The hub's time. */
  now: Date;
  /** Where the last claim stopped looking. */
  after?: string | undefined;
  values?: unknown[];
};

/** So many lanes are looked at in one claim; more than that are served in turn. */
const lanesAtOnce = 100;
const beforeAll = "00000000-0000-0000-0000-000000000000";

type Claimed<Row> = {
  rows: Row[];
  /** Where it stopped looking. */
  after: string | undefined;
  /** Others had some of them locked: they may be free in a moment, and nobody need say so. */
  areSomeLocked: boolean;
};

/** A row, and the claim by which somebody has it. */
type Held = { id: string; owner: string };

export type Leases<Row extends LeasedRow> = {
  leaseMs: number;
  /** How often it was taken since it last got on. */
  attemptsOf(row: Row): number;
  /** The next ones: of every organization one, then of every organization another one. */
  claimAcrossOrgs(db: Database, claim: Claim): Promise<Claimed<Row>>;
  /** This one, if nobody else has it. */
  claimOneAcrossOrgs(db: Queryable, id: string, owner: string, values?: unknown[]): Promise<Row | undefined>;
  /** Whether a claim would find something: cheaper than a claim. */
  isAnyDueAcrossOrgs(db: Queryable, now: Date): Promise<boolean>;
  /** What is due and nobody works on, for how long the oldest of it, and what is worked on. */
  countAcrossOrgs(db: Queryable, now: Date): Promise<DueCounts>;
  /** Returns the ids of those that are still their owner's. */
  renewAcrossOrgs(db: Queryable, held: readonly Held[]): Promise<string[]>;
  /** What these owners hold besides these, because the answer to a claim was lost, is given back. */
  releaseUnknownAcrossOrgs(db: Queryable, owners: string[], knownIds: string[]): Promise<void>;
  /** Given back, to be taken again after this long. `attempts`: what its counter is from then on. */
  releaseAcrossOrgs(
    db: Queryable,
    owner: string,
    id: string,
    again: { now: Date; delayMs: number; attempts: number },
  ): Promise<void>;
  /** Only when no other process can be at work on this database: what a killed one held is taken over at once. */
  endAllAcrossOrgs(db: Queryable): Promise<void>;
};

export function leasesOn<Row extends LeasedRow>(spec: LeaseSpec): Leases<Row> {
  const { table, columns, attempts, leaseMs, clock, onClaim } = spec;
  const lease = `now() + interval '${leaseMs} ms'`;
  const taking = (firstValue: number): string =>
    [`lease_owner = $1, lease_until = ${lease}, ${attempts} = t.${attempts} + 1`]
      .concat(onClaim?.((position) => `$${firstValue + position - 1}`) ?? [])
      .join(", ");
  const claimStatement = claimStatementOf(spec, taking(9));

  // Dead entries of a busy queue are skipped fast by a plain scan of its index and by nothing else. And with a limit: two
  // nodes that count at the same time would both take the last place of a lane; one that freezes meanwhile loses it.
  const opening = [
    "set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off; set local enable_bitmapscan = off",
    ...(spec.lane
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
      { owner, sameWorker = [owner], limit, rooms, mayTakeOver, now, after = beforeAll, values = [] },
    ) {
      const byOrg = JSON.stringify([...rooms.byOrg].map(([org, room]) => ({ org, room })));
      const all = [owner, limit, mayTakeOver, after, timeOf(now), byOrg, rooms.others, sameWorker, ...values];
      const claim = (tx: Tx) =>
        tx.query<Row & { stopped_at: string | null; some_locked: boolean }>(claimStatement, all);
      const found = await db.transaction(claim, opening);
      const { stopped_at: stoppedAt, some_locked: areSomeLocked } = found[0]!;
      return { rows: found.filter(({ id }) => id !== null), after: stoppedAt ?? undefined, areSomeLocked };
    },
    async claimOneAcrossOrgs(db, id, owner, values = []) {
      const free = "(lease_owner is null or lease_owner = $1 or lease_until <= now())";
      const [row] = await db.query<Row>(
        `with was as (select t.id as was_id, t.lease_owner as former from ${table} t
            where t.id = $2 and t.due_at is not null and ${free} for update)
         update ${table} t set ${taking(3)}
           from was where t.id = was.was_id returning ${columns}, former is not null and former <> $1 as taken_over`,
        [owner, id, ...values],
      );
      return row;
    },
    async isAnyDueAcrossOrgs(db, now) {
      const isFree = "(t.lease_owner is null or t.lease_until <= now())";
      const by = clock === "hub" ? "$1::timestamptz" : "now()";
      const [isDue] = await lookTogether(db, now, [
        `exists (select from ${table} t where t.due_at <= ${by} and ${isFree})`,
      ]);
      return isDue!;
    },
    countAcrossOrgs: (db, now) => countDue(db, table, timeOf(now)),
    async renewAcrossOrgs(db, held) {
      const rows = await db.query<{ id: string }>(
        `update ${table} set lease_until = ${lease} where id in
           (select t.id from ${table} t join unnest($1::uuid[], $2::text[]) as h (id, owner)
              on h.id = t.id and h.owner = t.lease_owner::text order by t.id for update of t) returning id`,
        [held.map(({ id }) => id), held.map(({ owner }) => owner)],
      );
      return rows.map(({ id }) => id);
    },
    async releaseAcrossOrgs(db, owner, id, { now, delayMs, attempts: count }) {
      await db.query(
        `update ${table} set lease_owner = null, lease_until = null, due_at = coalesce($3::timestamptz, now()) + $4 * interval '1 ms',
           ${attempts} = $5 where id = $2 and lease_owner = $1`,
        [owner, id, timeOf(now), delayMs, count],
      );
    },
    async releaseUnknownAcrossOrgs(db, owners, knownIds) {
      await db.query(
        `update ${table} set lease_owner = null, lease_until = null, ${attempts} = greatest(0, ${attempts} - 1)
          where lease_owner::text = any($1::text[]) and not (id = any($2::uuid[]))`,
        [owners, knownIds],
      );
    },
    async endAllAcrossOrgs(db) {
      await db.query(`update ${table} set lease_until = now() where lease_owner is not null`);
    },
  };
}

/** Its values: owner, limit, whether it may take over, the lane it begins behind, the time, rooms, room of others, its own owners. */
function claimStatementOf(spec: LeaseSpec, taking: string): Prepared {
  const { table, columns } = spec;
  const lane = spec.lane?.column ?? "org_id";
  const time = "coalesce($5::timestamptz, now())";
  const isDue = [
    `t.due_at <= ${time}`,
    "(t.lease_owner is null or ($3 and t.lease_owner::text <> all($8::text[]) and t.lease_until <= now()))",
  ]
    .concat(spec.isReady?.(time) ?? [])
    .join(" and ");

  // From lane to lane through the index: those with thousands waiting cost as much as those with one.
  const nextLane = (after: string): string =>
    `(select t.${lane} as lane, ${spec.lane ? spec.lane.limit(time) : "$2::int"} as most from ${table} t
       where t.due_at is not null and t.${lane} > ${after} order by t.${lane}, t.due_at limit 1)`;
  const leased = `(select count(*) from ${table} r where r.${lane} = l.lane and r.lease_owner is not null and r.lease_until > now())`;
  return {
    name: `leases_claim_${table}`,
    text: `with recursive lanes as (
      select f.*, 1 as depth from ${nextLane("$4::uuid")} f
      union all select n.*, l.depth + 1 from lanes l, lateral ${nextLane("l.lane")} n where l.depth < ${lanesAtOnce}),
    offers as (select l.lane, o.* from lanes l, lateral (
      select t.id, t.org_id, t.due_at from ${table} t where t.${lane} = l.lane and ${isDue}
       order by t.due_at, t.id limit least($2::int, greatest(0, ${spec.lane ? `l.most - ${leased}` : "l.most"}))) o),
    places as (select *, row_number() over (partition by lane order by due_at, id) as place from offers),
    turns as (select *, row_number() over (partition by org_id order by place, due_at, id) as turn from places),
    wanted as (select w.id from turns w left join jsonb_to_recordset($6::jsonb) as r (org uuid, room int) on r.org = w.org_id
       where w.turn <= coalesce(r.room, $7::int) order by w.turn, w.due_at, w.id limit $2::int),
    was as (select t.id as was_id, t.lease_owner as former from ${table} t
       where t.id = any(array(select id from wanted)) and ${isDue} for update skip locked),
    taken as (update ${table} t set ${taking} from was
       where t.id = was.was_id and t.id = any(array(select was_id from was))
       returning ${columns}, former is not null as taken_over)
    select (select lane from lanes where depth = ${lanesAtOnce}) as stopped_at,
      (select count(*) from wanted) > (select count(*) from was) as some_locked, taken.*
      from (select) as always left join taken on true`,
  };
}

type DueCounts = { waiting: number; oldestSeconds: number; leased: number };

async function countDue(db: Queryable, table: string, now: Date | null): Promise<DueCounts> {
  const isFree = "(lease_owner is null or lease_until <= now())";
  const time = "coalesce($1::timestamptz, now())";
  const [row] = await db.query<DueCounts>(
    `select count(*) filter (where ${isFree}) as waiting, count(*) filter (where not ${isFree}) as leased,
       coalesce(extract(epoch from ${time} - min(due_at) filter (where ${isFree})), 0)::float8 as "oldestSeconds"
       from ${table} where due_at <= ${time}`,
    [now],
  );
  return row!;
}
