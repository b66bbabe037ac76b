import type { Actor } from "../../core/actor.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { splitNames } from "../../core/schema.ts";
import type { Stored } from "../../db/columns.ts";
import { defineColumns, moment, selectAs, toRecord, writing } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import type { Condition } from "../../db/list-page.ts";
import { listPage, meetAll } from "../../db/list-page.ts";
import { deleteSomeAcrossOrgs } from "../../db/old-rows.ts";
import type { Ctx } from "../../context.ts";
import type { StoredException, NewException } from "./exception.ts";
import { digestOf, sealRecord } from "./exception.ts";
import type {
  CountsQuery,
  ExceptionCounts,
  ExceptionFilter,
  ExceptionQuery,
  LastAction,
} from "./exceptions.schemas.ts";

/** What whoever meets it tells; the other fields are what has become of it. */
const toldFields = {
  dedupKey: "text",
  kind: "text",
  code: "text",
  message: "text",
  reason: "text",
  subjectType: "text",
  subjectId: "uuid",
  subjectName: "text",
  orderId: "uuid",
  bridgeId: "uuid",
  taskName: "text",
  executionId: "uuid",
  holdHandle: "text",
  details: "jsonb",
  sealedRecord: "text",
  digest: "text",
} as const;
type Told = Pick<StoredException, "id" | keyof typeof toldFields>;
const told = defineColumns<Told>("x", toldFields).all;

const columns = defineColumns<StoredException>("x", {
  ...toldFields,
  status: "text",
  timesSeen: "integer",
  firstSeenAt: moment,
  openedAt: moment,
  lastSeenAt: moment,
  lastAction: "jsonb",
  resolvedAt: moment,
  resolvedBy: "jsonb",
  resolution: "text",
});

/** What is told of it in events. */
export type Noticed = Pick<
  StoredException,
  "id" | "kind" | "code" | "status" | "orderId" | "bridgeId" | "executionId" | "timesSeen" | "resolution"
>;

const noticed = selectAs("x", "id kind code status orderId bridgeId executionId timesSeen resolution");

/**
 * Somebody has decided about this very trouble: that it is met again is no news. What a source says that an order does not follow
 * is told of only when the source says something else than before: that is news, whatever was decided then.
 */
const staysClosed = `(x.digest = excluded.digest
  and (x.status = 'dismissed' or x.status = 'resolved' and x.resolution = 'edit_and_retry'))`;

const { names, values, shape } = writing(told);

/** One statement, in the order of the keys: of two who meet the same troubles one waits for the other. */
const openStatement = `insert into exceptions as x (id, org_id, ${names}, status, opening, times_seen, first_seen_at, opened_at, last_seen_at)
  select u.id, $1::uuid, ${values}, 'open', $3::uuid, 1, $4::timestamptz, $4, $4
    from jsonb_to_recordset($2::jsonb) as u (${shape}) order by u.dedup_key
  on conflict (org_id, dedup_key) do update set
    ${told.map(({ name }) => `${name} = excluded.${name}`).join(", ")},
    last_seen_at = excluded.last_seen_at, times_seen = x.times_seen + 1,
    opening = case when x.status = 'open' or ${staysClosed} then x.opening else excluded.opening end,
    opened_at = case when x.status = 'open' or ${staysClosed} then x.opened_at else excluded.opened_at end,
    last_action = case when x.status = 'open' or ${staysClosed} then x.last_action end,
    resolved_at = case when ${staysClosed} then x.resolved_at end,
    resolved_by = case when ${staysClosed} then x.resolved_by end,
    resolution = case when ${staysClosed} then x.resolution end,
    status = case when ${staysClosed} then x.status else 'open' end
  returning ${noticed}, x.opening = $3::uuid as "isOpened"`;

/** Returns those that were not open before. */
export async function openExceptions(tx: Tx, ctx: Ctx, troubles: NewException[]): Promise<Noticed[]> {
  const { orgId, newId, clock } = ctx;
  const records = JSON.stringify(troubles.map((trouble) => toRecord(told, toldOf(ctx, trouble), orgId)));
  const values = [orgId, records, newId(), clock.now()];
  const rows = await tx.query<Noticed & { isOpened: boolean }>(openStatement, values);
  return rows.filter(({ isOpened }) => isOpened);
}

