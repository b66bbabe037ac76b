import type { ClientConfig, QueryResult } from "pg";
import pg from "pg";

/**
 * Connection settings of a database. `servers` lists several servers of which one is writable, as in
 * `postgres://hub@one,two/hub`. All connections share the object, so that all use the server that one of them has found.
 */
export type Connection = ClientConfig & { servers?: Servers };

type Servers = { urls: string[]; current: number };

const severalHosts = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*,[^/?]*)(.*)$/;

/** Splits a URL with several hosts, which the driver does not support. */
export function readDatabaseUrl(url: string): Connection {
  const [, before, hosts, after] = severalHosts.exec(url) ?? [];
  if (hosts === undefined) return { connectionString: url };
  return { servers: { urls: hosts.split(",").map((host) => `${before}${host}${after}`), current: 0 } };
}

/** A client that fails to connect, or finds a read-only server, makes the next client try the next server. */
export class ServerClient extends pg.Client {
  private isProven = false;

  constructor(given?: Connection) {
    const { servers, ...config } = given ?? {};
    const tried = servers?.current ?? 0;
    super(servers ? { ...config, connectionString: servers.urls[tried]! } : config);
    this.once("end", () => {
      // Another client may have moved on to the next server already.
      if (servers && !this.isProven && servers.current === tried) servers.current = (tried + 1) % servers.urls.length;
    });
    this.servers = servers;
  }

  private readonly servers: Servers | undefined;

  /**
   * Call it once after connecting. `settings` are set here, since poolers reject or ignore them as connection parameters.
   */
  async begin(settings: Record<string, string | number> = {}): Promise<void> {
    const sets = Object.entries(settings).map(([name, value]) => `set ${name} = ${value}`);
    const result = (await this.query([...sets, readOnlyQuery].join("; "))) as QueryResult | QueryResult[];
    const last = Array.isArray(result) ? result.at(-1) : result;
    if (this.servers && isReadOnlyResult(last?.rows)) throw new ReadOnlyServer();
    this.isProven = true;
  }
}

export const readOnlyQuery = "show transaction_read_only";

export function isReadOnlyResult(rows: unknown[] | undefined): boolean {
  return (rows?.[0] as { transaction_read_only?: string } | undefined)?.transaction_read_only === "on";
}

class ReadOnlyServer extends Error {
  readonly code = "25006";
  constructor() {
    super("the server is read-only");
  }
}

/** Tries each server once. */
export async function tryServers<T>({ servers }: Connection, connect: () => Promise<T>): Promise<T> {
  for (let left = servers?.urls.length ?? 1; ; left--) {
    try {
      return await connect();
    } catch (error) {
      if (left <= 1) throw error;
    }
  }
}

/** Waits until the connection is closed, so that the next client tries another server; at most a second. */
export async function endClient(client: ServerClient): Promise<void> {
  const timeout = new Promise((resolve) => setTimeout(resolve, 1_000).unref());
  await Promise.race([client.end().catch(() => {}), timeout]);
}

export async function connectClient(
  connection: Connection,
  settings?: Record<string, string | number>,
): Promise<ServerClient> {
  return await tryServers(connection, async () => {
    const client = new ServerClient(connection);
    client.on("error", () => {});
    try {
      await client.connect();
      await client.begin(settings);
      return client;
    } catch (error) {
      await endClient(client);
      throw error;
    }
  });
}
