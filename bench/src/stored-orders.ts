import { randomUUIDv7 } from "node:crypto";
import pg from "pg";
import { copyIn } from "../../server/src/db/copy-in.ts";
import type { Tx } from "../../server/src/db/database.ts";
import { insertOrders } from "../../server/src/features/orders/orders.store.ts";
import type { Pointers } from "./bench-order.ts";
import { makeBenchOrder } from "./bench-order.ts";
import { clusterOf } from "./hub-process.ts";

const perStatement = 2_500;
const writers = 2;
const tables = ["orders", "order_tags", "order_facets", "order_search", "order_counts"];

/**
 * Stores orders with the hub's own statements, without HTTP. Indexes are created afterwards and foreign keys not checked: a
 * million orders would otherwise take half an hour.
 */
export async function storeOrders(dataDir: string, orgId: string, pointers: Pointers, count: number): Promise<void> {
  const clients = Array.from({ length: writers }, () => new pg.Client({ ...clusterOf(dataDir), pipeline: true }));
  try {
    for (const client of clients) {
      await client.connect();
      await client.query("set session_replication_role = replica; set synchronous_commit = off");
    }
    const [db] = clients as [pg.Client];
    await db.query("set maintenance_work_mem = '1GB'");
    const { rows } = await db.query<{ n: number }>("select count(*)::int as n from orders where org_id = $1", [orgId]);
    const restore = await dropIndexes(db);
    let next = rows[0]!.n + 1;
    const end = next + count;
    const write = async (client: pg.Client): Promise<void> => {
      while (next < end) {
        const from = next;
        const length = Math.min(perStatement, end - from);
        next += length;
        const orders = Array.from({ length }, (_, i) => makeBenchOrder(from + i, pointers, randomUUIDv7));
        const inserted = await insertOrders(asTransaction(client), orgId, orders);
        if (inserted.size !== length) throw new Error(`${length - inserted.size} orders were not stored`);
      }
      // Answered after all statements before it.
      await client.query("select");
    };
    await Promise.all(clients.map(write));
    for (const statement of restore) await db.query(statement);
    for (const table of tables) await db.query(`vacuum (analyze) ${table}`);
    await db.query("checkpoint");
  } finally {
    for (const client of clients) await client.end();
  }
}

/** Drops all indexes except unique ones and those that the running hub polls; returns the statements that create them again. */
async function dropIndexes(db: pg.Client): Promise<string[]> {
  const { rows } = await db.query<{ drop: string; make: string }>(
    `select format('drop index %s', i.indexrelid::regclass) as drop, pg_get_indexdef(i.indexrelid) as make
       from pg_index i where i.indrelid = any($1::regclass[]) and not i.indisunique
        and i.indexrelid <> 'orders_to_release'::regclass`,
    [tables],
  );
  for (const { drop } of rows) await db.query(drop);
  return rows.map(({ make }) => make);
}

/** A `Tx` for the hub's statements without a transaction, on a pipelining connection like the hub's. */
export function asTransaction(client: pg.Client): Tx {
  const query = async <Row>(statement: unknown, values: unknown) =>
    (await client.query(statement as string, values as unknown[])).rows as Row[];
  return {
    query,
    queue: (statement, values) => void query(statement, values),
    copy: (statement, rows) => copyIn(client, statement, rows),
    afterCommit: () => {},
  };
}
