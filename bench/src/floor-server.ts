import { parseArgs } from "node:util";
import type { FastifyInstance } from "fastify";
import Fastify from "fastify";
import pg from "pg";
import { copyIn } from "../../server/src/db/copy-in.ts";
import type { Queryable, Tx } from "../../server/src/db/database.ts";
import { clusterOf } from "./hub-process.ts";

/**
 * Minimal HTTP server on this database: Fastify and a pool, without authentication, extra headers or log. It uses the hub's
 * statements, so the database does the same work for both.
 */
type Floor = {
  app: FastifyInstance;
  orgId: string;
  db: Queryable;
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
};

/** The hub's default. */
const poolSize = 20;

export async function serveFloor(addRoutes: (floor: Floor) => void): Promise<void> {
  const { values } = parseArgs({ options: { "data-dir": { type: "string" }, org: { type: "string" } } });
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({ ...clusterOf(values["data-dir"]!), max: poolSize, pipeline: true });
  const app = Fastify();
  addRoutes({ app, orgId: values.org!, db: queryableOf(pool), transaction: (work) => inTransaction(pool, work) });
  console.log(`listening on ${await app.listen({ host: "127.0.0.1", port: 0 })}`);
  process.once("SIGTERM", () => process.exit(0));
}

async function inTransaction<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const copy = (statement: string, rows: AsyncIterable<string>) => copyIn(client, statement, rows);
    const { query } = queryableOf(client);
    const sent: Promise<unknown>[] = [];
    const queue: Tx["queue"] = (statement, given) => void sent.push(query(statement, given));
    const answer = await work({ query, queue, copy, afterCommit: () => {} });
    await Promise.all([...sent, client.query("commit")]);
    return answer;
  } finally {
    client.release();
  }
}

function queryableOf(client: pg.Pool | pg.PoolClient): Queryable {
  return {
    async query<Row>(statement: string | { name: string; text: string }, values: readonly unknown[] = []) {
      const { text, name } = typeof statement === "string" ? { text: statement, name: undefined } : statement;
      const { rows } = await client.query<pg.QueryResultRow>({ text, name, values: values as unknown[] });
      return rows as Row[];
    },
  };
}
