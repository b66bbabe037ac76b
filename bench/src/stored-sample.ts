import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { deleteOrders, insertOrders } from "../../server/src/features/orders/orders.store.ts";
import { makeBenchOrder } from "./bench-order.ts";
import type { OrderHub } from "./order-hub.ts";
import { asTransaction } from "./stored-orders.ts";

/** Numbers beyond all stored ones; with and without location, assignee and tags, but none with a bridge or a hold. */
const sample = [2_000_000, 2_000_002, 2_000_032, 2_000_057, 2_000_107];

/** Checks that stored bench orders equal those created through the API, including the tables that lists read. */
export async function checkSample({ client, db, pointers }: OrderHub): Promise<void> {
  const tx = asTransaction(db);
  for (const n of sample) {
    const order = makeBenchOrder(n, pointers, randomUUID);
    const { id } = await client.post<{ id: string }>("/orders", toRequest(order));
    const made = await readStored(db, id);
    await deleteOrders(tx, client.orgId, [id]);
    await insertOrders(tx, client.orgId, [order]);
    const stored = await readStored(db, order.id);
    await deleteOrders(tx, client.orgId, [order.id]);
    assert.deepEqual(stored, made);
  }
}

const asked = "number status paymentStatus priority tags channel customer shippingAddress currency total shipping";
const more = "locationId assigneeId orderedAt shipBy customFields";

function toRequest(order: ReturnType<typeof makeBenchOrder>): object {
  const names = `${asked} ${more}`.split(" ") as (keyof typeof order)[];
  const given = names.filter((name) => order[name] !== null).map((name) => [name, order[name]]);
  const lines = order.lines.map(({ sku, name, quantity, price }) => ({ sku, name, quantity, price }));
  return { ...Object.fromEntries(given), lines };
}

/** Without random values and timestamps. */
async function readStored(db: pg.Client, id: string): Promise<unknown> {
  const { rows } = await db.query(
    `select to_jsonb(o) - '{id,lines,created_at,updated_at}'::text[] as own,
            (select jsonb_agg(l - 'id') from jsonb_array_elements(o.lines) as l) as lines,
            array(select s.words::text from order_search s where s.org_id = o.org_id and s.is_archived = o.is_archived
              and s.created_at = o.created_at and s.order_id = o.id order by s.part) as words,
            array(select t.tag from order_tags t where t.order_id = o.id and t.is_archived = o.is_archived
              and t.created_at = o.created_at order by t.tag) as tags,
            array(select m.facet from order_facets m where m.order_id = o.id and m.is_archived = o.is_archived
              and m.created_at = o.created_at order by m.facet) as facets
       from orders o where o.id = $1`,
    [id],
  );
  assert.equal(rows.length, 1);
  return rows[0];
}
