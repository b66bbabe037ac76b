import { once } from "node:events";
import type { PoolClient } from "pg";
import pg from "pg";
import type { Connection } from "./server-client.ts";
import { connectClient, ServerClient } from "./server-client.ts";
import { watchForSilence } from "./silence-watch.ts";

export type DatabaseOptions = {
  connection: Connection;
  maxConnections: number;
  /** Without timeouts, for migrations, which may take minutes. */
  isPatient?: boolean;
  /** Additional connections for `background`; without them it uses the same pool. */
  maxBackground?: number;
  onError(error: Error): void;
};

const timeLimits = {
  statement_timeout: 30_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 30_000,
};
// Longer than statement_timeout, so that only an unresponsive server exceeds it.
const silenceMs = 40_000;
/** How long a healthy server takes to close a connection. */
const closeTimeoutMs = 1_000;

export type OpenPool = ReturnType<typeof openPool>;

/** A connection pool with session settings, a watch for unresponsive servers, and `renew` to drop connections to a former server. */
export function openPool({ connection, maxConnections, isPatient, onError }: DatabaseOptions) {
  const pool = new pg.Pool({
    ...connection,
    max: maxConnections,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: "order-operations-hub",
    // Sends queries without waiting for earlier responses: each wait depends on a busy event loop.
    pipeline: true,
    Client: ServerClient,
    // JIT compilation takes longer than any statement of the hub runs. The pool awaits onConnect, which its types do not show.
    // oxlint-disable-next-line typescript/no-misused-promises
    onConnect: async (client) => {
      connectedAt.set(client, performance.now());
      await (client as ServerClient).begin({ jit: "off", ...(isPatient ? {} : timeLimits) });
    },
  });
  const connectedAt = new WeakMap<object, number>();
  let renewedAt = 0;
  const renew = (): void => void (renewedAt = performance.now());
  const silence = isPatient ? undefined : watchForSilence(pool, silenceMs, () => isReachable(connection));
  pool.on("error", (error) => onError(withoutClient(error)));
  const open = new Set<PoolClient>();
  // The pool's handler covers idle clients only. Without this one, an error of a checked-out client would end the process.
  pool.on("connect", (client) => open.add(client.on("error", onError)));
  pool.on("remove", (client) => void open.delete(client));

  let refusal: Error | undefined;
  const refuseAll = (reason: Error): void => void (refusal ??= reason);

  async function checkOut(): Promise<PoolClient> {
    for (;;) {
      if (refusal) throw refusal;
      const client = await pool.connect();
      if ((connectedAt.get(client) ?? 0) >= renewedAt) return client;
      client.release(true);
    }
  }

  /**
   * `pool.end` resolves before the server has closed the connections. Stopping the server then would report each as lost.
   */
  async function close(): Promise<void> {
    await pool.end();
    const timeout = AbortSignal.timeout(closeTimeoutMs);
    while (open.size > 0 && !timeout.aborted) await once(pool, "remove", { signal: timeout }).catch(() => {});
    silence?.stop();
  }

  return { pool, silence, checkOut, renew, refuseAll, refusal: () => refusal, close };
}

/** The pool attaches the client to the error, including its secret cancel key, which must not be logged. */
function withoutClient(error: Error & { client?: unknown }): Error {
  delete error.client;
  return error;
}

/** A server that rejects the connection with an SQL error is reachable. */
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
