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
import type { Fixed, Fixer, Wanted } from "./fix.ts";
import { closedMeanwhile, failed, refused } from "./fix.ts";
import { askCarriers } from "./fix-carriers.ts";
import { runAgain, sendAgain } from "./fix-executions.ts";
import { decideOrders } from "./fix-orders.ts";
import { fixRecords } from "./fix-records.ts";

const retries: Record<ExceptionKind, Fixer> = {
  rejected_record: fixRecords,
  import_conflict: decideOrders,
  recall: sendAgain,
  push: sendAgain,
  label: askCarriers,
  pickup: askCarriers,
  execution: runAgain,
};

function fixerOf(kind: ExceptionKind, action: ExceptionAction): Fixer {
  if (action === "dismiss") return dismiss;
  return action === "keep_local" || action === "accept_source" ? decideOrders : retries[kind];
}

const dismiss: Fixer = {
  portionsOf: (rows) => (rows.length > 0 ? [rows] : []),
  async fix(ctx, rows) {
    const ids = rows.map(({ id }) => id);
    return await change(ctx, async (tx) => {
      const closed = await exceptions.closeExceptions(tx, ctx, ids, "dismiss");
      return ids.map((id) => (closed.has(id) ? { id, status: "dismissed" } : failed(id, closedMeanwhile)));
    });
  },
};

export async function fixException(ctx: Ctx, id: string, wanted: ResolveRequest): Promise<ResolveResponse> {
  const found = orNotFound("exception", await exceptions.findException(ctx.db, ctx.orgId, id));
  const obstacle = obstacleTo(ctx, found, wanted.action);
  if (obstacle) throw obstacle;
  const own = keepingAs(ctx, async (tx, given) => await answerOf(tx, ctx, found, (given as Fixed[])[0]!));
  const [fixed] = await fixerOf(found.kind, wanted.action)
    .fix(own, [found], wanted)
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
  { status, error, executionId }: Fixed,
): Promise<ResolveResponse | HubError> {
  // What is wrong with a record is an answer; that something cannot be done now is a refusal.
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

/** Of those that are open, the ones nobody has tried first. One that cannot be put right stays, and does not hold up others. */
export async function fixMatching(ctx: Ctx, request: ResolveManyRequest): Promise<ResolveManyResponse> {
  const { action, filter, dryRun = false, ...more } = request;
  const { total: matched } = await exceptions.countExceptions(ctx, filter);
  const rows = dryRun ? [] : await exceptions.listToResolve(ctx.db, ctx.orgId, filter, maxResolvedAtOnce);
  const answerWith = (results: Fixed[]): ResolveManyResponse => ({
    dryRun,
    summary: summaryOf(matched, results),
    results,
  });
  const results: Fixed[] = [];
  // Done in several transactions: whoever dies after some of them leaves the answer that tells of those.
  const own = keepingAs(ctx, async (_tx, fixed) => answerWith([...results, ...(fixed as Fixed[])]));
  for (const [kind, of] of Map.groupBy(rows, (row) => row.kind)) {
    const obstacles = new Map(of.map((row) => [row, obstacleTo(ctx, row, action)]));
    for (const [{ id }, obstacle] of obstacles) if (obstacle) results.push(refused(id, obstacle));
    const fixer = fixerOf(kind, action);
    for (const portion of fixer.portionsOf(of.filter((row) => !obstacles.get(row)))) {
      results.push(...(await fixPortion(fixer, own, portion, { action, ...more })));
    }
  }
  return answerWith(results);
}

function summaryOf(matched: number, results: Fixed[]): ResolveManyResponse["summary"] {
  const failures = results.filter(({ status }) => status === "failed").length;
  return {
    matched: Math.max(matched, results.length),
    processed: results.length - failures,
    failed: failures,
    remaining: Math.max(0, matched - results.length),
  };
}

/** What is refused is told of each that it is about. */
async function fixPortion(fixer: Fixer, ctx: Ctx, rows: StoredException[], wanted: Wanted): Promise<Fixed[]> {
  try {
    return await fixer.fix(ctx, rows, wanted);
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
