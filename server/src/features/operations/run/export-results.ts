import { guardFormula, toCsv } from "../../../core/csv/csv.ts";
import type { Ctx } from "../../../context.ts";
import { Streamed } from "../../../route.ts";
import type { RunResult } from "../operations.schemas.ts";
import { readResultsAfter } from "./run-results.store.ts";

const portion = 1_000;
const header = [
  "position",
  "ref",
  "order_id",
  "order_number",
  "status",
  "error_code",
  "error_message",
  "fix",
  "resume_from",
  "steps",
];

/** One row per order, with the error in columns of its own, so that the file can be sorted, mended and sent on. */
export function exportResults(ctx: Ctx, runId: string): Streamed {
  async function* body(): AsyncGenerator<string> {
    yield toCsv([header]);
    let after = -1;
    for (;;) {
      const results = await readResultsAfter(ctx.db, runId, after, portion);
      if (results.length > 0) yield toCsv(results.map(toRow));
      if (results.length < portion) return;
      after = results.at(-1)!.position;
    }
  }
  return new Streamed("text/csv", `run-${runId}.csv`, body());
}

function toRow(result: RunResult): string[] {
  const { position, ref, order_id, order_number, status, error, resume_from, steps } = result;
  const told = steps.map((step) => `${step.index} ${step.type}: ${step.status}`).join("; ");
  const texts = [error?.code, error?.message, error?.fix].map((text) => guardFormula(text ?? ""));
  const resumeFrom = resume_from === null ? "" : String(resume_from);
  return [
    String(position),
    guardFormula(ref),
    order_id ?? "",
    guardFormula(order_number ?? ""),
    status,
    ...texts,
    resumeFrom,
    told,
  ];
}
