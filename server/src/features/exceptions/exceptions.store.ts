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

/** Fields given when the exception is opened; the others track its state. */
const givenFields = {
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
type GivenFields = Pick<StoredException, "id" | keyof typeof givenFields>;
const given = defineColumns<GivenFields>("x", givenFields).all;

const columns = defineColumns<StoredException>("x", {
  ...givenFields,
  status: "text",
  assigneeId: "uuid",
  timesSeen: "integer",
  firstSeenAt: moment,
  openedAt: moment,
  lastSeenAt: moment,
  lastAction: "jsonb",
  resolvedAt: moment,
  resolvedBy: "jsonb",
  resolution: "text",
});

/** Fields reported in events. */
export type ReportedException = Pick<
  StoredException,
  "id" | "kind" | "code" | "status" | "orderId" | "bridgeId" | "executionId" | "timesSeen" | "resolution"
>;

export const reported = selectAs("x", "id kind code status orderId bridgeId executionId timesSeen resolution");

/** A user has dismissed or corrected this very problem (same digest): it stays closed when it occurs again. */
const staysClosed = `(x.digest = excluded.digest
  and (x.status = 'dismissed' or x.status = 'resolved' and x.resolution = 'edit_and_retry'))`;

const { names, values, shape } = writing(given);

/**
 * Opens or updates exceptions in one statement, in the order of their keys, so that concurrent transactions with the same keys wait
 * instead of deadlocking. Conflicts are found by the unique index exceptions_dedup_key.
 */
const openStatement = `insert into exceptions as x (id, org_id, ${names}, status, opening, times_seen, first_seen_at, opened_at, last_seen_at)
  select u.id, $1::uuid, ${values}, 'open', $3::uuid, 1, $4::timestamptz, $4, $4
    from jsonb_to_recordset($2::jsonb) as u (${shape}) order by u.dedup_key
  on conflict (org_id, dedup_key) do update set
    ${given.map(({ name }) => `${name} = excluded.${name}`).join(", ")},
    last_seen_at = excluded.last_seen_at, times_seen = x.times_seen + 1,
    opening = case when x.status = 'open' or ${staysClosed} then x.opening else excluded.opening end,
    opened_at = case when x.status = 'open' or ${staysClosed} then x.opened_at else excluded.opened_at end,
    last_action = case when x.status = 'open' or ${staysClosed} then x.last_action end,
    resolved_at = case when ${staysClosed} then x.resolved_at end,
    resolved_by = case when ${staysClosed} then x.resolved_by end,
    resolution = case when ${staysClosed} then x.resolution end,
    status = case when ${staysClosed} then x.status else 'open' end
  returning ${reported}, x.opening = $3::uuid as "isOpened"`;

/** Returns the exceptions that were not open before. */
export async function openExceptions(tx: Tx, ctx: Ctx, problems: NewException[]): Promise<ReportedException[]> {
  const { orgId, newId, clock } = ctx;
  const records = JSON.stringify(problems.map((problem) => toRecord(given, givenOf(ctx, problem), orgId)));
  const values = [orgId, records, newId(), clock.now()];
  const rows = await tx.query<ReportedException & { isOpened: boolean }>(openStatement, values);
  return rows.filter(({ isOpened }) => isOpened);
}

function givenOf(ctx: Ctx, { key, subject, record, requestKey, ...problem }: NewException): GivenFields {
  return {
    id: ctx.newId(),
    dedupKey: key,
    kind: problem.kind,
    code: problem.code,
    message: problem.message,
    reason: problem.reason ?? null,
    subjectType: subject.type,
    subjectId: subject.id,
    subjectName: subject.name,
    orderId: problem.orderId ?? null,
    bridgeId: problem.bridgeId ?? null,
    taskName: problem.taskName ?? null,
    executionId: problem.executionId ?? null,
    holdHandle: problem.holdHandle ?? null,
    details: problem.details ?? {},
    sealedRecord: record ? sealRecord(ctx, key, record) : null,
    digest: digestOf([problem.code, problem.details, record, requestKey]),
  };
}

export async function markAttempted(tx: Tx, orgId: string, ids: string[], fix: LastAction): Promise<void> {
  await tx.query(
    "update exceptions set last_action = $3 where org_id = $1 and id = any($2::uuid[]) and status = 'open'",
    [orgId, ids, fix],
  );
}

/** False if there is no such exception. */
export async function setAssignee(tx: Tx, orgId: string, id: string, assigneeId: string | null): Promise<boolean> {
  const rows = await tx.query("update exceptions set assignee_id = $3 where org_id = $1 and id = $2 returning 1", [
    orgId,
    id,
    assigneeId,
  ]);
  return rows.length === 1;
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

/** The first error of a rejected record says what is wrong: by code and field, records with the same cause are alike. */
const errorCode = "(x.details #>> '{errors,0,code}')";
const errorField = `coalesce(nullif(x.details #>> '{errors,0,target}', ''),
  regexp_replace(x.details #>> '{errors,0,pointer}', '/[0-9]+\\M', '/*', 'g'))`;

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
    ["x.assignee_id = ?", filter.assigneeId],
    ["x.execution_id = ?", filter.executionId],
    [`${errorCode} = ?`, filter.errorCode],
    [`${errorField} = ?`, filter.field],
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

/** The oldest open exceptions that match a filter, those without an attempt first. */
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
    `select x.kind, x.code, x.bridge_id as "bridgeId", x.task_name as "taskName", ${errorCode} as "errorCode",
            ${errorField} as field, count(*)::integer as count, max(x.last_seen_at) as "lastSeenAt",
            (array_agg(x.message order by x.opened_at desc))[1] as message
       from exceptions x where ${meetAll(meets(orgId, { ...query, status: query.status ?? "open" }), values)}
      group by 1, 2, 3, 4, 5, 6 order by count desc, 1, 2, 3, 4, 5, 6`,
    values,
  );
}

/** Open exceptions about records of these executions, in the order of their keys. */
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

/** Exceptions that were closed before this time, and open ones that did not occur again since. */
const oldExceptions = {
  table: "exceptions",
  which: "coalesce(resolved_at, last_seen_at) < $1 order by coalesce(resolved_at, last_seen_at)",
  atOnce: 1_000,
};

export async function deleteOldExceptionsAcrossOrgs(tx: Tx, before: Date): Promise<string[]> {
  return await deleteSomeAcrossOrgs(tx, oldExceptions, before);
}
