import { randomUUID } from "node:crypto";
import type { Tx } from "./database.ts";
import { isHubAtWork, signalsName } from "./hubs-at-work.ts";
import type { Connection } from "./server-client.ts";
import { connectClient, endClient, readOnlyQuestion, saysReadOnly, ServerClient, tryServers } from "./server-client.ts";

/**
 * Tells every node that something cached has changed, by LISTEN/NOTIFY on a connection of its own.
 * Notifications are lost while that connection is down, so caches must not be trusted unless `isConnected()`.
 */
export type Signals = {
  publish(tx: Tx, topic: Topic, subject: string): Promise<void>;
  /** Outside of any transaction, and lost when the connection is down: only for what is looked after anyway. */
  hint(topic: Topic, subject: string): void;
  subscribe(topic: Topic, listener: (subject: string) => void): () => void;
  /** Called after a gap in which notifications may have been missed. */
  onGap(listener: () => void): void;
  isConnected(): boolean;
  /** Asked on the connection of the signals, which no request waits for. Fails when there is none. */
  isWritable(): Promise<boolean>;
  close(): Promise<void>;
};

export type Topic =
  | "api_key"
  | "user"
  | "organization"
  | "clock"
  | "outbound"
  | "reset"
  | "operation_run"
  | "schedule"
  | "automation"
  | "bridge"
  | "transformation"
  | "task_queued"
  | "task_ended"
  | "task_cancelled"
  | "label_requested"
  | "label_ended"
  | "rate_comparison"
  | "events"
  | "webhook"
  | "progress"
  | "record_ended"
  | "schema"
  | "import_progress";

const channel = "hub_signals";
const heartbeatMs = 10_000;
const reconnectMs = 500;
const echo = "echo";
const echoMs = 5_000;
/**
 * Published with these, a change is answered only when every node knows of it: what they cache decides who gets in and how
 * the next execution is done, and whoever cancelled a task was told that nothing of it begins any more.
 */
const confirmed: ReadonlySet<Topic> = new Set([
  "api_key",
  "user",
  "organization",
  "bridge",
  "transformation",
  "clock",
  "reset",
  "task_cancelled",
]);
const receipt = "received";
/** A node that hangs must not hold the answer for long. */
const receiptMs = 2_000;
const forgetMs = 60_000;

type SignalsOptions = {
  onError(error: Error): void;
  /** How often it is looked whether notifications still arrive. */
  everyMs?: number;
};

export async function openSignals(
  connection: Connection,
  { onError, everyMs = heartbeatMs }: SignalsOptions,
): Promise<Signals> {
  const { deliver, subscribe } = createSubscriptions();
  const gapListeners: (() => void)[] = [];
  let client: ServerClient | undefined;
  let closed = false;
  let isFirst = true;
  let timer: NodeJS.Timeout | undefined;

  // Marks this node's hints, which it has delivered to itself already.
  const hintMark = `hint:${randomUUID()}`;

  const receipts = createReceipts();
  const echoes = createEchoes();

  async function connect(): Promise<void> {
    const next = new ServerClient({
      ...connection,
      application_name: signalsName,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
    });
    next.on("error", (error) => lose(next, error));
    next.on("end", () => lose(next));
    next.on("notification", ({ payload = "" }) => {
      const [topic = "", subject = "", id = ""] = payload.split("|", 3);
      if (topic === receipt) return receipts.count(id);
      if (topic === echo) return echoes.arrived(id);
      if (id === hintMark) return;
      deliver(topic as Topic, subject);
      if (!confirmed.has(topic as Topic)) return;
      ask(next, notification, [channel, `${receipt}||${id}`]).catch((error: Error) => lose(next, error));
    });
    try {
      await next.connect();
      await next.begin();
      await next.query(`listen ${channel}`);
      await (isFirst ? echoes.expectFromAnother(connection) : echoes.expectFrom(next));
      isFirst = false;
    } catch (error) {
      await endClient(next);
      throw error;
    }
    if (closed) return await next.end();
    client = next;
    for (const listener of gapListeners) listener();
    schedule(everyMs, () => beat(next));
  }

  // A half-open connection looks alive for ever: only what arrives proves that notifications still do.
  function beat(current: ServerClient): void {
    echoes.expectFrom(current).then(
      () => client === current && schedule(everyMs, () => beat(current)),
      (error: Error) => lose(current, error),
    );
  }

  function lose(lost: ServerClient, error?: Error): void {
    if (error && !closed) onError(error);
    if (client !== lost || closed) return;
    client = undefined;
    lost.end().catch(() => {});
    schedule(reconnectMs, reconnect);
  }

  function reconnect(): void {
    connect().catch((error: Error) => {
      onError(error);
      if (!closed) schedule(reconnectMs, reconnect);
    });
  }

  function schedule(delayMs: number, work: () => void): void {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(work, delayMs).unref();
  }

  await tryServers(connection, connect);
  return {
    async publish(tx, topic, subject) {
      const id = randomUUID();
      const payload = `${topic}|${subject}|${id}`;
      if (!confirmed.has(topic)) tx.queue(notification, [channel, payload]);
      else {
        const nodes = await notifyNodes(tx, payload);
        // Before COMMIT, for receipts can be here before its answer is; after a rollback none will come.
        if (nodes > 0) receipts.expect(id, nodes);
      }
      tx.afterCommit(async () => {
        deliver(topic, subject);
        await receipts.arrival(id);
      });
    },
    hint(topic, subject) {
      deliver(topic, subject);
      const current = client;
      if (!current) return;
      const payload = `${topic}|${subject}|${hintMark}`;
      ask(current, notification, [channel, payload]).catch((error: Error) => lose(current, error));
    },
    subscribe,
    onGap: (listener) => gapListeners.push(listener),
    isConnected: () => client !== undefined,
    async isWritable() {
      const current = client;
      if (!current) throw new Error("the connection for signals is down");
      const isReadOnly = saysReadOnly(await ask(current, readOnlyQuestion));
      // Behind the same address there may be another server by now.
      if (isReadOnly) lose(current);
      return !isReadOnly;
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end();
    },
  };
}

