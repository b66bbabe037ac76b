import {
  mask,
  maskFailure,
  maskFailuresWithin,
  maskPersonsWithin,
  maskProblem,
  maskTexts,
  maySeePersonalData,
} from "../../core/mask-person.ts";
import type { Ctx } from "../../context.ts";
import type { KeptRecord, StoredException, ExceptionDetails } from "./exception.ts";
import { openRecord } from "./exception.ts";
import type { Exception, ExceptionSummary } from "./exceptions.schemas.ts";
import { actionsFor } from "./available-actions.ts";

type Caller = Pick<Ctx, "principal">;

export function presentSummary(ctx: Caller, row: StoredException): ExceptionSummary {
  const { subjectType, subjectId, subjectName, reason } = row;
  return {
    ...row,
    reason: reason === null || maySeePersonalData(ctx) ? reason : maskReason(row, reason),
    subject: { type: subjectType, id: subjectId, name: subjectName },
    availableActions: actionsFor(row),
  };
}

/** The reason quotes the record. */
function maskReason({ kind, code }: StoredException, reason: string): string {
  return kind === "rejected_record" ? mask : maskFailure({ code, message: reason }).message;
}

export function presentException(ctx: Ctx, row: StoredException): Exception {
  const record = openRecord(ctx, row);
  const details = { ...row.details, ...(record ? { record } : {}) };
  return { ...presentSummary(ctx, row), details: maySeePersonalData(ctx) ? details : maskDetails(details) };
}

/** Any text of an external record can be personal data. */
function maskDetails({ record, errors, ...rest }: ExceptionDetails & { record?: KeptRecord }): Record<string, unknown> {
  const hide = (part: unknown): unknown => maskTexts(maskPersonsWithin(part));
  return {
    ...(record ? { record: { ...record, raw: hide(record.raw), canonical: hide(record.canonical) } } : {}),
    ...(errors ? { errors: (errors as { message?: unknown }[]).map(maskProblem) } : {}),
    ...(maskFailuresWithin(maskPersonsWithin(rest)) as object),
  };
}
