import type { ClientConfig } from "pg";
import pg from "pg";

const lockKey = 7_204_120;
const patienceMs = 10_000;

/** Another hub holds the lock. */
export class DataDirInUse extends Error {}

/**
 * One hub per embedded cluster. A lock in the database ends with the process that holds it, so a killed hub leaves
 * nothing behind; a file with a process id would.
 */
export async function holdHubLock(connection: ClientConfig): Promise<{ release(): Promise<void> }> {
  let released = false;
  let client = await takePatiently(connection);

  // The database was restarted under us: the lock is gone with it and has to be taken again.
  function keep(current: pg.Client): void {
    current.on("end", () => {
      if (!released) setTimeout(retake, 1_000).unref();
    });
  }
  function retake(): void {
    if (released) return;
    take(connection).then(
      (next) => {
        client = next;
        keep(next);
      },
      () => setTimeout(retake, 1_000).unref(),
    );
  }
  keep(client);

  return {
    async release() {
      released = true;
      await client.end().catch(() => {});
    },
  };
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
  const client = new pg.Client({ ...connection, application_name: `hub process ${process.pid}` });
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
  throw new DataDirInUse(
    `Another hub (${owners[0]?.application_name ?? "unknown process"}) already uses this data directory.`,
  );
}
