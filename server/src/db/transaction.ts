import type { PoolClient } from "pg";
import { copyIn } from "./copy-in.ts";
import type { SilenceWatch } from "./silence-watch.ts";

/*
 * How the statements of a transaction go out: one behind the other, without waiting for each answer. Why so:
 * docs/decisions/0051-statements-follow-one-another.md.
 */

/** A statement of the hot path: prepared once per connection under its name. */
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
  /** `copy <table> (<columns>) from stdin`, with lines in its text format. Many rows at the price of a few. */
  copy(statement: string, rows: AsyncIterable<string>): Promise<void>;
  /** Runs after COMMIT was answered, never on rollback; the transaction's caller waits for it. Must not throw. */
  afterCommit(work: () => void | Promise<void>): void;
};

/** With what goes before all else, in one message, so that it takes no longer; what is said in a transaction ends with it. */
export async function begin(client: PoolClient, statements: (string | undefined)[]): Promise<unknown> {
  return await client.query(["begin", ...statements.filter((statement) => statement !== undefined)].join("; "));
}

/** Where a statement has failed, the server takes COMMIT for ROLLBACK. */
export async function commit(client: PoolClient, firstFailure: () => Promise<unknown>): Promise<void> {
  const { command } = await client.query("commit");
  if (command !== "COMMIT") throw (await firstFailure()) ?? new Error("the transaction was rolled back");
}

/** A client whose ROLLBACK fails is in an unknown state: it is destroyed, not handed back. */
export async function rollback(client: PoolClient): Promise<void> {
  try {
    await client.query("rollback");
    client.release();
  } catch (error) {
    client.release(error as Error);
  }
}

/**
 * Whether it may go out behind what it relies on, such as BEGIN, before that was answered. Should that fail and the connection
 * live on, this one is done all the same: as a question it is asked in vain, a change would stay.
 */
export function mayGoAhead(statement: string | Prepared): boolean {
  return /^\s*select\b/i.test(typeof statement === "string" ? statement : statement.text);
}

/** What a transaction's work is given; whoever still holds it when that has ended is told so. */
export function openTx(client: PoolClient, begun: Promise<unknown>, silence: SilenceWatch | undefined) {
  const effects: (() => void | Promise<void>)[] = [];
  /** Of statements that nobody waits for: undefined, or what went wrong. */
  const unawaited: Promise<unknown>[] = [];
  let isOpen = true;
  let hasBegun = false;
  let isOnlyAsking = true;
  begun.then(
    () => (hasBegun = true),
    () => {},
  );

  /** In the order in which they are asked for. */
  function submit<T>(task: () => Promise<T>, goesAhead = false): Promise<T> {
    if (!isOpen) return Promise.reject(new Error("this transaction has ended"));
    silence?.asked(client);
    isOnlyAsking &&= goesAhead;
    return hasBegun || isOnlyAsking ? task() : begun.then(task);
  }

  const tx: Tx = {
    query: <Row>(statement: string | Prepared, values?: readonly unknown[]) =>
      submit(() => run<Row>(client, statement, values), mayGoAhead(statement)),
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
 * The driver links the queries of a connection in such a way that finished ones live until a full garbage collection.
 * So what they carried is taken from them: in a long transaction that is nearly all of the memory.
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
