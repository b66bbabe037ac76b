import type { Page, PageRequest } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { Organization } from "./organizations.schemas.ts";

type OrganizationRow = {
  id: string;
  name: string;
  is_operator: boolean;
  version: number;
  created_at: Date;
  updated_at: Date;
};

/** `visibleTo` undefined: every organization, for the operators of the hub. */
export async function listOrganizations(
  db: Queryable,
  visibleTo: string | undefined,
  query: PageRequest,
): Promise<Page<Organization>> {
  const page = await listPage<OrganizationRow>(db, query, {
    select: "*",
    from: "organizations",
    where: [["id = ?", visibleTo]],
    orderBy: "created_at desc, id desc",
  });
  return mapPage(page, present);
}

export async function findOrganization(db: Queryable, id: string): Promise<Organization | undefined> {
  const [row] = await db.query<OrganizationRow>("select * from organizations where id = $1", [id]);
  return row && present(row);
}

export async function findOperatorOrganization(db: Queryable): Promise<Organization | undefined> {
  const [row] = await db.query<OrganizationRow>("select * from organizations where is_operator");
  return row && present(row);
}

export async function insertOrganization(
  tx: Tx,
  organization: { id: string; name: string; isOperator: boolean; at: Date },
): Promise<Organization> {
  const [row] = await tx.query<OrganizationRow>(
    `insert into organizations (id, name, is_operator, created_at, updated_at) values ($1, $2, $3, $4, $4) returning *`,
    [organization.id, organization.name, organization.isOperator, organization.at],
  );
  return present(row!);
}

export async function lockOrganization(tx: Tx, id: string): Promise<Organization | undefined> {
  const [row] = await tx.query<OrganizationRow>("select * from organizations where id = $1 for update", [id]);
  return row && present(row);
}

export async function renameOrganization(tx: Tx, id: string, name: string, at: Date): Promise<Organization> {
  const [row] = await tx.query<OrganizationRow>(
    "update organizations set name = $2, updated_at = $3, version = version + 1 where id = $1 returning *",
    [id, name, at],
  );
  return present(row!);
}

function present(row: OrganizationRow): Organization {
  return {
    id: row.id,
    name: row.name,
    isOperator: row.is_operator,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    version: row.version,
  };
}