const notification = "select pg_notify($1, $2)";

/** A migration that is committed is known to every hub at once. */
export function announceSchema(tx: Tx): void {
  tx.queue(notification, [channel, "schema||"]);
}

/** Returns how many nodes have to confirm it. */
async function notifyNodes(tx: Tx, payload: string): Promise<number> {
  const [row] = await tx.query<{ nodes: number }>(
    `${notification},
       (select count(*) from pg_stat_activity where ${isHubAtWork}) as nodes`,
    [channel, payload],
  );
  return row!.nodes;
}

function createSubscriptions(): Pick<Signals, "subscribe"> & { deliver(topic: Topic, subject: string): void } {
  const listeners = new Map<Topic, ((subject: string) => void)[]>();
  return {
    deliver(topic, subject) {
      for (const listener of listeners.get(topic) ?? []) listener(subject);
    },
    subscribe(topic, listener) {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
      return () =>
        void listeners.set(
          topic,
          listeners.get(topic)!.filter((other) => other !== listener),
        );
    },
  };
}

class NoEcho extends Error {
  constructor() {
    super(
      "Notifications do not arrive. The connection seems to lead through a pooler in transaction mode: connect to " +
        "PostgreSQL directly, or through a pooler in session mode.",
    );
  }
}

/** Which of this node's notifications not all nodes have confirmed yet. */
function createReceipts() {
  const unconfirmed = new Map<string, { missing: number; done?: () => void }>();
  return {
    expect(id: string, nodes: number): void {
      unconfirmed.set(id, { missing: nodes });
      setTimeout(() => unconfirmed.delete(id), forgetMs).unref();
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
      const timeout = setTimeout(resolve, receiptMs);
      await promise;
      clearTimeout(timeout);
    },
  };
}

/** Notifications that have to arrive here, as proof that any do. */
function createEchoes() {
  const awaited = new Map<string, () => void>();

  async function expectFrom(sender: ServerClient): Promise<void> {
    const id = randomUUID();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => {});
    awaited.set(id, resolve);
    const patience = setTimeout(() => reject(new NoEcho()), echoMs);
    try {
      await ask(sender, notification, [channel, `${echo}||${id}`]);
      await promise;
    } finally {
      clearTimeout(patience);
      awaited.delete(id);
    }
  }

  return {
    arrived: (id: string) => awaited.get(id)?.(),
    expectFrom,
    /**
     * A pooler that gives each transaction whatever connection is free passes on what a transaction tells its own
     * connection, and loses everything else. So the first time somebody else sends it.
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

const turns = new WeakMap<ServerClient, Promise<unknown>>();

/** One query after the other, as the driver wants it. */
async function ask<Row>(client: ServerClient, text: string, values: unknown[] = []): Promise<Row[]> {
  const turn = (turns.get(client) ?? Promise.resolve()).then(() => client.query(text, values));
  turns.set(
    client,
    turn.catch(() => {}),
  );
  return (await turn).rows as Row[];
}
