import type { ErrorCode } from "../../core/errors.ts";
import { errorTable, HubError } from "../../core/errors.ts";
import { orNotFound } from "../../core/resources.ts";
import { hasScope } from "../../core/scopes.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { ExceptionKind, FixAction, FixAnswer } from "../exceptions/exceptions.schemas.ts";
import type { FixManyAnswer, FixManyRequest, FixRequest } from "../exceptions/exceptions.schemas.ts";
import { maxFixedAtOnce } from "../exceptions/exceptions.schemas.ts";
import type { StoredException } from "../exceptions/exceptions.ts";
import * as exceptions from "../exceptions/exceptions.ts";
import type { Fixed, Fixer } from "./fix.ts";
import { closedMeanwhile, failed, orFailed } from "./fix.ts";
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

function fixerOf(kind: ExceptionKind, action: FixAction): Fixer {
  if (action === "dismiss") return dismiss;
  return action === "keep_ours" || action === "accept_theirs" ? decideOrders : retries[kind];
}

const dismiss: Fixer = async (ctx, rows) => {
  const ids = rows.map(({ id }) => id);
  const closed = await ctx.db.transaction(async (tx) => await exceptions.closeExceptions(tx, ctx, ids, "dismiss"));
  return ids.map((id) => (closed.has(id) ? { id, status: "dismissed" } : failed(id, closedMeanwhile)));
};

export async function fixException(ctx: Ctx, id: string, wanted: FixRequest): Promise<FixAnswer> {
  const found = orNotFound("exception", await exceptions.findException(ctx.db, ctx.orgId, id));
  const obstacle = obstacleTo(ctx, found, wanted.action);
  if (obstacle) throw obstacle;
  const [fixed] = await fixerOf(found.kind, wanted.action)(ctx, [found], wanted);
  const { status, error, executionId } = fixed!;
  // What is wrong with a record is an answer; that something cannot be done now is a refusal.
  if (error && Object.hasOwn(errorTable, error.code) && found.kind !== "rejected_record") {
    throw new HubError(error.code as ErrorCode, error.message, { extra: { exceptionId: id } });
  }
  if (error?.code === closedMeanwhile.code) throw new HubError("exception_closed", error.message);
  const exception = await exceptions.getException(ctx, id);
  const more = { ...(executionId === undefined ? {} : { executionId }), ...(error ? { error } : {}) };
  return await change(ctx, async () => ({ status, ...more, exception }));
}

/** Of those that are open, the ones nobody has tried first. One that cannot be put right stays, and does not hold up others. */
export async function fixMatching(ctx: Ctx, request: FixManyRequest): Promise<FixManyAnswer> {
  const { action, filter, dryRun = false, ...more } = request;
  const { total: matched } = await exceptions.countExceptions(ctx, filter);
  const rows = dryRun ? [] : await exceptions.listToFix(ctx.db, ctx.orgId, filter, maxFixedAtOnce);
  const results: Fixed[] = [];
  for (const [kind, of] of Map.groupBy(rows, (row) => row.kind)) {
    const obstacles = new Map(of.map((row) => [row, obstacleTo(ctx, row, action)]));
    const free = of.filter((row) => !obstacles.get(row));
    for (const [row, error] of obstacles) {
      if (error) results.push(failed(row.id, { code: error.code, message: error.message }));
    }
    const fix = fixerOf(kind, action);
    if (free.length > 0) results.push(...(await orFailed(free, () => fix(ctx, free, { action, ...more }))));
  }
  const failures = results.filter(({ status }) => status === "failed").length;
  const summary = {
    matched: Math.max(matched, results.length),
    done: results.length - failures,
    failed: failures,
    remaining: Math.max(0, matched - results.length),
  };
  return await change(ctx, async () => ({ dryRun, summary, results }));
}

/** Why this caller cannot do it, as it is now. */
function obstacleTo(ctx: Ctx, row: StoredException, action: FixAction): HubError | undefined {
  if (row.status !== "open") return new HubError("exception_closed", `It is ${row.status} already.`);
  const fix = exceptions.fixesOf(row).find((one) => one.action === action);
  if (!fix) {
    const allowed = exceptions.fixesOf(row).map((one) => one.action);
    return new HubError("invalid_state", `What can be done about it: ${allowed.join(", ")}.`, { extra: { allowed } });
  }
  const required = exceptions.scopeOf(row.kind, action);
  if (hasScope(ctx.principal.scopes, required)) return undefined;
  return new HubError("insufficient_scope", `To ${action} this takes the scope ${required}.`, {
    extra: { required: [required], granted: [...ctx.principal.scopes] },
  });
}
