import type { PoolClient } from "pg";
import { copyIn } from "./copy-in.ts";
import type { SilenceWatch } from "./silence-watch.ts";

/*
 * Statements of a transaction are pipelined: each is sent without waiting for the previous response. See
 * docs/decisions/0051-statements-follow-one-another.md.
 */

/** A named statement, prepared once per connection. For hot paths. */
export type Prepared = { name: string; text: string };

export type Queryable = {
  query<Row>(statement: string | Prepared, values?: readonly unknown[]): Promise<Row[]>;
};

export type Tx = Queryable & {
  /**
   * Queues a write whose result is not needed. It is sent at once, and later statements follow without waiting for its response.
   * If it fails, the transaction fails with its error. Returns nothing to await, so only functions that return void may call it.
   */
  queue(statement: string | Prepared, values?: readonly unknown[]): void;
  /** `copy <table> (<columns>) from stdin` with rows in text format, for many rows. */
  copy(statement: string, rows: AsyncIterable<string>): Promise<void>;
  /** Runs after COMMIT has succeeded, never after a rollback, before the transaction returns. Must not throw. */
  afterCommit(work: () => void | Promise<void>): void;
};

/** Sends BEGIN and the opening statements in one message, which saves round trips. */
export async function begin(client: PoolClient, statements: (string | undefined)[]): Promise<unknown> {
  return await client.query(["begin", ...statements.filter((statement) => statement !== undefined)].join("; "));
}

/** After a failed statement, the server executes COMMIT as ROLLBACK. */
export async function commit(client: PoolClient, firstFailure: () => Promise<unknown>): Promise<void> {
  const { command } = await client.query("commit");
  if (command !== "COMMIT") throw (await firstFailure()) ?? new Error("the transaction was rolled back");
}

/** A client whose ROLLBACK fails is in an unknown state, so it is destroyed instead of returned to the pool. */
export async function rollback(client: PoolClient): Promise<void> {
  try {
    await client.query("rollback");
    client.release();
  } catch (error) {
    client.release(error as Error);
  }
}

/**
 * Whether a statement may be sent before the response to BEGIN or SET ROLE. If those fail, the statement still runs: a SELECT is
 * harmless then, a change would be committed on its own.
 */
export function mayPipeline(statement: string | Prepared): boolean {
  return /^\s*select\b/i.test(typeof statement === "string" ? statement : statement.text);
}

/** Creates the transaction object. Statements after its end are rejected. */
export function openTx(client: PoolClient, begun: Promise<unknown>, silence: SilenceWatch | undefined) {
  const effects: (() => void | Promise<void>)[] = [];
  /** Outcomes of `send`: undefined or the error. */
  const unawaited: Promise<unknown>[] = [];
  let isOpen = true;
  let hasBegun = false;
  let hasOnlySelects = true;
  begun.then(
    () => (hasBegun = true),
    () => {},
  );

  /** Keeps the order of the calls. */
  function submit<T>(task: () => Promise<T>, canPipeline = false): Promise<T> {
    if (!isOpen) return Promise.reject(new Error("this transaction has ended"));
    silence?.querySent(client);
    hasOnlySelects &&= canPipeline;
    return hasBegun || hasOnlySelects ? task() : begun.then(task);
  }

  const tx: Tx = {
    query: <Row>(statement: string | Prepared, values?: readonly unknown[]) =>
      submit(() => run<Row>(client, statement, values), mayPipeline(statement)),
    queue(statement, values) {
      const sent = submit(() => run(client, statement, values));
      unawaited.push(
        sent.then(
          () => undefined,
          (error: unknown) => error,
        ),
      );
    },
    copy: (statement, rows) => submit(() => copyIn(client, statement, rows)),
    afterCommit: (effect) => effects.push(effect),
  };
  const firstFailure = async (): Promise<unknown> =>
    (await Promise.all(unawaited)).find((failure) => failure !== undefined);
  return { tx, effects, firstFailure, end: (): void => void (isOpen = false) };
}

type Client = { query(config: { text: string; name?: string; values: unknown[] }): Promise<{ rows: unknown[] }> };

/**
 * The driver chains the queries of a connection, so that finished ones stay in memory until a full garbage collection. Their rows
 * and values are therefore released here; in a long transaction that is most of the memory.
 */
export async function run<Row>(
  client: Client,
  statement: string | Prepared,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const sent = [...values];
  const config =
    typeof statement === "string"
      ? { text: statement, values: sent }
      : { name: statement.name, text: statement.text, values: sent };
  try {
    const result = await client.query(config);
    const { rows } = result;
    result.rows = [];
    return rows as Row[];
  } finally {
    sent.length = 0;
  }
}
