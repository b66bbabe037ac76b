import type { ClientConfig } from "pg";
import pg from "pg";
import type { Tx } from "./database.ts";

/**
 * Tells every node that something cached has changed, by LISTEN/NOTIFY on a connection of its own.
 * Notifications are lost while that connection is down, so caches must not be trusted unless `isConnected()`.
 */
export type Signals = {
  publish(tx: Tx, topic: Topic, subject: string): Promise<void>;
  subscribe(topic: Topic, listener: (subject: string) => void): void;
  /** Called after a gap in which notifications may have been missed. */
  onGap(listener: () => void): void;
  isConnected(): boolean;
  close(): Promise<void>;
};

export type Topic = "api_key" | "user" | "organization" | "clock" | "reset";

const channel = "hub_signals";
const heartbeatMs = 10_000;
const reconnectMs = 500;

export async function openSignals(connection: ClientConfig, onError: (error: Error) => void): Promise<Signals> {
  const listeners = new Map<Topic, ((subject: string) => void)[]>();
  const gapListeners: (() => void)[] = [];
  let client: pg.Client | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  function deliver(topic: Topic, subject: string): void {
    for (const listener of listeners.get(topic) ?? []) listener(subject);
  }

  async function connect(): Promise<void> {
    const next = new pg.Client({
      ...connection,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
    });
    next.on("error", (error) => lose(next, error));
    next.on("end", () => lose(next));
    next.on("notification", ({ payload = "" }) => {
      const [topic = "", subject = ""] = payload.split("|", 2);
      deliver(topic as Topic, subject);
    });
    await next.connect();
    await next.query(`listen ${channel}`);
    client = next;
    for (const listener of gapListeners) listener();
    schedule(heartbeatMs, () => beat(next));
  }

  // A half-open connection looks alive for ever: only an answered query proves that notifications still arrive.
  function beat(current: pg.Client): void {
    current.query("select 1").then(
      () => client === current && schedule(heartbeatMs, () => beat(current)),
      (error: Error) => lose(current, error),
    );
  }

  function lose(lost: pg.Client, error?: Error): void {
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

  await connect();
  return {
    async publish(tx, topic, subject) {
      await tx.query("select pg_notify($1, $2)", [channel, `${topic}|${subject}`]);
      // This node must not wait for its own notification to come back: the next request already counts.
      tx.afterCommit(() => deliver(topic, subject));
    },
    subscribe(topic, listener) {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
    },
    onGap: (listener) => gapListeners.push(listener),
    isConnected: () => client !== undefined,
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end();
    },
  };
}
