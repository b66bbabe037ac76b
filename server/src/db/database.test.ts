import { expect, test } from "vitest";
import { cloneDatabase } from "../testing/test-database.ts";
import { openDatabase } from "./database.ts";

test("no statement of ours is compiled first, whatever the server does by default", async () => {
  const database = await cloneDatabase();
  const name = database.connection.database!;
  const db = openDatabase({ connection: database.connection, maxConnections: 2, onError: () => {} });
  // As a stock server: everything that looks expensive is compiled, which takes longer than running it.
  await db.query(`alter database ${name} set jit = on`);
  await db.query(`alter database ${name} set jit_above_cost = 0`);
  await db.close();
  const again = openDatabase({ connection: database.connection, maxConnections: 2, onError: () => {} });
  expect(await again.query("show jit_above_cost")).toEqual([{ jit_above_cost: "0" }]);
  expect(await again.query("show jit")).toEqual([{ jit: "off" }]);
  expect(await again.transaction((tx) => tx.query("show jit"))).toEqual([{ jit: "off" }]);
  await again.close();
  await database.drop();
});
