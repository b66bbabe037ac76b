import type { Ctx, World } from "../context.ts";
import { systemContext } from "../context.ts";
import type { Organization } from "../features/organizations/organizations.schemas.ts";
import { listOrganizations } from "../features/organizations/organizations.ts";

const pageSize = 100;

export async function listAllOrganizations(world: World): Promise<Organization[]> {
  const ctx = systemContext(world, "", "hub");
  const all: Ctx = { ...ctx, principal: { ...ctx.principal, scopes: new Set(["organizations:write"]) } };
  const organizations: Organization[] = [];
  for (let page = 1; ; page++) {
    const { data } = await listOrganizations(all, { page, limit: pageSize });
    organizations.push(...data);
    if (data.length < pageSize) return organizations;
  }
}
