import { toCell, toCsv } from "../../../core/csv/csv.ts";
import type { Cell } from "../../../core/csv/xlsx.ts";
import { roundToCents } from "../../../core/money.ts";
import { batchesOf } from "../../../core/yield-to-event-loop.ts";
import type { Ctx } from "../../../context.ts";
import { Streamed } from "../../../route.ts";
import type { RunResult } from "../run.schemas.ts";
import { withLabels } from "../run-labels.ts";
import { readResultsAfter } from "./run-results.store.ts";
import type { RunRow } from "./runs.store.ts";

const batch = 500;
/** Rows formatted before the event loop is released. */
const rowsAtOnce = 100;

const columns: [name: string, read: (result: RunResult) => Cell][] = [
  ["position", ({ position }) => position],
  ["ref", ({ ref }) => ref],
  ["order_id", ({ order_id }) => order_id],
  ["order_number", ({ order_number }) => order_number],
  ["status", ({ status }) => status],
  ["error_code", ({ error }) => error?.code],
  ["error_message", ({ error }) => error?.message],
  ["fix", ({ error }) => error?.fix],
  ["resume_from_step", ({ resume_from_step }) => resume_from_step],
  ["tracking_number", ({ labels = [] }) => labels.flatMap(({ tracking_number: number }) => number ?? []).join(" ")],
  ["label_cost", ({ labels = [] }) => costOf(labels)],
  ["label_currency", ({ labels = [] }) => labels[0]?.currency],
  ["steps", ({ steps }) => steps.map(({ index, type, status }) => `${index} ${type}: ${status}`).join("; ")],
];

/** Undefined where it is not known of all of them. Labels of one order are of one account, so in one currency. */
function costOf(labels: NonNullable<RunResult["labels"]>): number | undefined {
  const costs = labels.map(({ cost }) => cost);
  if (costs.length === 0 || costs.includes(null)) return undefined;
  return roundToCents(costs.reduce<number>((sum, cost) => sum + cost!, 0));
}

/** One row per order, with the error in its own columns, so that the file can be sorted and shared. */
export function exportResults(ctx: Ctx, run: RunRow): Streamed {
  const runId = run.id;
  async function* body(): AsyncGenerator<string> {
    yield toCsv([columns.map(([name]) => name)]);
    let after = -1;
    for (;;) {
      const results = await readResultsAfter(ctx.db, ctx.orgId, runId, after, batch);
      const labelled = await withLabels(ctx, ctx.db, run, results);
      for await (const some of batchesOf(labelled, rowsAtOnce)) yield toCsv(some.map(toRow));
      if (results.length < batch) return;
      after = results.at(-1)!.position;
    }
  }
  return new Streamed("text/csv", `run-${runId}.csv`, body());
}

function toRow(result: RunResult): string[] {
  return columns.map(([, read]) => toCell(read(result)));
}
