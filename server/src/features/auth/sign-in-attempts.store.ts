import type { Queryable, Tx } from "../../db/database.ts";

/** Failures without a pause; each further failure doubles the pause, up to five minutes. */
const freeFailures = 10;
const maxPauseSeconds = 300;
const maxAddresses = 20;

/** End of the pause after `n` failures, an SQL expression. No pause is the epoch, not now, since clocks of nodes differ. */
const pauseUntil = (n: string): string =>
  `case when ${n} < ${freeFailures} then 'epoch'
     else $4::timestamptz + make_interval(secs => least(${maxPauseSeconds}, 2 ^ least(${n} - ${freeFailures}, 30))) end`;

export type AttemptRow = { isCounted: boolean; blockedUntil: Date };

/**
 * Counts an attempt from its start, so that concurrent attempts on any nodes cannot exceed the limit. Attempts during a pause
 * are not counted, so that an attacker cannot prolong it. The count starts over after an hour without attempts.
 */
export async function startAttemptAcrossOrgs(
  db: Queryable,
  { account, userIds, id, at }: { account: Buffer; userIds: string[]; id: string; at: Date },
): Promise<AttemptRow> {
  const next = "case when attempt.last_at < $4::timestamptz - interval '1 hour' then 1 else attempt.failures + 1 end";
  const isPaused = "attempt.blocked_until > $4::timestamptz";
  // One upsert by primary key, so that counting needs no transaction.
  const [row] = await db.query<AttemptRow>(
    `insert into sign_in_attempts as attempt (account, user_ids, failures, blocked_until, last_try, last_at)
       values ($1, $2, 1, 'epoch', $3, $4)
     on conflict (account) do update set user_ids = excluded.user_ids,
       failures = case when ${isPaused} then attempt.failures else ${next} end,
       blocked_until = case when ${isPaused} then attempt.blocked_until else ${pauseUntil(`(${next})`)} end,
       last_try = case when ${isPaused} then attempt.last_try else excluded.last_try end,
       last_at = case when ${isPaused} then attempt.last_at else excluded.last_at end
     returning last_try = $3 as "isCounted", blocked_until as "blockedUntil"`,
    [account, userIds, id, at],
  );
  return row!;
}

/** Counted for the audit log, which gets one event for many failures. */
export async function countFailureAcrossOrgs(db: Queryable, account: Buffer, address: string): Promise<void> {
  await db.query(
    `update sign_in_attempts set unreported = unreported + 1,
       addresses = case when $2 = any(addresses) or cardinality(addresses) >= ${maxAddresses} then addresses
                        else addresses || $2::text end
      where account = $1`,
    [account, address],
  );
}

/** After a success, earlier failures were the user's own. */
export async function resetFailuresAcrossOrgs(db: Queryable, account: Buffer): Promise<void> {
  await db.query("update sign_in_attempts set failures = 0, blocked_until = 'epoch' where account = $1", [account]);
}

export async function uncountAttemptAcrossOrgs(db: Queryable, account: Buffer): Promise<void> {
  await db.query("update sign_in_attempts set failures = greatest(failures - 1, 0) where account = $1", [account]);
}

export type FailedSignIns = { account: Buffer; userId: string; orgId: string; failures: number; addresses: string[] };

/** Failures not yet in the audit log, of accounts without an event since `before`. One row per user with the address. */
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
  const users = await tx.query<{ id: string; orgId: string }>(
    `select id, org_id as "orgId" from users where id = any($1::uuid[])`,
    [due.flatMap(({ userIds }) => userIds)],
  );
  return due.flatMap(({ userIds, ...attempts }) =>
    users.filter(({ id }) => userIds.includes(id)).map(({ id, orgId }) => ({ ...attempts, userId: id, orgId })),
  );
}

export async function deleteOldAttemptsAcrossOrgs(db: Queryable, before: Date): Promise<void> {
  await db.query("delete from sign_in_attempts where last_at < $1 and unreported = 0", [before]);
}
