import type { Queryable, Tx } from "../../../db/database.ts";
import type { FieldChange } from "../../orders/order-changes.ts";
import type { StepResult } from "../evaluate.ts";
import type { StoredChange } from "./packed-changes.ts";
import { digestOf, isLong, namesIn, packChange, unpackChange } from "./packed-changes.ts";

type StoredStep = Omit<StepResult, "changes"> & { changes?: StoredChange[] };
type OfOrder = { order_id: string | null; steps: StepResult[] };

/** Writers of references share this lock, cleanup takes it exclusively: a value is not deleted while a new reference is written. */
const valuesLock = "hashtextextended('operation values', 0)";

/** The steps in their stored form: long values that several steps share are stored once. */
export function packSteps<Row extends OfOrder>(
  tx: Tx,
  orgId: string,
  rows: Row[],
): (Omit<Row, "steps"> & { steps: StoredStep[] })[] {
  const values: Value[] = [];
  const packed = rows.map((row) => {
    const hasLong = row.steps.some(({ changes }) => changes?.some(isLong));
    return row.order_id === null || !hasLong ? row : { ...row, steps: packOf(row.order_id, row.steps, values) };
  });
  if (values.length > 0) keepValues(tx, orgId, values);
  return packed;
}

type Value = { order_id: string; digest: string; value: unknown };

function packOf(orderId: string, steps: StepResult[], values: Value[]): StoredStep[] {
  // Members that a step does not change are the same objects in the next one.
  const digests = new Map<unknown, string>();
  const known = new Set<string>();
  const keep = (value: unknown): string => {
    const digest = digests.get(value) ?? digestOf(value);
    digests.set(value, digest);
    if (!known.has(digest)) values.push({ order_id: orderId, digest, value });
    known.add(digest);
    return digest;
  };
  const pack = (change: FieldChange): StoredChange => packChange(change, keep);
  return steps.map((step) => (step.changes ? { ...step, changes: step.changes.map(pack) } : step));
}

function keepValues(tx: Tx, orgId: string, values: Value[]): void {
  tx.queue(`select pg_advisory_xact_lock_shared(${valuesLock})`);
  tx.queue(
    `insert into operation_values (org_id, order_id, digest, value)
     select $1, v.order_id, v.digest, v.value
       from jsonb_to_recordset($2::jsonb) as v (order_id uuid, digest text, value jsonb)
     on conflict do nothing`,
    [orgId, JSON.stringify(values)],
  );
}

/** The steps with their full values. */
export async function unpackSteps<Row extends OfOrder>(db: Queryable, orgId: string, rows: Row[]): Promise<Row[]> {
  const changes = rows.flatMap(({ order_id, steps }) =>
    order_id === null ? [] : steps.map((step) => ({ order_id, changes: step.changes ?? [] })),
  );
  const valuesOf = await readValues(db, orgId, changes);
  if (!valuesOf) return rows;
  return rows.map((row) => ({
    ...row,
    steps: row.steps.map((step) =>
      step.changes
        ? {
            ...step,
            changes: step.changes.map((change) => unpackChange(change, valuesOf(row.order_id!))),
          }
        : step,
    ),
  }));
}

/** The same for changes of one order from other records. */
export async function unpackChanges<Row extends { changes: FieldChange[] | null }>(
  db: Queryable,
  orgId: string,
  orderId: string,
  rows: Row[],
): Promise<Row[]> {
  const stored = rows.map(({ changes }) => ({ order_id: orderId, changes: changes ?? [] }));
  const valuesOf = await readValues(db, orgId, stored);
  if (!valuesOf) return rows;
  return rows.map((row) => ({
    ...row,
    changes: row.changes?.map((change) => unpackChange(change, valuesOf(orderId))) ?? null,
  }));
}

/** Undefined when none has a reference, as usual. */
async function readValues(
  db: Queryable,
  orgId: string,
  stored: { order_id: string; changes: StoredChange[] }[],
): Promise<((orderId: string) => (digest: string) => unknown) | undefined> {
  const names = stored.flatMap(({ order_id, changes }) =>
    changes.flatMap(namesIn).map((digest) => ({ order_id, digest })),
  );
  if (stored.every(({ changes }) => changes.every((change) => "from" in change))) return undefined;
  const unique = [...new Map(names.map((name) => [`${name.order_id} ${name.digest}`, name])).values()];
  const rows = await db.query<{ order_id: string; digest: string; value: unknown }>(
    `select v.order_id, v.digest, v.value
       from unnest($2::uuid[], $3::text[]) as n (order_id, digest) join operation_values v using (order_id, digest)
      where v.org_id = $1`,
    [orgId, unique.map(({ order_id }) => order_id), unique.map(({ digest }) => digest)],
  );
  const values = new Map(rows.map(({ order_id, digest, value }) => [`${order_id} ${digest}`, value]));
  return (orderId) => (digest) => {
    const key = `${orderId} ${digest}`;
    if (!values.has(key)) throw new Error(`a value of order ${orderId} is named and not there: ${digest}`);
    return values.get(key);
  };
}

/** Deletes values that only deleted results referred to. */
export async function deleteUnusedValuesAcrossOrgs(tx: Tx, orderIds: string[]): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${valuesLock})`);
  await tx.query(
    `delete from operation_values v where v.order_id = any($1::uuid[])
        and not exists (select from operation_results r where r.order_id = v.order_id)`,
    [orderIds],
  );
}
