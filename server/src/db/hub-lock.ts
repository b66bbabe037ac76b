import { rm } from "node:fs/promises";
import type { Server } from "node:net";
import { connect, createServer } from "node:net";
import path from "node:path";
import type { ClientConfig } from "pg";
import pg from "pg";

const lockKey = 7_204_120;
const patienceMs = 10_000;
const retakeMs = 100;

/** Another hub holds the lock. */
export class DataDirInUse extends Error {}

export type HubLock = {
  /** `stopDatabase`: until it is down, no other hub may begin to use it. */
  release(stopDatabase: () => Promise<void>): Promise<void>;
};

/**
 * One hub per embedded cluster, by two signs of life that end with their process; a file with a process id would stay.
 * A lock in the database can be had by one only, and is gone when PostgreSQL has died. A socket in the folder of
 * PostgreSQL's own, on which the hub says its name, lasts over that.
 */
export async function holdHubLock(
  connection: ClientConfig & { host: string },
  onLost: (error: DataDirInUse) => void,
): Promise<HubLock> {
  const doorFile = path.join(connection.host, "hub.sock");
  const holder = await askAtDoor(doorFile);
  if (holder !== undefined) throw new DataDirInUse(inUseBy(holder));
  let released = false;
  let client = await takePatiently(connection);
  const door = await openDoor(doorFile).catch(async (error: unknown) => {
    await client.end();
    throw error;
  });

  // The database was restarted under us: the lock is gone with it and has to be taken again.
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
      // First, or a hub that starts as soon as PostgreSQL is down would still be refused.
      await new Promise((resolve) => door.close(resolve));
      await stopDatabase();
      await client.end().catch(() => {});
    },
  };
}

const ownName = `hub process ${process.pid}`;
const inUseBy = (holder: string): string => `Another hub (${holder}) already uses this data directory.`;

/** Who holds this data directory, if somebody answers. */
async function askAtDoor(file: string): Promise<string | undefined> {
  return await new Promise((resolve) => {
    let name = "";
    const socket = connect(file);
    socket.setEncoding("utf8").on("data", (text: string) => (name += text));
    socket.on("error", () => resolve(undefined));
    socket.on("end", () => resolve(name));
    // It listens, so it lives, however busy it is.
    socket.setTimeout(2_000, () => socket.destroy()).on("close", () => resolve(name || "unknown process"));
  });
}

/** The lock in the database is held: what lies there is a dead one's. */
async function openDoor(file: string): Promise<Server> {
  await rm(file, { force: true });
  const door = createServer((visitor) => {
    visitor.on("error", () => {});
    visitor.end(ownName);
  });
  await new Promise<void>((resolve, reject) =>
    door.once("error", reject).listen({ path: file, exclusive: true }, resolve),
  );
  return door.unref();
}

/** PostgreSQL may be on its way down after another hub has used it; it is started again then. */
async function takePatiently(connection: ClientConfig): Promise<pg.Client> {
  const deadline = Date.now() + patienceMs;
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
    `select a.application_name from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.objid = $1 and l.granted limit 1`,
    [lockKey],
  );
  await client.end();
  throw new DataDirInUse(inUseBy(owners[0]?.application_name ?? "unknown process"));
}
