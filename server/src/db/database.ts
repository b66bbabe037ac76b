import { once } from "node:events";
import type { PoolClient } from "pg";
import pg from "pg";
import type { Sight } from "./row-security.ts";
import { openingOf, prepareOrgRole, statementsTo } from "./row-security.ts";
import type { Connection } from "./server-client.ts";
import { connectClient, readOnlyQuestion, saysReadOnly, ServerClient } from "./server-client.ts";
import { watchForSilence } from "./silence-watch.ts";
import type { Prepared, Queryable, Tx } from "./transaction.ts";
import { begin, commit, mayGoAhead, openTx, rollback, run } from "./transaction.ts";

export type { Prepared, Queryable, Tx } from "./transaction.ts";

// bigint columns here are counters and sequences far below 2^53; as text they would be compared and added wrongly.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
// A calendar date has no time zone: a Date object would move it.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

export type Database = Queryable & {
  /** `opening` is a statement without values that goes out together with BEGIN, such as the taking of a lock. */
  transaction<T>(work: (tx: Tx) => Promise<T>, opening?: string): Promise<T>;
  /**
   * The same database as the organization may see it: what a statement forgets to say, row-level security does. This
   * very database where the server has no role for it.
   */
  forOrg(orgId: string): Database;
  /** The same database as those see it who work for all organizations. */
  acrossOrgs: Database;
  /**
   * The same database for what nobody waits for: over connections of its own, so that it never has those of requests, and on
   * a server of our own with less of the processors.
   */
  background: Database;
  /** From here on `forOrg` confines, if the server has the role for it or lets us make it. */
  confine(): Promise<boolean>;
  /** Requests for a connection that have to wait: the first sign of overload. */
  waitingCount(): number;
  connectionCounts(): { total: number; idle: number };
  /** False on a standby, or a server that was told to take no writes. */
  isWritable(): Promise<boolean>;
  /** Uses no connection any more that was made before now: the server behind them is no longer the right one. */
  renew(): void;
  /** From now on every statement fails with this error, without being sent. */
  refuseAll(reason: Error): void;
  /** Why all statements are refused, if they are. */
  refusal(): Error | undefined;
  close(): Promise<void>;
};

type DatabaseOptions = {
  connection: Connection;
  maxConnections: number;
  /** For migrations, which may rightly take minutes. */
  isPatient?: boolean;
  /** Connections for `background`, besides the others; without them it shares those. */
  maxBackground?: number;
  onError(error: Error): void;
};

const timeLimits = {
  statement_timeout: 30_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 30_000,
};
// Longer than statement_timeout: only a server that does not answer at all is silent for so long.
const silenceMs = 40_000;
/** How long a connection may take to be closed by a server that is well. */
const goodbyeMs = 1_000;
const maxAttempts = 5;
const retryable = new Set(["40001", "40P01"]);
const readOnly = "25006";
/** Of statements that come after one that failed: what is wrong with them says nothing. */
const afterFailure = "25P02";

type OpenPool = ReturnType<typeof openPool>;

