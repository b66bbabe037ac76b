import { chunksOf } from "../../connectors/shape.ts";
import { badField, HubError } from "../../core/errors.ts";
import { mask, maskProblem, maySeePersonalData } from "../../core/mask-person.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { closeExceptions, lockOpen, markAttempted, openRecord } from "../exceptions/exceptions.ts";
import type { KeptRecord, StoredException } from "../exceptions/exceptions.ts";
import type { RecordTaker, Rejected } from "../tasks/tasks.ts";
import { openTaker, takeRecords } from "../tasks/tasks.ts";
import type { Resolution, Resolver, RequestedAction } from "./fix.ts";
import { closedMeanwhile, failed } from "./fix.ts";

/** Records per transaction. */
const batchSize = 200;

/** Imports rejected records, as received or corrected. The source is not contacted. */
export const fixRecords: Resolver = {
  batchesOf(rows) {
    const groups = [...Map.groupBy(rows, ({ bridgeId, taskName }) => `${bridgeId} ${taskName}`).values()];
    return groups.flatMap((of) => chunksOf(of, batchSize));
  },
  async resolve(ctx, rows, requested) {
    const { bridgeId, taskName } = rows[0]!;
    const taker = await openTaker(ctx, ctx.orgId, bridgeId!, taskName!);
    return await change(ctx, async (tx) => {
      const ids = rows.map(({ id }) => id);
      const open = new Map((await lockOpen(tx, ctx.orgId, ids)).map((row) => [row.id, row]));
      const given = [...open.values()].flatMap((row) => {
        const record = recordFor(ctx, taker, row, requested);
        return record ? [{ id: row.id, record, executionId: row.executionId }] : [];
      });
      const rejected = new Map((await takeRecords(tx, ctx, taker, given)).map((one) => [one.externalId, one]));
      const byId = new Map(given.map((one) => [one.id, one.record.externalId]));
      const taken = given.filter(({ record }) => !rejected.has(record.externalId)).map(({ id }) => id);
      await closeExceptions(tx, ctx, taken, requested.action);
      const at = ctx.clock.now().toISOString();
      await markAttempted(tx, ctx.orgId, ids, { action: requested.action, at, by: ctx.actor, executionId: null });
      return rows.map(({ id }): Resolution => {
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

/** The message quotes the record. */
function shownTo(ctx: Ctx, { code, message, errors = [] }: Rejected): NonNullable<Resolution["error"]> {
  const listed = errors as Record<string, unknown>[];
  if (!maySeePersonalData(ctx)) return { code, message: mask, errors: listed.map(maskProblem) };
  return { code, message, errors: listed };
}

const notKept = {
  code: "record_not_stored",
  message:
    "The record was too large to store, or its encryption key was lost. Send it with edit_and_retry, or import it again.",
};

/** The record to import. A corrected record must have the part that is used: `raw` or `canonical`. */
function recordFor(
  ctx: Ctx,
  taker: RecordTaker,
  row: StoredException,
  requested: RequestedAction,
): KeptRecord | undefined {
  const kept = openRecord(ctx, row);
  if (requested.action !== "edit_and_retry") return kept;
  const { raw, canonical } = requested.record ?? {};
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
    throw badField("/record/raw", "record_part_ignored", "No transformation is active: send `canonical`.");
  }
  if (mode === "replace" && raw === undefined) {
    throw badField("/record/canonical", "record_part_ignored", "The transformation uses only `raw`.");
  }
  const externalId = row.subjectName;
  if (externalId === null) throw new HubError("invalid_state", "The external ID of the record is unknown.");
  const before = kept ?? { externalId, updatedAt: null, raw: {}, canonical: {} };
  const made = canonical ?? (raw && canonicalOf?.(raw, taker.bridge.row.settings));
  return { ...before, ...(raw ? { raw } : {}), ...(made ? { canonical: made } : {}) };
}
