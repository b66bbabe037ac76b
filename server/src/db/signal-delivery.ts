import { randomUUID } from "node:crypto";
import type { Connection, ServerClient } from "./server-client.ts";
import { connectClient } from "./server-client.ts";

export const channel = "hub_signals";
export const notification = "select pg_notify($1, $2)";
/** Topic of notifications that a node sends to itself. */
export const echo = "echo";
const echoTimeoutMs = 5_000;
/** A node that hangs must not delay the response for long. */
const receiptTimeoutMs = 2_000;
const receiptMaxAgeMs = 60_000;

class NoEcho extends Error {
  constructor() {
    super(
      "Notifications do not arrive. The connection seems to lead through a pooler in transaction mode: connect to " +
        "PostgreSQL directly, or through a pooler in session mode.",
    );
  }
}

/** Notifications of this node that not all nodes have confirmed yet. */
export function createReceipts() {
  const unconfirmed = new Map<string, { missing: number; done?: () => void }>();
  return {
    expect(id: string, nodes: number): void {
      unconfirmed.set(id, { missing: nodes });
      setTimeout(() => unconfirmed.delete(id), receiptMaxAgeMs).unref();
    },
    count(id: string): void {
      const sent = unconfirmed.get(id);
      if (!sent || --sent.missing > 0) return;
      unconfirmed.delete(id);
      sent.done?.();
    },
    async arrival(id: string): Promise<void> {
      const sent = unconfirmed.get(id);
      if (!sent) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      sent.done = resolve;
      const timeout = setTimeout(resolve, receiptTimeoutMs);
      await promise;
      clearTimeout(timeout);
    },
  };
}

/** Notifications that a node sends to itself, to check that notifications arrive. */
export function createEchoes() {
  const awaited = new Map<string, () => void>();

  async function expectFrom(sender: ServerClient): Promise<void> {
    const id = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => {});
    awaited.set(id, resolve);
    const timeout = setTimeout(() => reject(new NoEcho()), echoTimeoutMs);
    try {
      await ask(sender, notification, [channel, `${echo}||${id}`]);
      await promise;
    } finally {
      clearTimeout(timeout);
      awaited.delete(id);
    }
  }

  return {
    arrived: (id: string) => awaited.get(id)?.(),
    expectFrom,
    /**
     * A pooler in transaction mode delivers notifications within one transaction but loses those of other connections.
     * Therefore the first echo is sent from another connection.
     */
    async expectFromAnother(connection: Connection): Promise<void> {
      const other = await connectClient({ ...connection, connectionTimeoutMillis: 5_000 });
      try {
        await expectFrom(other);
      } finally {
        await other.end().catch(() => {});
      }
    },
  };
}

const pendingQueries = new WeakMap<ServerClient, Promise<unknown>>();

/** Runs one query at a time per connection, as the driver requires. */
export async function ask<Row>(client: ServerClient, text: string, values: unknown[] = []): Promise<Row[]> {
  const query = (pendingQueries.get(client) ?? Promise.resolve()).then(() => client.query(text, values));
  pendingQueries.set(
    client,
    query.catch(() => {}),
  );
  return (await query).rows as Row[];
}
