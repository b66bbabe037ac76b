import type { Prepared } from "../db/database.ts";
import type { LeaseSpec } from "./lease-spec.ts";

/** Queues examined by one claim; with more of them, successive claims go round. */
const queuesPerClaim = 100;

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
export function claimStatementOf(spec: LeaseSpec, assignments: string): Prepared {
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