function toldOf(ctx: Ctx, { key, subject, record, occasion, ...trouble }: NewException): Told {
  return {
    id: ctx.newId(),
    dedupKey: key,
    kind: trouble.kind,
    code: trouble.code,
    message: trouble.message,
    reason: trouble.reason ?? null,
    subjectType: subject.type,
    subjectId: subject.id,
    subjectName: subject.name,
    orderId: trouble.orderId ?? null,
    bridgeId: trouble.bridgeId ?? null,
    taskName: trouble.taskName ?? null,
    executionId: trouble.executionId ?? null,
    holdHandle: trouble.holdHandle ?? null,
    details: trouble.details ?? {},
    sealedRecord: record ? sealRecord(ctx, key, record) : null,
    digest: digestOf([trouble.code, trouble.details, record, occasion]),
  };
}

/** Who ends it, and how. */
export type Ending = {
  at: Date;
  by: Actor;
  status: "resolved" | "dismissed";
  resolution: StoredException["resolution"];
};

/** `held` says which, by the alias `x`, and that they are not closed yet; locked in the order of the keys. */
async function close(
  tx: Tx,
  held: string,
  values: unknown[],
  { at, by, status, resolution }: Ending,
): Promise<Noticed[]> {
  const value = (given: unknown): string => `$${values.push(given)}`;
  return await tx.query<Noticed>(
    `with held as (select x.id from ${held} order by x.dedup_key for update of x)
     update exceptions x set status = ${value(status)}, resolution = ${value(resolution)}, resolved_at = ${value(at)},
            resolved_by = ${value(by)}::jsonb
       from held where x.id = held.id returning ${noticed}`,
    values,
  );
}

export async function closeByIds(tx: Tx, orgId: string, ids: string[], ending: Ending): Promise<Noticed[]> {
  return await close(
    tx,
    "exceptions x where x.org_id = $1 and x.id = any($2::uuid[]) and x.status = 'open'",
    [orgId, ids],
    ending,
  );
}

/** Mostly there are none: then one look at a small index is all it costs, however many keys or orders there are. */
const isAny = "(select exists (select from exceptions o where o.org_id = $1 and o.status <> 'resolved'))";

/** Also what was dismissed: should it go wrong anew, that is news. */
export async function closeByKeys(tx: Tx, orgId: string, keys: string[], ending: Ending): Promise<Noticed[]> {
  return await close(
    tx,
    `exceptions x where ${isAny} and x.org_id = $1 and x.dedup_key = any($2::text[])
        and x.status <> 'resolved'`,
    [orgId, keys],
    ending,
  );
}

/** An order as it is now: how far it is, and what it is held for. */
export type OrderState = { id: string; status: string; handles: string[] };

/** What was wrong with an order that has gone on: its hold was released, it was given back, or nothing of it is left here. */
export async function closeByOrders(tx: Tx, orgId: string, orders: OrderState[], ending: Ending): Promise<Noticed[]> {
  return await close(
    tx,
    `jsonb_to_recordset($2::jsonb) as u (id uuid, status text, handles jsonb)
       join exceptions x on ${isAny} and x.org_id = $1 and x.order_id = u.id
      where x.status <> 'resolved' and (x.hold_handle is not null and not u.handles ? x.hold_handle
          or x.kind = 'import_conflict' and x.details #>> '{theirs,status}' = u.status
          or x.kind = 'recall' and u.status <> 'sent'
          or x.dedup_key like 'label:%' and u.status in ('shipped', 'delivered', 'cancelled'))`,
    [orgId, JSON.stringify(orders)],
    ending,
  );
}

export async function markAttempted(tx: Tx, orgId: string, ids: string[], fix: LastAction): Promise<void> {
  await tx.query(
    "update exceptions set last_action = $3 where org_id = $1 and id = any($2::uuid[]) and status = 'open'",
    [orgId, ids, fix],
  );
}

/** Those of these that are open, locked; the others had their end meanwhile. */
export async function lockOpen(tx: Tx, orgId: string, ids: string[]): Promise<StoredException[]> {
  const rows = await tx.query<Stored<StoredException>>(
    `select ${columns.selected} from exceptions x
      where x.org_id = $1 and x.id = any($2::uuid[]) and x.status = 'open' order by x.dedup_key for update`,
    [orgId, ids],
  );
  return rows.map(columns.fromRow);
}

