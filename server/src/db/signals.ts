import { randomUUID } from "node:crypto";
import type { Tx } from "./database.ts";
import { isHubAtWork, signalsName } from "./hubs-at-work.ts";
import type { Connection } from "./server-client.ts";
import { endClient, isReadOnlyResult, readOnlyQuery, ServerClient, tryServers } from "./server-client.ts";
import { ask, channel, createEchoes, createReceipts, echo, notification } from "./signal-delivery.ts";

/**
 * Notifies every node of changes to cached data, by LISTEN/NOTIFY on a separate connection. Notifications are lost while that
 * connection is down, so caches must not be used unless `isConnected()`.
 */
export type Signals = {
  publish(tx: Tx, topic: Topic, subject: string): Promise<void>;
  /** Outside of transactions, and lost while the connection is down: only for subscribers that also poll. */
  hint(topic: Topic, subject: string): void;
  subscribe(topic: Topic, listener: (subject: string) => void): () => void;
  /** Called after a gap during which notifications may have been missed. */
  onGap(listener: () => void): void;
  isConnected(): boolean;
  /** Checked on the signal connection, which requests do not use. Throws while it is down. */
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
  | "invoice_audit"
  | "events"
  | "webhook"
  | "progress"
  | "record_ended"
  | "schema"
  | "import_progress"
  | "mail_queued"
  | "password_reset";

const defaultHeartbeatMs = 10_000;
const reconnectMs = 500;
/**
 * For these topics, a change returns only after every node has confirmed the notification: stale caches would admit revoked
 * callers or use old settings, and a cancelled task must not start after the response.
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

type SignalsOptions = {
  onError(error: Error): void;
  /** Interval of checks that notifications still arrive. */
  heartbeatMs?: number;
};

export async function openSignals(
  connection: Connection,
  { onError, heartbeatMs = defaultHeartbeatMs }: SignalsOptions,
): Promise<Signals> {
  const { deliver, subscribe } = createSubscriptions();
  const gapListeners: (() => void)[] = [];
  let client: ServerClient | undefined;
  let closed = false;
  let isFirst = true;
  let timer: NodeJS.Timeout | undefined;

  // Identifies this node's hints, which it has already delivered to itself.
  const hintId = `hint:${randomUUID()}`;

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
      if (id === hintId) return;
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
    schedule(heartbeatMs, () => beat(next));
  }

  // A half-open connection looks alive indefinitely, so only a received echo proves that notifications arrive.
  function beat(current: ServerClient): void {
    echoes.expectFrom(current).then(
      () => client === current && schedule(heartbeatMs, () => beat(current)),
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
        // Before COMMIT, since receipts can arrive before its response. After a rollback none will come.
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
      const payload = `${topic}|${subject}|${hintId}`;
      ask(current, notification, [channel, payload]).catch((error: Error) => lose(current, error));
    },
    subscribe,
    onGap: (listener) => gapListeners.push(listener),
    isConnected: () => client !== undefined,
    async isWritable() {
      const current = client;
      if (!current) throw new Error("the signal connection is down");
      const isReadOnly = isReadOnlyResult(await ask(current, readOnlyQuery));
      // The address may lead to another server by now.
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

/** Notifies all hubs of a migration when it commits. */
export function announceSchema(tx: Tx): void {
  tx.queue(notification, [channel, "schema||"]);
}

/** Returns the number of nodes that must confirm. */
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
