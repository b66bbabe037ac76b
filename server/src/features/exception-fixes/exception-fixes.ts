import type { ErrorCode } from "../../core/errors.ts";
import { errorTable, HubError } from "../../core/errors.ts";
import { orNotFound } from "../../core/resources.ts";
import { hasScope } from "../../core/scopes.ts";
import type { Ctx } from "../../context.ts";
import { change, keepingAs } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import type { ExceptionKind, ExceptionAction, ResolveResponse } from "../exceptions/exceptions.schemas.ts";
import type { ResolveManyResponse, ResolveManyRequest, ResolveRequest } from "../exceptions/exceptions.schemas.ts";
import { maxResolvedAtOnce } from "../exceptions/exceptions.schemas.ts";
import type { StoredException } from "../exceptions/exceptions.ts";
import * as exceptions from "../exceptions/exceptions.ts";
import type { Resolution, Resolver, RequestedAction } from "./fix.ts";
import { closedMeanwhile, failed, refused } from "./fix.ts";
import { askCarriers, markLabels } from "./fix-carriers.ts";
import { runAgain, sendAgain } from "./fix-executions.ts";
import { decideOrders } from "./fix-orders.ts";
import { fixRecords } from "./fix-records.ts";

const retries: Record<ExceptionKind, Resolver> = {
  rejected_record: fixRecords,
  import_conflict: decideOrders,
  recall: sendAgain,
  push: sendAgain,
  label: askCarriers,
  pickup: askCarriers,
  manifest: askCarriers,
  execution: runAgain,
  // Has no action that retries: `actionsFor` lists only the dismissal.
  stock: runAgain,
  invoice: runAgain,
};

function resolverOf(kind: ExceptionKind, action: ExceptionAction): Resolver {
  if (action === "dismiss") return dismiss;
  if (action === "mark_purchased" || action === "mark_not_purchased") return markLabels;
  return action === "keep_local" || action === "accept_source" ? decideOrders : retries[kind];
}

const dismiss: Resolver = {
  batchesOf: (rows) => (rows.length > 0 ? [rows] : []),
  async resolve(ctx, rows) {
    const ids = rows.map(({ id }) => id);
    return await change(ctx, async (tx) => {
      const closed = await exceptions.closeExceptions(tx, ctx, ids, "dismiss");
      return ids.map((id) => (closed.has(id) ? { id, status: "dismissed" } : failed(id, closedMeanwhile)));
    });
  },
};

export async function resolveException(ctx: Ctx, id: string, requested: ResolveRequest): Promise<ResolveResponse> {
  const found = orNotFound("exception", await exceptions.findException(ctx.db, ctx.orgId, id));
  const obstacle = obstacleTo(ctx, found, requested.action);
  if (obstacle) throw obstacle;
  const own = keepingAs(ctx, async (tx, given) => await answerOf(tx, ctx, found, (given as Resolution[])[0]!));
  const [fixed] = await resolverOf(found.kind, requested.action)
    .resolve(own, [found], requested)
    .catch((error: unknown) => {
      throw error instanceof HubError ? refusalOf(found, error) : error;
    });
  const answer = await answerOf(ctx.db, ctx, found, fixed!);
  if (answer instanceof HubError) throw answer;
  return answer;
}

async function answerOf(
  db: Queryable,
  ctx: Ctx,
  { id, kind }: StoredException,
  { status, error, executionId }: Resolution,
): Promise<ResolveResponse | HubError> {
  // An invalid record is an outcome (200); an action that is not possible now is an error response.
  const isRefusal = error?.code === closedMeanwhile.code || kind !== "rejected_record";
  if (error && isRefusal && Object.hasOwn(errorTable, error.code)) {
    return refusalOf({ id }, new HubError(error.code as ErrorCode, error.message));
  }
  const more = { ...(executionId === undefined ? {} : { executionId }), ...(error ? { error } : {}) };
  return { status, ...more, exception: await exceptions.getException(ctx, id, db) };
}

function refusalOf({ id }: Pick<StoredException, "id">, { code, message, details }: HubError): HubError {
  return new HubError(code, message, { ...details, extra: { ...details.extra, exceptionId: id } });
}

/** Exceptions without an earlier attempt come first, so that ones that keep failing do not block others. */
export async function resolveMatching(ctx: Ctx, request: ResolveManyRequest): Promise<ResolveManyResponse> {
  const { action, filter, dryRun = false, ...more } = request;
  const { total: matched } = await exceptions.countExceptions(ctx, filter);
  const rows = dryRun ? [] : await exceptions.listToResolve(ctx.db, ctx.orgId, filter, maxResolvedAtOnce);
  const answerWith = (results: Resolution[]): ResolveManyResponse => ({
    dryRun,
    summary: summaryOf(matched, results),
    results,
  });
  const results: Resolution[] = [];
  // Several transactions: if the process dies, the kept response has the exceptions resolved so far.
  const own = keepingAs(ctx, async (_tx, fixed) => answerWith([...results, ...(fixed as Resolution[])]));
  for (const [kind, of] of Map.groupBy(rows, (row) => row.kind)) {
    const obstacles = new Map(of.map((row) => [row, obstacleTo(ctx, row, action)]));
    for (const [{ id }, obstacle] of obstacles) if (obstacle) results.push(refused(id, obstacle));
    const resolver = resolverOf(kind, action);
    for (const batch of resolver.batchesOf(of.filter((row) => !obstacles.get(row)))) {
      results.push(...(await resolveBatch(resolver, own, batch, { action, ...more })));
    }
  }
  return answerWith(results);
}

function summaryOf(matched: number, results: Resolution[]): ResolveManyResponse["summary"] {
  const failures = results.filter(({ status }) => status === "failed").length;
  return {
    matched: Math.max(matched, results.length),
    processed: results.length - failures,
    failed: failures,
    remaining: Math.max(0, matched - results.length),
  };
}

/** An error of the batch is reported for each of its exceptions. */
async function resolveBatch(
  resolver: Resolver,
  ctx: Ctx,
  rows: StoredException[],
  requested: RequestedAction,
): Promise<Resolution[]> {
  try {
    return await resolver.resolve(ctx, rows, requested);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return rows.map(({ id }) => refused(id, error));
  }
}

/** Why this caller cannot do it, as it is now. */
function obstacleTo(ctx: Ctx, row: StoredException, action: ExceptionAction): HubError | undefined {
  if (row.status !== "open") return new HubError("exception_closed", `It is ${row.status} already.`);
  const fix = exceptions.actionsFor(row).find((one) => one.action === action);
  if (!fix) {
    const allowed = exceptions.actionsFor(row).map((one) => one.action);
    return new HubError("invalid_state", `What can be done about it: ${allowed.join(", ")}.`, { extra: { allowed } });
  }
  const required = exceptions.scopeOf(row.kind, action);
  if (hasScope(ctx.principal.scopes, required)) return undefined;
  return new HubError("insufficient_scope", `To ${action} this takes the scope ${required}.`, {
    extra: { required: [required], granted: [...ctx.principal.scopes] },
  });
}
