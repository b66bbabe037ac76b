import { writeFileSync } from "node:fs";
import pg from "pg";

/*
 * Loaded before the hub with `node --import`: counts every query that the process sends, BEGIN and COMMIT included, and
 * writes the number to BENCH_QUERY_COUNT_FILE once a second.
 */
const file = process.env.BENCH_QUERY_COUNT_FILE!;
let count = 0;

type Query = (this: unknown, ...args: unknown[]) => unknown;
const prototype = pg.Client.prototype as unknown as { query: Query };
const original = prototype.query;

prototype.query = function query(...args) {
  count++;
  if (process.env.BENCH_SHOW_QUERIES !== undefined) {
    const [statement] = args as [{ text?: string; name?: string } | string];
    console.error(
      JSON.stringify(typeof statement === "string" ? statement : (statement.name ?? statement.text)).slice(0, 100),
    );
  }
  return original.apply(this, args);
};

writeFileSync(file, "0");
setInterval(() => writeFileSync(file, String(count)), 1_000).unref();
