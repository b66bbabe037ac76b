import { isUuid } from "../core/ids.ts";

/** Rows that a connection sees: those of one organization, or all (null). */
export type RowScope = string | null;

/** Restricted by row-level security policies. It owns nothing and can neither change nor truncate the audit log. */
const role = "hub_org";

/** Tables that requests never need: they belong to no organization, or to several. */
const closedTables = ["schema_migrations", "secret_keys", "sign_in_attempts", "password_reset_requests", "hub_state"];

/** Since PostgreSQL 16 the creator of a role is its member, but may not SET ROLE to it. */
const maySetRole = (name: string): string =>
  `pg_has_role(${name}, case when current_setting('server_version_num')::integer < 160000 then 'member' else 'set' end)`;

type Connection = { query<Row>(statement: string, values?: readonly unknown[]): Promise<Row[]> };
type TransactionalConnection = Connection & { transaction<T>(work: (tx: Connection) => Promise<T>): Promise<T> };

/**
 * Creates the role and grants what it lacks. Roles belong to the server, not to the database: another database may have created
 * it, and a dump restored elsewhere lacks it. Returns false if the hub's user may not create roles; then only the statements
 * themselves separate organizations.
 */
export async function prepareOrgRole(db: TransactionalConnection): Promise<boolean> {
  if (await hasOrgRole(db)) return true;
  try {
    await db.transaction(async (tx) => {
      await tx.query("select pg_advisory_xact_lock(hashtextextended('hub_org', 0))");
      const [known] = await tx.query("select from pg_roles where rolname = $1", [role]);
      if (!known) await tx.query(`create role ${role} nologin`);
      const [current] = await tx.query<{ name: string; schema: string; isMember: boolean }>(
        `select quote_ident(current_user) as name, quote_ident(current_schema()) as schema,
                ${maySetRole("$1::name")} as "isMember"`,
        [role],
      );
      const { name, schema, isMember } = current!;
      if (!isMember) await tx.query(`grant ${role} to ${name}`);
      await tx.query(`grant usage on schema ${schema} to ${role}`);
      await tx.query(`grant select, insert, update, delete on all tables in schema ${schema} to ${role}`);
      await tx.query(`grant usage on all sequences in schema ${schema} to ${role}`);
      await tx.query(`revoke update, delete on events from ${role}`);
      await tx.query(`revoke all on ${closedTables.join(", ")} from ${role}`);
    });
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    // Another database of the server created the role at the same moment.
    if (code === "42710" || code === "23505") return await prepareOrgRole(db);
    if (code === "42501") return false;
    throw error;
  }
  return await hasOrgRole(db);
}

/** Whether the role exists, the hub's user may SET ROLE to it, and it has access to all tables except the closed ones. */
async function hasOrgRole(db: Connection): Promise<boolean> {
  const [row] = await db.query<{ has: boolean }>(
    `select coalesce((
       select ${maySetRole("role.rolname")}
              and not exists (
                select from pg_class relation
                 where relation.relkind in ('r', 'p', 'v')
                   and relation.relnamespace = current_schema()::regnamespace
                   and has_table_privilege(role.oid, relation.oid, 'select') = (relation.relname = any($2)))
         from pg_roles role
        where role.rolname = $1), false) as has`,
    [role, closedTables],
  );
  return row?.has === true;
}

/** Statements that set the scope of the session. */
export function sessionScope(scope: RowScope): string {
  return scope === null ? "reset role" : `set role ${role}; set hub.org = ${literal(scope)}`;
}

/** Statements that set the scope of the current transaction. */
export function transactionScope(scope: RowScope): string {
  return scope === null ? "set local role none" : `set local role ${role}; set local hub.org = ${literal(scope)}`;
}

/** SET takes no parameters, so the ID is checked before it becomes part of the statement. */
function literal(orgId: string): string {
  if (!isUuid(orgId)) throw new Error("not an organization ID");
  return `'${orgId}'`;
}
