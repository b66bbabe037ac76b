import type { Queryable, Tx } from "../../db/database.ts";
import { deleteSomeAcrossOrgs } from "../../db/old-rows.ts";
import type { LeasedRow } from "../../queue/leases.ts";
import { leasesOn } from "../../queue/leases.ts";
import type { Invocation } from "./automations.schemas.ts";
import { readyWaits } from "./automation-waits.store.ts";
import { deleteOldChainsAcrossOrgs, frontierOf } from "./automation-chain.store.ts";
import type { StoredAutomation } from "./automations.store.ts";
import { automationColumns } from "./automations.store.ts";

export type AutomationRow = LeasedRow & { [Field in keyof StoredAutomation]: unknown } & { lease_attempts: number };

const hasEvent = (limit: string): string => `exists (
  select from unnest(t.event_types) as wanted (type), lateral (
    select from events e
     where e.org_id = t.org_id and e.type = wanted.type and e.sequence > t.cursor ${limit} limit 1) n)`;

/**
 * Its next run is due, an order has waited, or there is an event after its cursor that earlier automations have processed. The first
 * of the two conditions on events is a cheap index scan, which is enough for automations that no event concerns.
 */
const isReady = (now: string): string => `(t.event_types is null
  or (${hasEvent("")} and ${hasEvent(`and e.sequence <= ${frontierOf("t")}`)})
  or ${readyWaits(now)})`;

const leases = leasesOn<AutomationRow>({
  table: "automations",
  columns: `t.org_id, t.lease_attempts, ${automationColumns.selected}`,
  attempts: "lease_attempts",
  isReady,
  clock: "hub",
  leaseMs: 30_000,
});

/** Time of the first event after its cursor, or of its next run; null when idle. */
const waitsSince = `case when t.event_types is null then t.due_at else (
  select min(n.occurred_at) from unnest(t.event_types) as wanted (type), lateral (
    select e.occurred_at from events e where e.org_id = t.org_id and e.type = wanted.type and e.sequence > t.cursor
     order by e.sequence limit 1) n) end`;

export const automationLeases: typeof leases = {
  ...leases,
  /** Automations on events are always due, so only those with an event are counted as waiting. */
  async countAcrossOrgs(db, now) {
    const isFree = "(t.lease_owner is null or t.lease_until <= now())";
    const [row] = await db.query<{ waiting: number; oldestSeconds: number; leased: number }>(
      `select count(w.since) filter (where ${isFree}) as waiting, count(*) filter (where not ${isFree}) as leased,
         coalesce(extract(epoch from $1::timestamptz - min(w.since) filter (where ${isFree})), 0)::float8 as "oldestSeconds"
         from automations t, lateral (select ${waitsSince} as since) w where t.due_at <= $1`,
      [now],
    );
    return row!;
  },
};

export function toAutomation(row: AutomationRow): StoredAutomation {
  return automationColumns.fromRow({ ...row });
}

export async function isAnyReadyAcrossOrgs(db: Queryable, now: Date): Promise<boolean> {
  const [row] = await db.query<{ isAnyReady: boolean }>(
    `select exists (
       select from automations t
        where t.due_at <= $1::timestamptz
          and (t.lease_owner is null or t.lease_until <= now())
          and ${isReady("$1::timestamptz")}) as "isAnyReady"`,
    [now],
  );
  return row!.isAnyReady;
}

/** Returns false when the automation was changed or another worker has leased it: the work done so far is discarded. */
export async function lockOwn(
  tx: Tx,
  orgId: string,
  { id, version }: Pick<StoredAutomation, "id" | "version">,
  owner: string,
): Promise<boolean> {
  const rows = await tx.query(
    "select from automations where org_id = $1 and id = $2 and version = $3 and lease_owner = $4 for update",
    [orgId, id, version, owner],
  );
  return rows.length === 1;
}

