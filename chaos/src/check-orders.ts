import { isDeepStrictEqual } from "node:util";
import type { FieldChange } from "../../server/src/features/orders/order-changes.ts";
import type { Findings, Reader } from "./findings.ts";
import type { JournalEntry } from "./journal.ts";
import { changeReader } from "./stored-changes.ts";

/** No order is lost, notes match the results, every version has a recorded change, and every edit is present. */
export async function checkOrders(db: Reader, journal: JournalEntry[], findings: Findings): Promise<void> {
  await checkPresence(db, journal, findings);
  await checkNotes(db, findings);
  await checkVersions(db, findings);
  await checkLastChange(db, findings);
  await checkTags(db, findings);
  await checkPatches(db, journal, findings);
  await checkValues(db, journal, findings);
}

async function checkPresence(db: Reader, journal: JournalEntry[], findings: Findings): Promise<void> {
  const { rows } = await db.query<{ id: string }>("select id from orders");
  const present = new Set(rows.map(({ id }) => id));
  for (const entry of journal) {
    if (entry.type !== "orders") continue;
    for (const id of entry.ids) if (!present.has(id)) findings.lost.push(`order ${id} is not there`);
  }
}

/** Each run adds a unique note and `add_note` is not idempotent, so its effects can be counted. */
async function checkNotes(db: Reader, findings: Findings): Promise<void> {
  const { rows } = await db.query<{ order_id: string; text: string; done: number; undone: number; found: number }>(
    `with applied as (
       select n.root_run_id, r.order_id, count(*) filter (where n.undo_of is null)::int as done,
              count(*) filter (where n.undo_of is not null)::int as undone
         from operation_results r join operation_runs n on n.id = r.run_id cross join jsonb_array_elements(r.steps) as s
        where s ->> 'type' = 'add_note' and s ->> 'status' = 'applied' and s -> 'carried_over' is null group by 1, 2),
     expected as (
       select a.order_id, x -> 'params' ->> 'text' as text, a.done, a.undone
         from applied a join operation_runs n on n.id = a.root_run_id cross join jsonb_array_elements(n.actions) as x
        where x ->> 'type' = 'add_note'),
     found as (
       select o.id as order_id, x ->> 'text' as text, count(*)::int as found
         from orders o cross join jsonb_array_elements(o.notes) as x
        where x ->> 'text' !~ '^(Merged into|Copy of) ' group by 1, 2)
     select order_id, text, coalesce(done, 0) as done, coalesce(undone, 0) as undone, coalesce(found, 0) as found
       from expected full join found using (order_id, text)
      where coalesce(done, 0) > 1 or coalesce(done, 0) - coalesce(undone, 0) <> coalesce(found, 0)`,
  );
  for (const { order_id, text, done, undone, found } of rows) {
    const line = `order ${order_id}: "${text}" is there ${found} times; done ${done}, undone ${undone} times`;
    (done > 1 || found > done - undone ? findings.doubled : findings.lost).push(line);
  }
}

/** Each version from 2 on belongs to exactly one recorded change; a lost update would leave a gap. */
async function checkVersions(db: Reader, findings: Findings): Promise<void> {
  const { rows } = await db.query<{ id: string; version: number; changes: number; versions: number }>(
    `with changed as (
       select order_id, version_after as version from operation_results where version_after > version_before
       union all select order_id, version from order_changes where version > 1)
     select o.id, o.version, count(c.version)::int as changes, count(distinct c.version)::int as versions
       from orders o left join changed c on c.order_id = o.id group by o.id, o.version
     having o.version <> 1 + count(c.version) or count(c.version) <> count(distinct c.version)`,
  );
  for (const { id, version, changes, versions } of rows) {
    findings.broken.push(
      `order ${id} has version ${version}; ${changes} changes with ${versions} versions are recorded`,
    );
  }
}

type LastChange = {
  id: string;
  tags: string[];
  notes: unknown;
  custom_fields: unknown;
  lines: unknown;
  status: string;
  merged_into_id: string | null;
  child_count: number;
  steps: { status: string; carried_over?: boolean; changes?: FieldChange[] }[];
};

