import type { PoolClient } from "pg";
import pg from "pg";
import { copyIn } from "./copy-in.ts";
import type { Connection } from "./server-client.ts";
import { connectClient, readOnlyQuestion, saysReadOnly, ServerClient } from "./server-client.ts";
import { watchForSilence } from "./silence-watch.ts";

// bigint columns here are counters and sequences far below 2^53; as text they would be compared and added wrongly.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
// A calendar date has no time zone: a Date object would move it.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

/** A statement of the hot path: prepared once per connection under its name. */
export type Prepared = { name: string; text: string };

export type Queryable = {
  query<Row>(statement: string | Prepared, values?: readonly unknown[]): Promise<Row[]>;
};

export type Tx = Queryable & {
  /** `copy <table> (<columns>) from stdin`, with lines in its text format. Many rows at the price of a few. */
  copy(statement: string, rows: AsyncIterable<string>): Promise<void>;
  /** Runs after COMMIT was answered, never on rollback; the transaction's caller waits for it. Must not throw. */
  afterCommit(work: () => void | Promise<void>): void;
};

export type Database = Queryable & {
  /** `opening` is a statement without values that goes out together with BEGIN, such as the taking of a lock. */
  transaction<T>(work: (tx: Tx) => Promise<T>, opening?: string): Promise<T>;
  /** Requests for a connection that have to wait: the first sign of overload. */
  waitingCount(): number;
  connectionCounts(): { total: number; idle: number };
  /** False on a standby, or a server that was told to take no writes. */
  isWritable(): Promise<boolean>;
  /** Uses no connection any more that was made before now: the server behind them is no longer the right one. */
  renew(): void;
  close(): Promise<void>;
};

type DatabaseOptions = {
  connection: Connection;
  maxConnections: number;
  /** For migrations, which may rightly take minutes. */
  isPatient?: boolean;
  onError(error: Error): void;
};

const timeLimits = {
  statement_timeout: 30_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 30_000,
};
// Longer than statement_timeout: only a server that does not answer at all is silent for so long.
const silenceMs = 40_000;
const maxAttempts = 5;
const retryable = new Set(["40001", "40P01"]);
const readOnly = "25006";

export function openDatabase({ connection, maxConnections, isPatient, onError }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    ...connection,
    max: maxConnections,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: "order-operations-hub",
    Client: ServerClient,
    // Compiling a statement takes longer than any of ours runs. The pool waits for it, which its types do not know.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: async (client) => {
      madeAt.set(client, performance.now());
      await (client as ServerClient).begin({ jit: "off", ...(isPatient ? {} : timeLimits) });
    },
  });
  const madeAt = new WeakMap<object, number>();
  let oldest = 0;
  const renew = (): void => void (oldest = performance.now());
  const silence = isPatient ? undefined : watchForSilence(pool, silenceMs, () => isReachable(connection));
  pool.on("error", (error) => onError(withoutClient(error)));
  // The pool's handler covers idle clients only; without this one a checked-out client's error ends the process.
  pool.on("connect", (client) => client.on("error", onError));

  async function checkOut(): Promise<PoolClient> {
    for (;;) {
      const client = await pool.connect();
      if ((madeAt.get(client) ?? 0) >= oldest) return client;
      client.release(true);
    }
  }

  /** What was read-only once is not asked again: behind the same address there may be another server by now. */
  function note(error: unknown): void {
    if (sqlState(error) === readOnly) renew();
  }

  async function attempt<T>(work: (tx: Tx) => Promise<T>, opening: string | undefined): Promise<T> {
    const client = await checkOut();
    const effects: (() => void | Promise<void>)[] = [];
    let open = true;
    const tx: Tx = {
      async query<Row>(statement: string | Prepared, values?: readonly unknown[]) {
        if (!open) throw new Error("this transaction has ended");
        silence?.asked(client);
        return await run<Row>(client, statement, values);
      },
      async copy(statement, rows) {
        if (!open) throw new Error("this transaction has ended");
        silence?.asked(client);
        await copyIn(client, statement, rows);
      },
      afterCommit: (effect) => effects.push(effect),
    };
    let answer: T;
    try {
      await client.query(opening === undefined ? "begin" : `begin; ${opening}`);
      answer = await work(tx);
      open = false;
      silence?.asked(client);
      await client.query("commit");
    } catch (error) {
      open = false;
      note(error);
      await rollback(client);
      throw error;
    }
    client.release();
    for (const effect of effects) await effect();
    return answer;
  }

  async function query<Row>(statement: string | Prepared, values?: readonly unknown[]): Promise<Row[]> {
    const client = await checkOut();
    try {
      const rows = await run<Row>(client, statement, values);
      client.release();
      return rows;
    } catch (error) {
      note(error);
      client.release(error as Error);
      throw error;
    }
  }

  return {
    query,
    async transaction(work, opening) {
      for (let tries = 1; ; tries++) {
        try {
          return await attempt(work, opening);
        } catch (error) {
          if (tries === maxAttempts || !retryable.has(sqlState(error) ?? "")) throw error;
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** tries));
        }
      }
    },
    waitingCount: () => pool.waitingCount,
    connectionCounts: () => ({ total: pool.totalCount, idle: pool.idleCount }),
    async isWritable() {
      const isReadOnly = saysReadOnly(await query(readOnlyQuestion));
      if (isReadOnly) renew();
      return !isReadOnly;
    },
    renew,
    async close() {
      await pool.end();
      silence?.stop();
    },
  };
}