/** Orders of the last hour, counted from the last resume. */
export async function countOrdersSince(tx: Tx, orgId: string, id: string, since: Date): Promise<number> {
  const [row] = await tx.query<{ orders: number }>(
    `select coalesce(sum(f.order_count), 0) as orders from automation_invocations f join automations t on t.id = f.automation_id
      where f.org_id = $1 and f.automation_id = $2 and f.kind not in ('depth_exceeded', 'wait_ended') and f.invoked_at > greatest($3, t.counted_since)`,
    [orgId, id, since],
  );
  return row!.orders;
}

export type Progress = {
  /** Position in the event log, and when it is due again. */
  cursor: number;
  nextRunAt: string | null;
  dueAt: string;
  evaluated: number;
  matched: number;
};

/** Saves the position and counters, and releases the lease. */
export async function saveProgress(tx: Tx, orgId: string, id: string, done: Progress): Promise<void> {
  await tx.query(
    `update automations set cursor = $3, next_run_at = $4, due_at = $5, evaluated_count = evaluated_count + $6,
       matched_count = matched_count + $7, lease_owner = null, lease_until = null, lease_attempts = 0
      where org_id = $1 and id = $2`,
    [orgId, id, done.cursor, done.nextRunAt, done.dueAt, done.evaluated, done.matched],
  );
}

export async function endLease(tx: Tx, orgId: string, id: string): Promise<void> {
  await tx.query(
    "update automations set lease_owner = null, lease_until = null, lease_attempts = 0 where org_id = $1 and id = $2",
    [orgId, id],
  );
}

export type NewInvocation = Omit<Invocation, "run" | "invoked_at" | "branch" | "execution_ids"> & {
  branch?: string | null;
  execution_ids?: string[];
  key: string;
  run_id: string | null;
  invoked_at: Date;
};

export async function insertInvocation(
  tx: Tx,
  orgId: string,
  automationId: string,
  invocation: NewInvocation,
): Promise<void> {
  const { id, kind, cause, key, order_count, run_id, preflight_summary, errors_by_code, invoked_at } = invocation;
  const { branch = null, execution_ids = [] } = invocation;
  await tx.query(
    `with counted as (
       update automations set last_invoked_at = $11, run_count = run_count + ($4 = 'run')::integer,
         preflight_count = preflight_count + ($4 = 'preflight')::integer where org_id = $2 and id = $3)
     insert into automation_invocations (id, org_id, automation_id, kind, cause, key, order_count, run_id, preflight_summary,
       errors_by_code, invoked_at, branch, execution_ids)
     values ($1, $2, $3, $4::text, $5, $6, $7, $8, $9, $10, $11::timestamptz, $12, $13::uuid[])`,
    [
      id,
      orgId,
      automationId,
      kind,
      cause,
      key,
      order_count,
      run_id,
      preflight_summary,
      errors_by_code,
      invoked_at,
      branch,
      execution_ids,
    ],
  );
}

const oldInvocations = { table: "automation_invocations", which: "invoked_at < $1", atOnce: 5_000 };

export async function deleteOldInvocationsAcrossOrgs(tx: Tx, before: Date): Promise<string[]> {
  await deleteOldChainsAcrossOrgs(tx, before, oldInvocations.atOnce);
  return await deleteSomeAcrossOrgs(tx, oldInvocations, before);
}

/** Automations due later, after the preview clock was set back. */
export async function lockLaterAcrossOrgs(tx: Tx, now: Date): Promise<StoredAutomation[]> {
  const rows = await tx.query<AutomationRow>(
    `select ${automationColumns.selected} from automations t where t.due_at > $1 order by t.id limit 10000 for update`,
    [now],
  );
  return rows.map(toAutomation);
}

export async function saveDueAcrossOrgs(
  tx: Tx,
  ids: string[],
  dueAts: string[],
  nextRuns: (string | null)[],
): Promise<void> {
  await tx.query(
    `update automations t set due_at = u.due_at, next_run_at = u.next_run_at
       from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) as u (id, due_at, next_run_at) where t.id = u.id`,
    [ids, dueAts, nextRuns],
  );
}
