import { isUuid } from "../core/ids.ts";

/** Whose rows a connection sees: those of one organization, or (null) all. */
export type Sight = string | null;

/** Bound by the policies of migrations 0027 and 0048: it owns nothing, and can neither change nor empty the audit log. */
const role = "hub_org";

/** Requests need none of these: they hold nothing of an organization, or of all of them together. */
const closedTables = ["schema_migrations", "secret_keys", "sign_in_attempts", "hub_state"];

/** Since 16 whoever makes a role is a member of it, and may still not take it on. */
const mayTakeOn = (name: string): string =>
  `pg_has_role(${name}, case when current_setting('server_version_num')::integer < 160000 then 'member' else 'set' end)`;

type Asked = { query<Row>(statement: string, values?: readonly unknown[]): Promise<Row[]> };
type Opened = Asked & { transaction<T>(work: (tx: Asked) => Promise<T>): Promise<T> };

/**
 * Makes the role, and gives it what it lacks. It belongs to the server, not to the database: another database may have made
 * it, and one that was restored from a dump has it no more. False: we are not allowed to, so that statements are all there is.
 */
export async function prepareOrgRole(db: Opened): Promise<boolean> {
  if (await hasOrgRole(db)) return true;
  try {
    await db.transaction(async (tx) => {
      await tx.query("select pg_advisory_xact_lock(hashtextextended('hub_org', 0))");
      const [known] = await tx.query("select from pg_roles where rolname = $1", [role]);
      if (!known) await tx.query(`create role ${role} nologin`);
      const [us] = await tx.query<{ name: string; schema: string; isMember: boolean }>(
        `select quote_ident(current_user) as name, quote_ident(current_schema()) as schema,
                ${mayTakeOn("$1::name")} as "isMember"`,
        [role],
      );
      const { name, schema, isMember } = us!;
      if (!isMember) await tx.query(`grant ${role} to ${name}`);
      await tx.query(`grant usage on schema ${schema} to ${role}`);
      await tx.query(`grant select, insert, update, delete on all tables in schema ${schema} to ${role}`);
      await tx.query(`grant usage on all sequences in schema ${schema} to ${role}`);
      await tx.query(`revoke update, delete on events from ${role}`);
      await tx.query(`revoke all on ${closedTables.join(", ")} from ${role}`);
    });
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    // Two databases of one server make it at the same moment: whoever came second finds it now.
    if (code === "42710" || code === "23505") return await prepareOrgRole(db);
    if (code === "42501") return false;
    throw error;
  }
  return await hasOrgRole(db);
}

/** Whether there is the role, we may take it on, and it may use every table that is not closed to it, and no other. */
async function hasOrgRole(db: Asked): Promise<boolean> {
  const [row] = await db.query<{ has: boolean }>(
    `select coalesce((
       select ${mayTakeOn("r.rolname")} and not exists (
         select from pg_class c
          where c.relkind in ('r', 'p', 'v') and c.relnamespace = current_schema()::regnamespace
            and has_table_privilege(r.oid, c.oid, 'select') = (c.relname = any($2)))
         from pg_roles r where r.rolname = $1), false) as has`,
    [role, closedTables],
  );
  return row?.has === true;
}

/** From here on, whatever transactions come. */
export function statementsTo(sight: Sight): string {
  return sight === null ? "reset role" : `set role ${role}; set hub.org = ${literal(sight)}`;
}

/** Until the transaction ends that has just begun. */
export function openingOf(sight: Sight): string {
  return sight === null ? "set local role none" : `set local role ${role}; set local hub.org = ${literal(sight)}`;
}

/** These go out without values: what is no id must not become a statement. */
function literal(orgId: string): string {
  if (!isUuid(orgId)) throw new Error("an organization is named by its id");
  return `'${orgId}'`;
}
