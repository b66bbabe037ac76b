import type { Page, PageRequest } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Stored } from "../../db/columns.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { Organization } from "./organizations.schemas.ts";

const { selected, fromRow } = defineColumns<Organization>("t", {
  name: "text",
  isOperator: "boolean",
  outboundHosts: "text[]",
  createdAt: moment,
  updatedAt: moment,
  version: "integer",
});

/** `visibleTo` undefined: every organization, for the operators of the hub. */
export async function listOrganizations(
  db: Queryable,
  visibleTo: string | undefined,
  query: PageRequest,
): Promise<Page<Organization>> {
  const page = await listPage<Stored<Organization>>(db, query, {
    select: selected,
    from: "organizations t",
    where: [["t.id = ?", visibleTo]],
    orderBy: "t.created_at desc, t.id desc",
  });
  return mapPage(page, fromRow);
}

export async function findOrganization(db: Queryable, id: string): Promise<Organization | undefined> {
  return await one(db, `select ${selected} from organizations t where t.id = $1`, [id]);
}

export async function findOperatorOrganization(db: Queryable): Promise<Organization | undefined> {
  return await one(db, `select ${selected} from organizations t where t.is_operator`, []);
}

export async function lockOrganization(tx: Tx, id: string): Promise<Organization | undefined> {
  return await one(tx, `select ${selected} from organizations t where t.id = $1 for update`, [id]);
}

export async function insertOrganization(
  tx: Tx,
  { id, name, isOperator, at }: { id: string; name: string; isOperator: boolean; at: Date },
): Promise<Organization> {
  const text = `insert into organizations as t (id, name, is_operator, created_at, updated_at) values ($1, $2, $3, $4, $4)
    returning ${selected}`;
  return (await one(tx, text, [id, name, isOperator, at]))!;
}

export async function updateOrganization(
  tx: Tx,
  { id, name, outboundHosts }: Pick<Organization, "id" | "name" | "outboundHosts">,
  at: Date,
): Promise<Organization> {
  const text = `update organizations t set name = $2, outbound_hosts = $3, updated_at = $4, version = version + 1
    where t.id = $1 returning ${selected}`;
  return (await one(tx, text, [id, name, outboundHosts, at]))!;
}

async function one(db: Queryable, text: string, values: unknown[]): Promise<Organization | undefined> {
  const [row] = await db.query<Stored<Organization>>(text, values);
  return row && fromRow(row);
}
