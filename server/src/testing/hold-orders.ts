import pg from "pg";
import { databaseOf } from "./launch-hub.ts";

/** Locks all orders directly in the database of a hub with embedded PostgreSQL: changes wait until the lock is released. */
export async function holdOrders(dataDir: string): Promise<{ letGo(): Promise<void> }> {
  const client = new pg.Client(databaseOf(dataDir));
  await client.connect();
  await client.query("begin");
  await client.query("select id from orders for update");
  return {
    async letGo() {
      await client.query("rollback");
      await client.end();
    },
  };
}