export async function findException(db: Queryable, orgId: string, id: string): Promise<StoredException | undefined> {
  const [row] = await db.query<Stored<StoredException>>(
    { name: "exceptions_find", text: `select ${columns.selected} from exceptions x where x.org_id = $1 and x.id = $2` },
    [orgId, id],
  );
  return row && columns.fromRow(row);
}

function meets(orgId: string, { kind, status, ...filter }: ExceptionFilter & { status: string }): Condition[] {
  const statuses = splitNames(status);
  return [
    ["x.org_id = ?", orgId],
    // Said in so many words, the planner may use the index of what is open.
    ...(statuses.length === 1 && statuses[0] === "open"
      ? ["x.status = 'open'"]
      : [["x.status = any(?)", statuses] as const]),
    ["x.kind = any(?)", kind === undefined ? null : splitNames(kind)],
    ["x.code = ?", filter.code],
    ["x.bridge_id = ?", filter.bridgeId],
    ["x.task_name = ?", filter.taskName],
    ["x.order_id = ?", filter.orderId],
    ["x.execution_id = ?", filter.executionId],
    ["x.opened_at >= ?", filter.from],
    ["x.opened_at < ?", filter.to],
    ...(filter.isAttempted === undefined ? [] : [`x.last_action is ${filter.isAttempted ? "not null" : "null"}`]),
  ];
}

const listed = columns.selected
  .replace("x.details", "'{}'::jsonb")
  .replace("x.sealed_record", "left(x.sealed_record, 0)");

/** Newest first, without what only one that is looked at needs. */
export async function listExceptions(
  db: Queryable,
  orgId: string,
  query: ExceptionQuery,
): Promise<Page<StoredException>> {
  const page = await listPage<Stored<StoredException>>(db, query, {
    select: listed,
    from: "exceptions x",
    where: meets(orgId, { ...query, status: query.status ?? "open" }),
    orderBy: "x.opened_at desc, x.id desc",
  });
  return mapPage(page, columns.fromRow);
}

/** The oldest that are open and meet a filter, those first that nobody has tried yet. */
export async function listToResolve(
  db: Queryable,
  orgId: string,
  filter: ExceptionFilter,
  limit: number,
): Promise<StoredException[]> {
  const values: unknown[] = [];
  const rows = await db.query<Stored<StoredException>>(
    `select ${columns.selected} from exceptions x where ${meetAll(meets(orgId, { ...filter, status: "open" }), values)}
      order by x.last_action is not null, x.opened_at, x.id limit ${limit}`,
    values,
  );
  return rows.map(columns.fromRow);
}

type Group = Omit<ExceptionCounts["groups"][number], "fixes" | "lastSeenAt"> & { lastSeenAt: Date };

export async function groupExceptions(db: Queryable, orgId: string, query: CountsQuery): Promise<Group[]> {
  const values: unknown[] = [];
  return await db.query<Group>(
    `select x.kind, x.code, x.bridge_id as "bridgeId", count(*)::integer as count, max(x.last_seen_at) as "lastSeenAt",
            (array_agg(x.message order by x.opened_at desc))[1] as message
       from exceptions x where ${meetAll(meets(orgId, { ...query, status: query.status ?? "open" }), values)}
      group by 1, 2, 3 order by count desc, 1, 2, 3`,
    values,
  );
}

/** Records that these executions have left behind and nobody has seen to, in the order of their keys. */
export async function listRecordsLeft(
  db: Queryable,
  orgId: string,
  executionIds: string[],
  { after, limit }: { after: string; limit: number },
): Promise<StoredException[]> {
  const rows = await db.query<Stored<StoredException>>(
    `select ${columns.selected} from exceptions x
      where x.org_id = $1 and x.execution_id = any($2::uuid[]) and x.kind = 'rejected_record' and x.status = 'open' and x.dedup_key > $3
        and x.sealed_record is not null
      order by x.dedup_key limit $4`,
    [orgId, executionIds, after, limit],
  );
  return rows.map(columns.fromRow);
}

/** Those that were closed before, and those that nobody has met since. */
const oldExceptions = {
  table: "exceptions",
  which: "coalesce(resolved_at, last_seen_at) < $1 order by coalesce(resolved_at, last_seen_at)",
  atOnce: 1_000,
};

export async function deleteOldExceptionsAcrossOrgs(tx: Tx, before: Date): Promise<string[]> {
  return await deleteSomeAcrossOrgs(tx, oldExceptions, before);
}
