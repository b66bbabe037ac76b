import { chunksOf } from "../../connectors/shape.ts";
import { badField, HubError } from "../../core/errors.ts";
import { mask, maskProblem, maySeePersonalData } from "../../core/mask-person.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { closeExceptions, lockOpen, markAttempted, openRecord } from "../exceptions/exceptions.ts";
import type { KeptRecord, StoredException } from "../exceptions/exceptions.ts";
import type { RecordTaker, Rejected } from "../tasks/tasks.ts";
import { openTaker, takeRecords } from "../tasks/tasks.ts";
import type { Fixed, Fixer, Wanted } from "./fix.ts";
import { closedMeanwhile, failed } from "./fix.ts";

/** So many in one transaction. */
const portion = 200;

/** Takes records that were rejected, as they came or as somebody has corrected them: their source is not asked. */
export const fixRecords: Fixer = {
  portionsOf(rows) {
    const groups = [...Map.groupBy(rows, ({ bridgeId, taskName }) => `${bridgeId} ${taskName}`).values()];
    return groups.flatMap((of) => chunksOf(of, portion));
  },
  async fix(ctx, rows, wanted) {
    const { bridgeId, taskName } = rows[0]!;
    const taker = await openTaker(ctx, ctx.orgId, bridgeId!, taskName!);
    return await change(ctx, async (tx) => {
      const ids = rows.map(({ id }) => id);
      const open = new Map((await lockOpen(tx, ctx.orgId, ids)).map((row) => [row.id, row]));
      const given = [...open.values()].flatMap((row) => {
        const record = recordFor(ctx, taker, row, wanted);
        return record ? [{ id: row.id, record, executionId: row.executionId }] : [];
      });
      const rejected = new Map((await takeRecords(tx, ctx, taker, given)).map((one) => [one.externalId, one]));
      const byId = new Map(given.map((one) => [one.id, one.record.externalId]));
      const taken = given.filter(({ record }) => !rejected.has(record.externalId)).map(({ id }) => id);
      await closeExceptions(tx, ctx, taken, wanted.action);
      const at = ctx.clock.now().toISOString();
      await markAttempted(tx, ctx.orgId, ids, { action: wanted.action, at, by: ctx.actor, executionId: null });
      return rows.map(({ id }): Fixed => {
        if (!open.has(id)) return failed(id, closedMeanwhile);
        const externalId = byId.get(id);
        if (externalId === undefined) return failed(id, notKept);
        const why = rejected.get(externalId);
        if (!why) return { id, status: "resolved" };
        return failed(id, shownTo(ctx, why));
      });
    });
  },
};

/** What is wrong with a record is told by quoting it. */
function shownTo(ctx: Ctx, { code, message, errors = [] }: Rejected): NonNullable<Fixed["error"]> {
  const told = errors as Record<string, unknown>[];
  if (!maySeePersonalData(ctx)) return { code, message: mask, errors: told.map(maskProblem) };
  return { code, message, errors: told };
}

const notKept = {
  code: "record_not_stored",
  message: "The record was too large to be kept, or its key is gone. Send it with edit_and_retry, or import it again.",
};

/** What takes the place of the one that came. Of the two parts the one is given that is looked at. */
function recordFor(ctx: Ctx, taker: RecordTaker, row: StoredException, wanted: Wanted): KeptRecord | undefined {
  const kept = openRecord(ctx, row);
  if (wanted.action !== "edit_and_retry") return kept;
  const { raw, canonical } = wanted.record ?? {};
  if (raw === undefined && canonical === undefined) {
    throw badField(
      "/record",
      "required",
      "Send the corrected record: `canonical`, or `raw` where a transformation or the connector maps it.",
    );
  }
  const mode = taker.mappings.inbound?.mode;
  const { canonicalOf } = taker.task;
  if (mode === undefined && canonical === undefined && !canonicalOf) {
    throw badField(
      "/record/raw",
      "record_part_ignored",
      "No transformation is active: `canonical` is what the hub takes.",
    );
  }
  if (mode === "replace" && raw === undefined) {
    throw badField(
      "/record/canonical",
      "record_part_ignored",
      "The transformation makes all of it of `raw`: send that.",
    );
  }
  const externalId = row.subjectName;
  if (externalId === null) throw new HubError("invalid_state", "Nobody knows which record it was.");
  const before = kept ?? { externalId, updatedAt: null, raw: {}, canonical: {} };
  const made = canonical ?? (raw && canonicalOf?.(raw));
  return { ...before, ...(raw ? { raw } : {}), ...(made ? { canonical: made } : {}) };
}
