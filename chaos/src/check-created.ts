import { isDeepStrictEqual } from "node:util";
import type { FieldChange as Change } from "../../server/src/features/orders/order-changes.ts";
import type { Findings, Reader } from "./findings.ts";
import type { JournalEntry } from "./journal.ts";
import { changeReader } from "./stored-changes.ts";

type Line = { sku: string; quantity: number };
type Making = {
  run_id: string;
  order_id: string;
  type: string;
  made: string[];
  changes: Change[] | null;
  /** The step that undid it, if any. */
  undone: { changes?: Change[] } | null;
};
type OrderRow = {
  id: string;
  parent_order_id: string | null;
  merged_into_id: string | null;
  customer: string;
  lines: Line[];
};

/** Created orders exist once, undone ones do not, and units are neither lost nor duplicated. */
export async function checkCreated(db: Reader, journal: JournalEntry[], findings: Findings): Promise<void> {
  const makings = await readMakings(db);
  const { rows } = await db.query<OrderRow>(
    "select id, parent_order_id, merged_into_id, coalesce(customer ->> 'email', '') as customer, lines from orders",
  );
  const orders = new Map(rows.map((order) => [order.id, order]));
  checkChildren(makings, orders, findings);
  checkOrigins(makings, orders, journal, findings);
  checkAcknowledged(makings, journal, findings);
  for (const making of makings) if (making.type === "split") checkSplit(making, orders, findings);
  checkUnits(makings, orders, journal, findings);
}

async function readMakings(db: Reader): Promise<Making[]> {
  const { rows } = await db.query<Making>(
    `select r.run_id, r.order_id, s ->> 'type' as type, s -> 'created_order_ids' as made, s -> 'changes' as changes,
            (select x from operation_runs u join operation_results v on v.run_id = u.id cross join jsonb_array_elements(v.steps) as x
              where u.undo_of = r.run_id and v.order_id = r.order_id and x ->> 'index' = s ->> 'index'
                and x ->> 'status' = 'applied' limit 1) as undone
       from operation_results r join operation_runs n on n.id = r.run_id cross join jsonb_array_elements(r.steps) as s
      where n.undo_of is null and s ->> 'status' = 'applied' and s -> 'carried_over' is null and s -> 'created_order_ids' is not null`,
  );
  const read = await changeReader(db);
  return rows.map((row) => ({
    ...row,
    changes: read(row.order_id, row.changes),
    undone: row.undone && { ...row.undone, changes: read(row.order_id, row.undone.changes) },
  }));
}

function checkChildren(makings: Making[], orders: Map<string, OrderRow>, findings: Findings): void {
  const seen = new Set<string>();
  for (const { run_id, order_id, type, made, undone } of makings) {
    const where = `${type} of order ${order_id} in run ${run_id}`;
    for (const id of made) {
      if (seen.has(id)) findings.doubled.push(`${where}: ${id} was made before`);
      seen.add(id);
      const order = orders.get(id);
      if (undone && order) findings.broken.push(`${where} was taken back, and ${id} is still there`);
      if (!undone && !order) findings.lost.push(`${where}: ${id} is not there`);
      if (order && order.parent_order_id !== order_id) findings.broken.push(`${where}: ${id} has another parent`);
    }
  }
}

/** Every order comes from an acknowledged request or a recorded step. */
function checkOrigins(
  makings: Making[],
  orders: Map<string, OrderRow>,
  journal: JournalEntry[],
  findings: Findings,
): void {
  const asked = journal.flatMap((entry) => (entry.type === "orders" ? entry.ids : []));
  const known = new Set([...asked, ...makings.flatMap(({ made }) => made)]);
  for (const id of orders.keys()) if (!known.has(id)) findings.doubled.push(`order ${id} has no recorded origin`);
}

function checkAcknowledged(makings: Making[], journal: JournalEntry[], findings: Findings): void {
  const made = new Map<string, Set<string>>();
  for (const making of makings) {
    made.set(making.run_id, new Set([...(made.get(making.run_id) ?? []), ...making.made]));
  }
  for (const entry of journal) {
    if (entry.type !== "run" && entry.type !== "retry") continue;
    for (const id of entry.made ?? []) {
      if (!made.get(entry.runId)?.has(id))
        findings.lost.push(`${entry.key}: ${id} was acknowledged and is in no result`);
    }
  }
}

/** Units that left an order are in the new ones; after an undo they are back. */
function checkSplit(
  { run_id, order_id, made, changes, undone }: Making,
  orders: Map<string, OrderRow>,
  findings: Findings,
): void {
  const where = `split of order ${order_id} in run ${run_id}`;
  const [before, after] = [linesIn(changes, "from"), linesIn(changes, "to")];
  if (undone) {
    const [left, back] = [linesIn(undone.changes, "from"), linesIn(undone.changes, "to")];
    if (!isDeepStrictEqual([left, back], [after, before])) findings.broken.push(`${where} was taken back otherwise`);
    return;
  }
  const parts = made.flatMap((id) => orders.get(id)?.lines ?? []);
  report(`${where} and its parts`, unitsOf(before), unitsOf([...after, ...parts]), findings);
}

/** Splits and merges keep the number of units per customer. Duplicates are excluded, since they add units. */
function checkUnits(
  makings: Making[],
  orders: Map<string, OrderRow>,
  journal: JournalEntry[],
  findings: Findings,
): void {
  const goods = new Map<string, Record<string, number>>();
  for (const entry of journal) {
    if (entry.type === "orders" && entry.units) for (const id of entry.ids) goods.set(id, entry.units);
  }
  const copies = new Set(makings.flatMap(({ type, made }) => (type === "duplicate" ? made : [])));
  const expected = new Map<string, Line[]>();
  const found = new Map<string, Line[]>();
  for (const { id, customer, lines, merged_into_id } of orders.values()) {
    const units = Object.entries(goods.get(id) ?? {}).map(([sku, quantity]) => ({ sku, quantity }));
    expected.set(customer, [...(expected.get(customer) ?? []), ...units]);
    if (merged_into_id === null && !copies.has(id)) found.set(customer, [...(found.get(customer) ?? []), ...lines]);
  }
  for (const [customer, lines] of expected) {
    report(`all orders of ${customer}`, unitsOf(lines), unitsOf(found.get(customer) ?? []), findings);
  }
}

function linesIn(changes: Change[] | null | undefined, side: "from" | "to"): Line[] {
  return (changes?.find(({ path }) => path === "/lines")?.[side] ?? []) as Line[];
}

function unitsOf(lines: Line[]): Map<string, number> {
  const units = new Map<string, number>();
  for (const { sku, quantity } of lines) units.set(sku, (units.get(sku) ?? 0) + quantity);
  return units;
}

function report(where: string, expected: Map<string, number>, found: Map<string, number>, findings: Findings): void {
  for (const sku of new Set([...expected.keys(), ...found.keys()])) {
    const [wanted, there] = [expected.get(sku) ?? 0, found.get(sku) ?? 0];
    if (wanted === there) continue;
    (there > wanted ? findings.doubled : findings.lost).push(`${where}: ${there} of ${sku} instead of ${wanted}`);
  }
}
