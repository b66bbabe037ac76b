import type { PoolClient } from "pg";
import pg from "pg";
import type { RowScope } from "./row-security.ts";
import { transactionScope, prepareOrgRole, sessionScope } from "./row-security.ts";
import type { DatabaseOptions, OpenPool } from "./connection-pool.ts";
import { openPool, sqlState } from "./connection-pool.ts";
import { isReadOnlyResult, readOnlyQuery } from "./server-client.ts";
import type { Prepared, Queryable, Tx } from "./transaction.ts";
import { begin, commit, mayPipeline, openTx, rollback, run } from "./transaction.ts";

export { sqlState } from "./connection-pool.ts";
export type { Prepared, Queryable, Tx } from "./transaction.ts";

// bigint columns are counters and sequences far below 2^53. As strings they would be compared and added incorrectly.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
// A calendar date has no time zone; a Date object could shift it by a day.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text);

export type Database = Queryable & {
  /** `opening` is a statement without parameters that is sent with BEGIN, such as taking a lock. */
  transaction<T>(work: (tx: Tx) => Promise<T>, opening?: string): Promise<T>;
  /**
   * The database restricted to one organization by row-level security, should a statement lack its condition. Unrestricted if
   * row-level security is off.
   */
  forOrg(orgId: string): Database;
  /** The unrestricted database, for work that spans organizations. */
  acrossOrgs: Database;
  /** The database for background work: separate connections, so that requests do not wait for it. */
  background: Database;
  /** Turns on row-level security for `forOrg`, if the server has the role or allows creating it. */
  enableRowSecurity(): Promise<boolean>;
  /** Number of queries that wait for a connection, an early sign of overload. */
  waitingCount(): number;
  connectionCounts(): { total: number; idle: number };
  /** False on a standby or read-only server. */
  isWritable(): Promise<boolean>;
  /** Drops all current connections, since they may lead to a former primary. */
  renew(): void;
  /** From now on every statement fails with this error without being sent. */
  refuseAll(reason: Error): void;
  /** The reason given to `refuseAll`, if it was called. */
  refusal(): Error | undefined;
  close(): Promise<void>;
};

const maxAttempts = 5;
const retryable = new Set(["40001", "40P01"]);
const readOnly = "25006";
/** Statements after a failed one fail with this code, which does not name the cause. */
const afterFailure = "25P02";

export function openDatabase(options: DatabaseOptions): Database {
  const front = openPool(options);
  const { maxBackground } = options;
  const back = maxBackground && openPool({ ...options, maxConnections: maxBackground });
  const pools = back ? [front, back] : [front];
  const renew = (): void => pools.forEach((one) => one.renew());

  /** After a read-only error, the address may lead to another server by now. */
  function checkReadOnly(error: unknown): void {
    if (sqlState(error) === readOnly) renew();
  }

  let hasRowSecurity = false;
  /** Row scope of each connection's session. A new connection sees all rows. */
  const scopes = new WeakMap<PoolClient, RowScope>();

  async function ask<Row>(
    { checkOut }: OpenPool,
    scope: RowScope,
    statement: string | Prepared,
    values?: readonly unknown[],
  ): Promise<Row[]> {
    const client = await checkOut();
    try {
      const hasScope = !hasRowSecurity || (scopes.get(client) ?? null) === scope;
      const setScope = hasScope ? undefined : client.query(sessionScope(scope));
      if (!mayPipeline(statement)) await setScope;
      const [rows] = await Promise.all([run<Row>(client, statement, values), setScope]);
      if (!hasScope) scopes.set(client, scope);
      client.release();
      return rows;
    } catch (error) {
      checkReadOnly(error);
      // Destroyed, as the pool does itself: the connection may have failed, and its row scope is unknown.
      client.release(error as Error);
      throw error;
    }
  }

  async function attempt<T>(
    { checkOut, silence }: OpenPool,
    scope: RowScope,
    work: (tx: Tx) => Promise<T>,
    opening: string | undefined,
  ): Promise<T> {
    // Throws for an invalid ID, so it comes before checking out a connection.
    const setScope = hasRowSecurity ? transactionScope(scope) : undefined;
    const client = await checkOut();
    const hasScope = (scopes.get(client) ?? null) === scope;
    const begun = begin(client, [hasScope ? undefined : setScope, opening]);
    const { tx, effects, end, firstFailure } = openTx(client, begun, silence);
    let result: T;
    try {
      [result] = await Promise.all([work(tx), begun]);
      end();
      silence?.querySent(client);
      await commit(client, firstFailure);
    } catch (error) {
      end();
      await rollback(client);
      const cause = sqlState(error) === afterFailure ? ((await firstFailure()) ?? error) : error;
      checkReadOnly(cause);
      throw cause;
    }
    client.release();
    for (const effect of effects) await effect();
    return result;
  }

  const as = (over: OpenPool, scope: RowScope): Pick<Database, "query" | "transaction"> => ({
    query: (statement, values) => ask(over, scope, statement, values),
    async transaction(work, opening) {
      for (let tries = 1; ; tries++) {
        try {
          return await attempt(over, scope, work, opening);
        } catch (error) {
          if (tries === maxAttempts || !retryable.has(sqlState(error) ?? "")) throw error;
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * 2 ** tries));
        }
      }
    },
  });
  const over = (one: OpenPool): Database => {
    /** Cached, since each request needs one. */
    const restricted = new Map<string, Database>();
    const all: Database = {
      ...as(one, null),
      forOrg: (orgId) =>
        hasRowSecurity ? restricted.getOrInsertComputed(orgId, () => ({ ...all, ...as(one, orgId) })) : all,
      get acrossOrgs() {
        return whole;
      },
      get background() {
        return background;
      },
      async enableRowSecurity() {
        return (hasRowSecurity = await prepareOrgRole(whole));
      },
      waitingCount: () => sumOf(pools, ({ pool }) => pool.waitingCount),
      connectionCounts: () => countConnections(pools),
      async isWritable() {
        const isReadOnly = isReadOnlyResult(await ask(one, null, readOnlyQuery));
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

/** The database is unreachable or temporarily unable to work, so a retry may succeed. */
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

/** Name of the violated unique constraint, if that was the error. */
export function violatedConstraint(error: unknown): string | undefined {
  return sqlState(error) === "23505" ? (error as { constraint?: string }).constraint : undefined;
}

/** Replaces a violation of this foreign key by the given error. */
export async function refuseIfReferred<T>(deleted: Promise<T>, constraint: string, rejection: () => Error): Promise<T> {
  try {
    return await deleted;
  } catch (error) {
    const isReferred = sqlState(error) === "23503" && (error as { constraint?: string }).constraint === constraint;
    throw isReferred ? rejection() : error;
  }
}

/** The data cannot be stored, so a retry would fail again. */
export function isRefusedForGood(error: unknown): boolean {
  return /^(22|23|54)/.test(sqlState(error) ?? "") || error instanceof RangeError || error instanceof TypeError;
}

/** Replaces a violation of this unique constraint by the given error. */
export async function refuseDuplicate<T>(saved: Promise<T>, constraint: string, rejection: () => Error): Promise<T> {
  try {
    return await saved;
  } catch (error) {
    throw violatedConstraint(error) === constraint ? rejection() : error;
  }
}
