import type { Page, PageRequest } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Stored } from "../../db/columns.ts";
import { defineColumns, moment } from "../../db/columns.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { listPage } from "../../db/list-page.ts";
import type { Organization } from "./organizations.schemas.ts";

const { selected, fromRow } = defineColumns<Organization>("t", {
  name: "text",
  isHubOperator: { name: "is_operator", type: "boolean" },
  timezone: { name: "time_zone", type: "text" },
  workingDays: "text[]",
  holidays: "text[]",
  cutoffTime: "text",
  outboundHosts: "text[]",
  emailDomains: {
    type: "text[]",
    selected: "array(select owned.domain from organization_domains owned where owned.org_id = t.id order by 1)",
  },
  requiresTotp: "boolean",
  requiresStepUp: "boolean",
  createdAt: moment,
  updatedAt: moment,
  version: "integer",
});

/** All organizations if `visibleTo` is undefined, for hub operators. */
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
  { id, name, isHubOperator, at }: { id: string; name: string; isHubOperator: boolean; at: Date },
): Promise<Organization> {
  const text = `insert into organizations as t (id, name, is_operator, created_at, updated_at) values ($1, $2, $3, $4, $4)
    returning ${selected}`;
  return (await one(tx, text, [id, name, isHubOperator, at]))!;
}

export async function updateOrganization(tx: Tx, organization: Organization, at: Date): Promise<Organization> {
  const text = `
    update organizations t
       set name = $2, updated_at = $3, version = version + 1, requires_totp = $4, requires_step_up = $5,
           outbound_hosts = $6, time_zone = $7, working_days = $8, holidays = $9, cutoff_time = $10
     where t.id = $1
     returning ${selected}`;
  const { id, name, timezone, outboundHosts, requiresTotp, requiresStepUp } = organization;
  const { workingDays, holidays, cutoffTime } = organization;
  const values = [id, name, at, requiresTotp, requiresStepUp, outboundHosts, timezone];
  return (await one(tx, text, [...values, workingDays, holidays, cutoffTime]))!;
}

export async function setEmailDomains(tx: Tx, id: string, domains: readonly string[]): Promise<void> {
  await tx.query("delete from organization_domains where org_id = $1 and not domain = any($2)", [id, domains]);
  await tx.query(
    `insert into organization_domains (domain, org_id)
     select given.domain, $1
       from unnest($2::text[]) as given (domain)
      where not exists (select from organization_domains owned where owned.org_id = $1 and owned.domain = given.domain)`,
    [id, domains],
  );
}

async function one(db: Queryable, text: string, values: unknown[]): Promise<Organization | undefined> {
  const [row] = await db.query<Stored<Organization>>(text, values);
  return row && fromRow(row);
}
