import { rm } from "node:fs/promises";
import type { Server } from "node:net";
import { connect, createServer } from "node:net";
import path from "node:path";
import type { ClientConfig } from "pg";
import pg from "pg";

const lockKey = 7_204_120;
const takeTimeoutMs = 10_000;
const retakeMs = 100;

/** Another hub holds the lock. */
export class DataDirInUse extends Error {}

export type HubLock = {
  /** Other hubs may use the data directory only after `stopDatabase` has finished. */
  release(stopDatabase: () => Promise<void>): Promise<void>;
};

/**
 * Ensures one hub per embedded cluster by two locks that end with their process, unlike a PID file: an advisory lock in the
 * database, which is lost when PostgreSQL dies, and a socket beside PostgreSQL's own, which survives that and on which the hub
 * sends its name.
 */
export async function holdHubLock(
  connection: ClientConfig & { host: string },
  onLost: (error: DataDirInUse) => void,
): Promise<HubLock> {
  const socketFile = path.join(connection.host, "hub.sock");
  const holder = await askHolder(socketFile);
  if (holder !== undefined) throw new DataDirInUse(inUseBy(holder));
  let released = false;
  let client = await takeWithRetries(connection);
  const listener = await listenAsHolder(socketFile).catch(async (error: unknown) => {
    await client.end();
    throw error;
  });

  // After a restart of PostgreSQL the lock is gone and must be taken again.
  function keep(current: pg.Client): void {
    current.on("end", retake);
  }
  function retake(): void {
    if (released) return;
    take(connection).then(
      (next) => {
        client = next;
        keep(next);
      },
      (error: unknown) => {
        if (released) return;
        if (error instanceof DataDirInUse) onLost(error);
        else setTimeout(retake, retakeMs).unref();
      },
    );
  }
  keep(client);

  return {
    async release(stopDatabase) {
      released = true;
      // First, so that a hub that starts once PostgreSQL is down is not rejected.
      await new Promise((resolve) => listener.close(resolve));
      await stopDatabase();
      await client.end().catch(() => {});
    },
  };
}

const ownName = `hub process ${process.pid}`;
const inUseBy = (holder: string): string => `Another hub (${holder}) already uses this data directory.`;

/** Name of the hub that holds the data directory, if one responds. */
async function askHolder(file: string): Promise<string | undefined> {
  return await new Promise((resolve) => {
    let name = "";
    const socket = connect(file);
    socket.setEncoding("utf8").on("data", (text: string) => (name += text));
    socket.on("error", () => resolve(undefined));
    socket.on("end", () => resolve(name));
    // A busy hub may respond late, but the open socket shows that it runs.
    socket.setTimeout(2_000, () => socket.destroy()).on("close", () => resolve(name || "unknown process"));
  });
}

/** The advisory lock is held, so an existing socket belongs to a hub that has died. */
async function listenAsHolder(file: string): Promise<Server> {
  await rm(file, { force: true });
  const listener = createServer((client) => {
    client.on("error", () => {});
    client.end(ownName);
  });
  await new Promise<void>((resolve, reject) =>
    // Exclusive: of this process, not shared with the other processes of a cluster.
    listener.once("error", reject).listen({ path: file, exclusive: true }, resolve),
  );
  return listener.unref();
}

/** PostgreSQL may be shutting down after another hub has stopped; it is then started again. */
async function takeWithRetries(connection: ClientConfig): Promise<pg.Client> {
  const deadline = Date.now() + takeTimeoutMs;
  for (;;) {
    try {
      return await take(connection);
    } catch (error) {
      if (error instanceof DataDirInUse || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function take(connection: ClientConfig): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, application_name: ownName });
  client.on("error", () => {});
  await client.connect();
  const { rows } = await client.query<{ held: boolean }>("select pg_try_advisory_lock($1) as held", [lockKey]);
  if (rows[0]?.held) return client;
  const { rows: owners } = await client.query<{ application_name: string }>(
    `select activity.application_name
       from pg_locks held
       join pg_stat_activity activity using (pid)
      where held.locktype = 'advisory' and held.objid = $1 and held.granted
      limit 1`,
    [lockKey],
  );
  await client.end();
  throw new DataDirInUse(inUseBy(owners[0]?.application_name ?? "unknown process"));
}
