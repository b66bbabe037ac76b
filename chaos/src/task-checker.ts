import type { Client } from "pg";
import type { ShopEffect } from "./task-shop.ts";
import type { Seen, TaskEntry } from "./task-workload.ts";
import { isEnded } from "./task-workload.ts";

/** Each list must be empty. */
export type TaskFindings = {
  /** Accepted but missing, or reported as sent but unknown to the shop. */
  lost: string[];
  /** Sent or queued more than once. */
  doubled: string[];
  /** A final state that changed later. */
  illegalTransitions: string[];
  /** Started at the shop after its cancel was acknowledged. */
  afterCancel: string[];
  broken: string[];
};

type Row = {
  id: string;
  status: string;
  retry_of: string | null;
  task_name: string;
  input: { token?: string; orderIds?: string[] };
  attempt: number;
  max_attempts: number;
  attempts: { status: string }[];
};

/** Compares acknowledgements and the shop's journal with the database, without using a hub. */
export async function checkTasks(
  db: Pick<Client, "query">,
  entries: TaskEntry[],
  seen: Seen[],
  effects: ShopEffect[],
): Promise<TaskFindings> {
  const findings: TaskFindings = { lost: [], doubled: [], illegalTransitions: [], afterCancel: [], broken: [] };
  const { rows } = await db.query<Row>(
    "select id, status, retry_of, task_name, input, attempt, max_attempts, attempts from task_executions",
  );
  checkExecutions(rows, entries, findings);
  checkShop(effects, entries, findings);
  await checkEffects(db, effects, findings);
  checkSeen(seen, findings);
  const { rows: held } = await db.query<{ n: number }>(
    "select count(*)::int as n from task_executions where due_at is not null or lease_owner is not null",
  );
  if (held[0]!.n > 0) findings.broken.push(`${held[0]!.n} executions are still queued or leased`);
  return findings;
}

function checkExecutions(rows: Row[], entries: TaskEntry[], findings: TaskFindings): void {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const ids = new Map<string, string>();
  for (const entry of entries) {
    const row = byId.get(entry.id);
    if (!row) findings.lost.push(`${entry.type} ${entry.id} is not there`);
    else if (entry.type === "cancelled" && row.status !== "cancelled")
      findings.broken.push(`${entry.id} was cancelled and is ${row.status}`);
    if (entry.type !== "execution") continue;
    const before = ids.get(entry.key);
    if (before !== undefined && before !== entry.id) findings.doubled.push(`${entry.key}: ${before}, ${entry.id}`);
    ids.set(entry.key, entry.id);
  }
  const roots = rows.filter(({ retry_of, task_name }) => retry_of === null && task_name !== "sleep");
  for (const [what, same] of Map.groupBy(roots, ({ input }) => input.token ?? input.orderIds?.join() ?? "")) {
    if (same.length > 1) findings.doubled.push(`${what} was queued ${same.length} times`);
  }
  for (const { id, status, attempt, attempts, max_attempts } of rows) {
    if (!isEnded(status)) findings.broken.push(`${id} is still ${status}`);
    // An interrupted or lost attempt does not count, unless there is only one.
    const cut = attempts.filter(
      (one) => one.status === "interrupted" || (one.status === "worker_lost" && max_attempts > 1),
    );
    if (attempt > max_attempts + cut.length) findings.broken.push(`${id} had ${attempt} of ${max_attempts} attempts`);
    if (attempts.length !== attempt)
      findings.broken.push(`${id}: ${attempts.length} attempts on record, not ${attempt}`);
  }
}

function checkShop(effects: ShopEffect[], entries: TaskEntry[], findings: TaskFindings): void {
  for (const [place, same] of Map.groupBy(effects, ({ kind, number }) => `${kind} ${number}`)) {
    if (same.length > 1) findings.doubled.push(`${place} arrived ${same.length} times: ${JSON.stringify(same)}`);
  }
  const byNumber = Map.groupBy(effects, ({ number }) => number);
  for (const entry of entries) {
    if (entry.type !== "cancelled") continue;
    for (const { number, at } of entry.numbers.flatMap((one) => byNumber.get(one) ?? [])) {
      if (at > entry.at)
        findings.afterCancel.push(`${number} arrived ${at - entry.at} ms after the cancel of ${entry.id}`);
    }
  }
}

/** Checks the effects that the hub recorded before sending. */
async function checkEffects(db: Pick<Client, "query">, effects: ShopEffect[], findings: TaskFindings): Promise<void> {
  const { rows } = await db.query<{ number: string; status: string; task_name: string }>(
    `select distinct on (f.bridge_id, f.task_name, f.order_id, f.part) o.number, f.status, f.task_name
       from task_effects f join orders o on o.id = f.order_id
      order by f.bridge_id, f.task_name, f.order_id, f.part, f.revision desc`,
  );
  const arrived = new Set(effects.map(({ number }) => number));
  for (const { number, status, task_name } of rows) {
    if (status === "done" && !arrived.has(number)) findings.lost.push(`${number} (${task_name}) never arrived`);
    if (status === "failed" && arrived.has(number)) findings.broken.push(`${number} (${task_name}) arrived and failed`);
  }
  const known = new Set(rows.map(({ number }) => number));
  for (const { kind, number } of effects) {
    if (kind !== "call" && !known.has(number)) findings.broken.push(`${number} arrived, and no intent is written down`);
  }
}

/** Pairs of non-overlapping responses: a final state must not change. */
function checkSeen(seen: Seen[], findings: TaskFindings): void {
  for (const [id, looks] of Map.groupBy(seen, (look) => look.id)) {
    const end = looks.filter(({ status }) => isEnded(status)).toSorted((a, b) => a.at - b.at)[0];
    if (!end) continue;
    const later = looks.find(({ sentAt, status }) => sentAt > end.at && status !== end.status);
    if (later) findings.illegalTransitions.push(`${id}: ${end.status} -> ${later.status}`);
  }
}
