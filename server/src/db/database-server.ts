import { randomInt } from "node:crypto";
import type { Client } from "pg";
import type { Queryable } from "./database.ts";
import type { Connection } from "./server-client.ts";
import { connectClient } from "./server-client.ts";

/**
 * Owns the databases of an embedded server without being a superuser: an injected statement can neither read files nor start
 * programs. It may create the role that row-level security needs.
 */
const owner = "hub_own";

/** Creates the database if it is missing and returns its owner. `server` connects as superuser; `name` is never user input. */
export async function prepareDatabase(server: (database: string) => Connection, name: string): Promise<string> {
  const known = await findOwner(server("postgres"), name);
  if (known === owner) return owner;
  await withClient(server("postgres"), async (client) => {
    const { rowCount } = await client.query("select from pg_roles where rolname = $1", [owner]);
    if (rowCount === 0) await client.query(`create role ${owner} login createrole`);
    if (known === undefined) await client.query(`create database ${name} owner ${owner} template template0`);
  });
  if (known !== undefined) await withClient(server(name), (client) => changeOwner(client, name));
  return owner;
}

/** Undefined if the database does not exist. */
export async function findOwner(connection: Connection, name: string): Promise<string | undefined> {
  return await withClient(connection, async (client) => {
    const { rows } = await client.query<{ owner: string }>(
      "select pg_get_userbyid(datdba) as owner from pg_database where datname = $1",
      [name],
    );
    return rows[0]?.owner;
  });
}

/** Changes the owner of a database created by an earlier version as superuser. The database itself comes last, so that an interrupted change is repeated. */
async function changeOwner(client: Client, name: string): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(`
    with schemas as (
      select oid, nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
    )
    select format('alter schema %I owner to ${owner}', nspname) as statement
      from schemas
     where nspname <> 'public'
    union all
    select format('alter %s %s owner to ${owner}', case relkind when 'S' then 'sequence' when 'v' then 'view' else 'table' end,
                  relation.oid::regclass)
      from pg_class relation
      join schemas on schemas.oid = relation.relnamespace
     where relkind in ('r', 'p', 'v', 'S')
       -- Sequences of columns follow their table.
       and not exists (
         select from pg_depend
          where objid = relation.oid and classid = 'pg_class'::regclass and deptype in ('a', 'i') and relkind = 'S')
    union all
    select format('alter routine %s owner to ${owner}', routine.oid::regprocedure)
      from pg_proc routine
      join schemas on schemas.oid = routine.pronamespace
    union all
    select format('alter type %s owner to ${owner}', type.oid::regtype)
      from pg_type type
      join schemas on schemas.oid = type.typnamespace
     where typtype in ('e', 'd')`);
  await client.query("begin");
  for (const { statement } of rows) await client.query(statement);
  await client.query(`alter database ${name} owner to ${owner}`);
  const { rowCount } = await client.query("select from pg_roles where rolname = 'hub_org'");
  if (rowCount === 1) await client.query(`grant hub_org to ${owner} with admin option`);
  await client.query("commit");
}

/** In PostgreSQL's numbering: 150004 is 15.4. */
export async function readServerVersion(connection: Connection): Promise<number> {
  return await withClient({ ...connection, connectionTimeoutMillis: 5_000 }, async (client) => {
    const { rows } = await client.query<{ server_version_num: string }>("show server_version_num");
    return Number(rows[0]?.server_version_num);
  });
}

/** Whether two connection settings lead to the same database: an advisory lock taken through one is visible through the other. */
export async function areSameDatabase(one: Connection, other: Connection): Promise<boolean> {
  const key = randomInt(2 ** 47);
  return await withClient(one, async (holder) => {
    await holder.query("select pg_advisory_lock($1)", [key]);
    return await withClient(other, async (asker) => {
      const { rows } = await asker.query<{ isFree: boolean }>('select pg_try_advisory_lock($1) as "isFree"', [key]);
      return rows[0]?.isFree !== true;
    });
  });
}

export async function describeServer(db: Queryable): Promise<{ version: string; isDurable: boolean }> {
  const [row] = await db.query<{ version: string; fsync: string }>(
    "select version() as version, current_setting('fsync') as fsync",
  );
  return { version: row?.version.split(" ").slice(0, 2).join(" ") ?? "unknown", isDurable: row?.fsync === "on" };
}

async function withClient<T>(connection: Connection, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connectClient(connection);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