/** The order matches the result that set its current version. */
async function checkLastChange(db: Reader, findings: Findings): Promise<void> {
  const { rows } = await db.query<LastChange>(
    `select o.id, o.tags, o.notes, o.custom_fields, o.lines, o.status, o.merged_into_id, o.child_count, r.steps from orders o
       join operation_results r on r.order_id = o.id and r.version_after = o.version and r.version_after > r.version_before`,
  );
  const read = await changeReader(db);
  for (const { id, tags, notes, custom_fields, lines, status, merged_into_id, child_count, steps } of rows) {
    const now = new Map<string, unknown>([
      ["/tags", tags],
      ["/notes", notes],
      ["/customFields", custom_fields],
      ["/lines", lines],
      ["/status", status],
      ["/mergedIntoId", merged_into_id],
      ["/childCount", child_count],
    ]);
    const last = new Map<string, unknown>();
    for (const { status: outcome, carried_over: isCarriedOver, changes } of steps) {
      if (outcome === "applied" && !isCarriedOver) for (const { path, to } of read(id, changes)) last.set(path, to);
    }
    for (const [path, to] of last) {
      if (!now.has(path) || isDeepStrictEqual(now.get(path), to)) continue;
      findings.lost.push(`order ${id} ${path}: ${JSON.stringify(now.get(path))} instead of ${JSON.stringify(to)}`);
    }
  }
}

async function checkTags(db: Reader, findings: Findings): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    `select o.id from orders o
      where (select array_agg(t.tag order by t.tag) from order_tags t where t.order_id = o.id)
            is distinct from (select array_agg(distinct lower(x) order by lower(x)) from unnest(o.tags) as x)`,
  );
  for (const { id } of rows) findings.broken.push(`order ${id}: its tags and the table of tags differ`);
  const { rows: marked } = await db.query<{ id: string }>(
    `select o.id from orders o
      where (select count(*) from order_facets m where m.order_id = o.id and m.facet <> 'failed')
            is distinct from (select count(*) from jsonb_object_keys(o.custom_fields))
              + (o.shipping ? 'carrier')::integer + (o.shipping ? 'service')::integer
              + (select count(distinct line ->> 'sku') from jsonb_array_elements(o.lines) line)
              + (o.shipping_address ->> 'countryCode' is not null)::integer`,
  );
  for (const { id } of marked) findings.broken.push(`order ${id}: its fields and the table of facets differ`);
}

type Fields = Record<string, string> | null;

async function checkPatches(db: Reader, journal: JournalEntry[], findings: Findings): Promise<void> {
  const { rows } = await db.query<{ order_id: string; changes: { path: string; from: Fields; to: Fields }[] }>(
    "select order_id, changes from order_changes where kind = 'updated'",
  );
  const made = new Map<string, number>();
  for (const { order_id, changes } of rows) {
    for (const { path, from, to } of changes) {
      if (!path.startsWith("/customFields")) continue;
      for (const [field, value] of Object.entries(to ?? {})) {
        if (!field.startsWith("edited.") || value === from?.[field]) continue;
        const place = `${order_id} ${field} ${value}`;
        made.set(place, (made.get(place) ?? 0) + 1);
      }
    }
  }
  for (const entry of journal) {
    if (entry.type !== "patch") continue;
    const times = made.get(`${entry.orderId} ${entry.field} ${entry.value}`) ?? 0;
    if (times === 0) findings.lost.push(`the change of order ${entry.orderId} to ${entry.value} is not there`);
    if (times > 1) findings.doubled.push(`the change of order ${entry.orderId} to ${entry.value}: ${times} times`);
  }
}

async function checkValues(db: Reader, journal: JournalEntry[], findings: Findings): Promise<void> {
  const { rows } = await db.query<{ value: string }>("select value from condition_set_values");
  const present = new Set(rows.map(({ value }) => value));
  for (const entry of journal) {
    if (entry.type !== "values") continue;
    for (const value of entry.values) if (!present.has(value)) findings.lost.push(`the value ${value} is not there`);
  }
  const { rows: wrong } = await db.query<{ name: string }>(
    `select s.name from condition_sets s
      where s.value_count <> (select count(*) from condition_set_values v where v.set_id = s.id)`,
  );
  for (const { name } of wrong)
    findings.broken.push(`the condition set ${name} does not have as many values as it says`);
}
