import type { Findings, Reader } from "./findings.ts";
import type { JournalEntry } from "./journal.ts";

type RunRow = {
  id: string;
  status: string;
  note: string | null;
  retry_of: string | null;
  undo_of: string | null;
  root_run_id: string;
  order_count: number;
  succeeded: number;
  failed: number;
  skipped: number;
  is_finished: boolean;
};

type Tally = { run_id: string; results: number; orders: number; succeeded: number; failed: number; skipped: number };

/** Every acknowledged run exists once, has finished, and has one result per order. */
export async function checkRuns(db: Reader, journal: JournalEntry[], findings: Findings): Promise<void> {
  const { rows } = await db.query<RunRow>(
    `select id, status, note, retry_of, undo_of, root_run_id, order_count, succeeded, failed, skipped,
            finished_at is not null as is_finished from operation_runs`,
  );
  const runs = new Map(rows.map((run) => [run.id, run]));
  await checkResults(db, rows, findings);
  checkKeys(rows, journal, findings);
  for (const entry of journal) {
    if (entry.type !== "run" && entry.type !== "retry" && entry.type !== "undo") continue;
    const run = runs.get(entry.runId);
    if (!run) {
      findings.lost.push(`${entry.key}: run ${entry.runId} was acknowledged and is not there`);
      continue;
    }
    const isEnded = !["queued", "running"].includes(entry.status);
    const { succeeded, failed } = entry.summary;
    if (isEnded && (run.status !== entry.status || run.succeeded !== succeeded || run.failed !== failed)) {
      findings.broken.push(`${entry.key}: acknowledged as ${JSON.stringify(entry)}, stored as ${JSON.stringify(run)}`);
    }
    if (entry.type === "run") await checkOrdersOfRun(db, entry, findings);
  }
}

async function checkOrdersOfRun(
  db: Reader,
  { key, runId, orderIds }: JournalEntry & { type: "run" },
  findings: Findings,
): Promise<void> {
  const { rows } = await db.query<{ order_id: string }>("select order_id from operation_results where run_id = $1", [
    runId,
  ]);
  const reached = new Set(rows.map(({ order_id }) => order_id));
  const missing = orderIds.filter((id) => !reached.has(id));
  if (missing.length > 0) findings.lost.push(`${key}: no result for ${missing.length} orders, such as ${missing[0]}`);
}

async function checkResults(db: Reader, runs: RunRow[], findings: Findings): Promise<void> {
  const { rows } = await db.query<Tally>(
    `select run_id, count(*)::int as results, count(distinct order_id)::int as orders,
            count(*) filter (where status = 'succeeded')::int as succeeded,
            count(*) filter (where status = 'failed')::int as failed,
            count(*) filter (where status = 'skipped')::int as skipped from operation_results group by run_id`,
  );
  const tallies = new Map(rows.map((tally) => [tally.run_id, tally]));
  for (const run of runs) {
    const tally = tallies.get(run.id) ?? { results: 0, orders: 0, succeeded: 0, failed: 0, skipped: 0 };
    const where = `run ${run.id} (${run.note}, ${run.status})`;
    if (!run.is_finished) findings.broken.push(`${where} is not finished`);
    if (tally.results !== run.order_count || tally.orders !== run.order_count) {
      findings.broken.push(`${where}: ${tally.results} results for ${tally.orders} of ${run.order_count} orders`);
    }
    for (const count of ["succeeded", "failed", "skipped"] as const) {
      if (tally[count] !== run[count])
        findings.broken.push(`${where} counts ${run[count]} ${count}, not ${tally[count]}`);
    }
  }
}

/** A key created one run, however often it was sent; a rejected one none. */
function checkKeys(runs: RunRow[], journal: JournalEntry[], findings: Findings): void {
  const roots = Map.groupBy(
    runs.filter((run) => run.retry_of === null && run.undo_of === null),
    (run) => run.note ?? "",
  );
  for (const [key, same] of roots) if (same.length > 1) findings.doubled.push(`${key} became ${same.length} runs`);
  const undos = Map.groupBy(runs, (run) => run.undo_of ?? "");
  const retries = Map.groupBy(runs, (run) => run.retry_of ?? "");
  const acknowledged = new Map<string, string>();
  for (const entry of journal) {
    if (entry.type === "run" || entry.type === "retry" || entry.type === "undo") {
      const before = acknowledged.get(entry.key);
      if (before !== undefined && before !== entry.runId)
        findings.doubled.push(`${entry.key}: ${before}, ${entry.runId}`);
      acknowledged.set(entry.key, entry.runId);
      // A client undoes and retries each run at most once.
      const made = entry.type === "run" ? [] : ((entry.type === "undo" ? undos : retries).get(entry.of) ?? []);
      if (made.length > 1) findings.doubled.push(`${entry.key} became ${made.length} runs`);
    }
    if (entry.type !== "refused") continue;
    const about = entry.runId ?? "";
    const made = entry.of === "run" ? roots.get(entry.key) : (entry.of === "undo" ? undos : retries).get(about);
    if (made !== undefined && made.length > 0) {
      findings.broken.push(`${entry.key} was refused (${entry.code}) and done: ${made[0]!.id}`);
    }
  }
}