/** Connections as they are handed out: set up, watched, and none from before they were renewed. */
function openPool({ connection, maxConnections, isPatient, onError }: DatabaseOptions) {
  const pool = new pg.Pool({
    ...connection,
    max: maxConnections,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: "order-operations-hub",
    // What is asked before the last answer has come goes out at once: each wait for an answer is one for a busy event loop.
    pipeline: true,
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
  const open = new Set<PoolClient>();
  // The pool's handler covers idle clients only; without this one a checked-out client's error ends the process.
  pool.on("connect", (client) => open.add(client.on("error", onError)));
  pool.on("remove", (client) => void open.delete(client));

  let refusal: Error | undefined;
  const refuseAll = (reason: Error): void => void (refusal ??= reason);

  async function checkOut(): Promise<PoolClient> {
    for (;;) {
      if (refusal) throw refusal;
      const client = await pool.connect();
      if ((madeAt.get(client) ?? 0) >= oldest) return client;
      client.release(true);
    }
  }

  /**
   * The pool says that it has ended once it has said goodbye everywhere. Who stops the server at once would have it end
   * connections that are still being closed, and a loss reported for each.
   */
  async function close(): Promise<void> {
    await pool.end();
    const patience = AbortSignal.timeout(goodbyeMs);
    while (open.size > 0 && !patience.aborted) await once(pool, "remove", { signal: patience }).catch(() => {});
    silence?.stop();
  }

  return { pool, silence, checkOut, renew, refuseAll, refusal: () => refusal, close };
}

export function openDatabase(options: DatabaseOptions): Database {
  const front = openPool(options);
  const { maxBackground } = options;
  const back = maxBackground && openPool({ ...options, maxConnections: maxBackground });
  const pools = back ? [front, back] : [front];
  const renew = (): void => pools.forEach((one) => one.renew());

  /** What was read-only once is not asked again: behind the same address there may be another server by now. */
  function note(error: unknown): void {
    if (sqlState(error) === readOnly) renew();
  }

  let isConfined = false;
  /** What a connection sees until it is told otherwise; one that is not here is new, and sees everything. */
  const sights = new WeakMap<PoolClient, Sight>();

  async function ask<Row>(
    { checkOut }: OpenPool,
    sight: Sight,
    statement: string | Prepared,
    values?: readonly unknown[],
  ): Promise<Row[]> {
    const client = await checkOut();
    try {
      const isNarrowed = !isConfined || (sights.get(client) ?? null) === sight;
      const narrowing = isNarrowed ? undefined : client.query(statementsTo(sight));
      if (!mayGoAhead(statement)) await narrowing;
      const [rows] = await Promise.all([run<Row>(client, statement, values), narrowing]);
      if (!isNarrowed) sights.set(client, sight);
      client.release();
      return rows;
    } catch (error) {
      note(error);
      // As the pool itself does: it may be the connection that failed, and nobody knows what it would see now.
      client.release(error as Error);
      throw error;
    }
  }

  async function attempt<T>(
    { checkOut, silence }: OpenPool,
    sight: Sight,
    work: (tx: Tx) => Promise<T>,
    opening: string | undefined,
  ): Promise<T> {
    // What is wrong with it is found before there is a connection to be lost.
    const narrowing = isConfined ? openingOf(sight) : undefined;
    const client = await checkOut();
    const isNarrowed = (sights.get(client) ?? null) === sight;
    const begun = begin(client, [isNarrowed ? undefined : narrowing, opening]);
    const { tx, effects, end, firstFailure } = openTx(client, begun, silence);
    let answer: T;
    try {
      [answer] = await Promise.all([work(tx), begun]);
      end();
      silence?.asked(client);
      await commit(client, firstFailure);
    } catch (error) {
      end();
      await rollback(client);
      const cause = sqlState(error) === afterFailure ? ((await firstFailure()) ?? error) : error;
      note(cause);
      throw cause;
    }
    client.release();
    for (const effect of effects) await effect();
    return answer;
  }

  const as = (over: OpenPool, sight: Sight): Pick<Database, "query" | "transaction"> => ({
    query: (statement, values) => ask(over, sight, statement, values),
    async transaction(work, opening) {
      for (let tries = 1; ; tries++) {
        try {
          return await attempt(over, sight, work, opening);
        } catch (error) {
          if (tries === maxAttempts || !retryable.has(sqlState(error) ?? "")) throw error;
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** tries));
        }
      }
    },
  });
  const over = (one: OpenPool): Database => {
    /** Each request asks for one. */
    const confined = new Map<string, Database>();
    const all: Database = {
      ...as(one, null),
      forOrg: (orgId) =>
        isConfined ? confined.getOrInsertComputed(orgId, () => ({ ...all, ...as(one, orgId) })) : all,
      get acrossOrgs() {
        return whole;
      },
      get background() {
        return background;
      },
      async confine() {
        return (isConfined = await prepareOrgRole(whole));
      },
      waitingCount: () => sumOf(pools, ({ pool }) => pool.waitingCount),
      connectionCounts: () => countConnections(pools),
      async isWritable() {
        const isReadOnly = saysReadOnly(await ask(one, null, readOnlyQuestion));
        if (isReadOnly) renew();
        return !isReadOnly;
      },
      renew,
      refuseAll: (reason) => pools.forEach((one) => one.refuseAll(reason)),
      refusal: front.refusal,
      async close() {
        await Promise.all(pools.map((one) => one.close()));
      },
    };
    return all;
  };
  const whole = over(front);
  const background = back ? over(back) : whole;
  return whole;
}

function countConnections(pools: OpenPool[]): { total: number; idle: number } {
  return { total: sumOf(pools, ({ pool }) => pool.totalCount), idle: sumOf(pools, ({ pool }) => pool.idleCount) };
}

function sumOf(pools: OpenPool[], read: (one: OpenPool) => number): number {
  return pools.reduce((sum, one) => sum + read(one), 0);
}

/** The pool hangs the whole client on the error, the key that cancels its queries included: none of a log's business. */
function withoutClient(error: Error & { client?: unknown }): Error {
  delete error.client;
  return error;
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
    /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable|after calling end on the pool/i.test(
      error instanceof Error ? error.message : "",
    )
  );
}

/** The name of the unique constraint that an insert or update ran into, if that was the failure. */
export function violatedConstraint(error: unknown): string | undefined {
  return sqlState(error) === "23505" ? (error as { constraint?: string }).constraint : undefined;
}

/** What was deleted; when something still refers to it by this constraint, the refusal that says so. */
export async function refuseIfReferred<T>(deleted: Promise<T>, constraint: string, refusal: () => Error): Promise<T> {
  try {
    return await deleted;
  } catch (error) {
    const isReferred = sqlState(error) === "23503" && (error as { constraint?: string }).constraint === constraint;
    throw isReferred ? refusal() : error;
  }
}

/** The same would be refused again: data that cannot be stored, not a database that is away. */
export function isRefusedForGood(error: unknown): boolean {
  return /^(22|23|54)/.test(sqlState(error) ?? "") || error instanceof RangeError || error instanceof TypeError;
}

/** What was written; when this unique constraint is in the way, the refusal that says so. */
export async function refuseTwin<T>(saved: Promise<T>, constraint: string, refusal: () => Error): Promise<T> {
  try {
    return await saved;
  } catch (error) {
    throw violatedConstraint(error) === constraint ? refusal() : error;
  }
}