/** The pool hangs the whole client on the error, the key that cancels its queries included: none of a log's business. */
function withoutClient(error: Error & { client?: unknown }): Error {
  delete error.client;
  return error;
}

/** A client whose ROLLBACK fails is in an unknown state: it is destroyed, not handed back. */
async function rollback(client: PoolClient): Promise<void> {
  try {
    await client.query("rollback");
    client.release();
  } catch (error) {
    client.release(error as Error);
  }
}

/** A server that refuses is one that answers. */
async function isReachable(connection: Connection): Promise<boolean> {
  try {
    const client = await connectClient({ ...connection, connectionTimeoutMillis: 3_000, query_timeout: 3_000 });
    await client.end();
    return true;
  } catch (error) {
    return /^[0-9A-Z]{5}$/.test(sqlState(error) ?? "");
  }
}

type Client = { query(config: { text: string; name?: string; values: unknown[] }): Promise<{ rows: unknown[] }> };

/**
 * The driver links the queries of a connection in such a way that finished ones live until a full garbage collection.
 * So what they carried is taken from them: in a long transaction that is nearly all of the memory.
 */
async function run<Row>(client: Client, statement: string | Prepared, values: readonly unknown[] = []): Promise<Row[]> {
  const config = typeof statement === "string" ? { text: statement } : statement;
  const sent = [...values];
  try {
    const result = await client.query({ ...config, values: sent });
    const { rows } = result;
    result.rows = [];
    return rows as Row[];
  } finally {
    sent.length = 0;
  }
}

export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/** The database cannot be reached or cannot work right now: the same may succeed later. */
export function isConnectionLoss(error: unknown): boolean {
  const code = sqlState(error) ?? "";
  return (
    /^(08...|57P0[1-5]|53[23]00|25006|57014|55000|55P03)$/.test(code) ||
    /^(ECONNREFUSED|ECONNRESET|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT|ENOTFOUND|EPIPE|ETIMEDOUT)$/.test(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable/i.test(
      error instanceof Error ? error.message : "",
    )
  );
}

/** The name of the unique constraint that an insert or update ran into, if that was the failure. */
export function violatedConstraint(error: unknown): string | undefined {
  return sqlState(error) === "23505" ? (error as { constraint?: string }).constraint : undefined;
}

/** What was written; when this unique constraint is in the way, the refusal that says so. */
export async function refuseTwin<T>(saved: Promise<T>, constraint: string, refusal: () => Error): Promise<T> {
  try {
    return await saved;
  } catch (error) {
    throw violatedConstraint(error) === constraint ? refusal() : error;
  }
}
