import type { ClientConfig, QueryResult } from "pg";
import pg from "pg";

/**
 * How to reach a database. `servers` are those of which one takes writes at a time, as in `postgres://hub@one,two/hub`;
 * all connections of a database share the object, and so what one of them has found out.
 */
export type Connection = ClientConfig & { servers?: Servers };

type Servers = { urls: string[]; current: number };

const severalHosts = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*,[^/?]*)(.*)$/;

/** The driver knows one host; several are told apart here. */
export function readDatabaseUrl(url: string): Connection {
  const [, before, hosts, after] = severalHosts.exec(url) ?? [];
  if (hosts === undefined) return { connectionString: url };
  return { servers: { urls: hosts.split(",").map((host) => `${before}${host}${after}`), current: 0 } };
}

/** One that leads to a server that does not answer, or takes no writes, makes the next one go elsewhere. */
export class ServerClient extends pg.Client {
  private isProven = false;

  constructor(given?: Connection) {
    const { servers, ...config } = given ?? {};
    const tried = servers?.current ?? 0;
    super(servers ? { ...config, connectionString: servers.urls[tried]! } : config);
    this.once("end", () => {
      // Others may have moved on already.
      if (servers && !this.isProven && servers.current === tried) servers.current = (tried + 1) % servers.urls.length;
    });
    this.servers = servers;
  }

  private readonly servers: Servers | undefined;

  /**
   * To be called once, right after connecting. `settings` are set here and not with the connection, where a pooler
   * would refuse or ignore them.
   */
  async begin(settings: Record<string, string | number> = {}): Promise<void> {
    const sets = Object.entries(settings).map(([name, value]) => `set ${name} = ${value}`);
    const answer = (await this.query([...sets, readOnlyQuestion].join("; "))) as QueryResult | QueryResult[];
    const last = Array.isArray(answer) ? answer.at(-1) : answer;
    if (this.servers && saysReadOnly(last?.rows)) throw new ReadOnlyServer();
    this.isProven = true;
  }
}

export const readOnlyQuestion = "show transaction_read_only";

export function saysReadOnly(rows: unknown[] | undefined): boolean {
  return (rows?.[0] as { transaction_read_only?: string } | undefined)?.transaction_read_only === "on";
}

class ReadOnlyServer extends Error {
  readonly code = "25006";
  constructor() {
    super("this server takes no writes");
  }
}

/** Each server is tried once before it fails. */
export async function tryServers<T>({ servers }: Connection, connect: () => Promise<T>): Promise<T> {
  for (let left = servers?.urls.length ?? 1; ; left--) {
    try {
      return await connect();
    } catch (error) {
      if (left <= 1) throw error;
    }
  }
}

/** Waits for its end, after which the next one goes elsewhere; but not for a server that says nothing any more. */
export async function endClient(client: ServerClient): Promise<void> {
  const patience = new Promise((resolve) => setTimeout(resolve, 1_000).unref());
  await Promise.race([client.end().catch(() => {}), patience]);
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
