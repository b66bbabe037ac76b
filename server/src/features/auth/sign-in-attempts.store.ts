import type { Queryable, Tx } from "../../db/database.ts";

/** Mistakes that cost nothing; after that every further one doubles the pause, up to five minutes. */
const freeFailures = 10;
const longestPauseSeconds = 300;
const maxAddresses = 20;

/** Until when to pause after so many failures, `n` being an SQL expression. None is long ago, not now: clocks of nodes differ. */
const pauseUntil = (n: string): string =>
  `case when ${n} < ${freeFailures} then 'epoch'
     else $4::timestamptz + make_interval(secs => least(${longestPauseSeconds}, 2 ^ least(${n} - ${freeFailures}, 30))) end`;

export type AttemptRow = { isCounted: boolean; blockedUntil: Date };

/**
 * Counts a try from its start, so that many at once cannot slip past, on whichever node. One during a pause is not counted:
 * a stranger who goes on and on does not make the pause longer. After a quiet hour all is forgotten.
 */
export async function startAttemptAcrossOrgs(
  db: Queryable,
  { account, userIds, id, at }: { account: Buffer; userIds: string[]; id: string; at: Date },
): Promise<AttemptRow> {
  const next = "case when a.last_at < $4::timestamptz - interval '1 hour' then 1 else a.failures + 1 end";
  const isPaused = "a.blocked_until > $4::timestamptz";
  const [row] = await db.query<AttemptRow>(
    `insert into sign_in_attempts as a (account, user_ids, failures, blocked_until, last_try, last_at)
       values ($1, $2, 1, 'epoch', $3, $4)
     on conflict (account) do update set user_ids = excluded.user_ids,
       failures = case when ${isPaused} then a.failures else ${next} end,
       blocked_until = case when ${isPaused} then a.blocked_until else ${pauseUntil(`(${next})`)} end,
       last_try = case when ${isPaused} then a.last_try else excluded.last_try end,
       last_at = case when ${isPaused} then a.last_at else excluded.last_at end
     returning last_try = $3 as "isCounted", blocked_until as "blockedUntil"`,
    [account, userIds, id, at],
  );
  return row!;
}

/** For the audit log, which is told of many at once. */
export async function noteFailureAcrossOrgs(db: Queryable, account: Buffer, address: string): Promise<void> {
  await db.query(
    `update sign_in_attempts set unreported = unreported + 1,
       addresses = case when $2 = any(addresses) or cardinality(addresses) >= ${maxAddresses} then addresses
                        else addresses || $2::text end
      where account = $1`,
    [account, address],
  );
}

/** Somebody knew the secret: the mistakes before are theirs. */
export async function forgetFailuresAcrossOrgs(db: Queryable, account: Buffer): Promise<void> {
  await db.query("update sign_in_attempts set failures = 0, blocked_until = 'epoch' where account = $1", [account]);
}

export async function takeBackAttemptAcrossOrgs(db: Queryable, account: Buffer): Promise<void> {
  await db.query("update sign_in_attempts set failures = greatest(failures - 1, 0) where account = $1", [account]);
}

export type FailedSignIns = { account: Buffer; userId: string; orgId: string; failures: number; addresses: string[] };

/** Those that nobody was told of, and whose account was not told about since `before`. One row for each who has the address. */
export async function takeUnreportedAcrossOrgs(tx: Tx, before: Date, at: Date): Promise<FailedSignIns[]> {
  const due = await tx.query<Omit<FailedSignIns, "userId" | "orgId"> & { userIds: string[] }>(
    `select account, user_ids as "userIds", unreported as failures, addresses from sign_in_attempts
      where unreported > 0 and (reported_at is null or reported_at <= $1) order by last_at limit 500 for update skip locked`,
    [before],
  );
  if (due.length === 0) return [];
  await tx.query(
    "update sign_in_attempts set unreported = 0, addresses = '{}', reported_at = $2 where account = any($1::bytea[])",
    [due.map(({ account }) => account), at],
  );
  const people = await tx.query<{ id: string; orgId: string }>(
    `select id, org_id as "orgId" from users where id = any($1::uuid[])`,
    [due.flatMap(({ userIds }) => userIds)],
  );
  return due.flatMap(({ userIds, ...attempts }) =>
    people.filter(({ id }) => userIds.includes(id)).map(({ id, orgId }) => ({ ...attempts, userId: id, orgId })),
  );
}

export async function deleteOldAttemptsAcrossOrgs(db: Queryable, before: Date): Promise<void> {
  await db.query("delete from sign_in_attempts where last_at < $1 and unreported = 0", [before]);
}
