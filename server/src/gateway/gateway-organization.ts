import { badField, HubError } from "../core/errors.ts";
import { isUuid } from "../core/ids.ts";
import { hasScope } from "../core/scopes.ts";
import { notFound } from "../core/resources.ts";
import type { Ctx } from "../context.ts";
import { organizationExists } from "../features/organizations/organizations.ts";

/** The requested organization, else the token's. Undefined: all organizations, for hub operators. */
export async function chooseOrganization(
  ctx: Ctx,
  header: string | undefined,
  query: string | undefined,
): Promise<string | undefined> {
  if (header !== undefined && query !== undefined && header.toLowerCase() !== query.toLowerCase()) {
    throw badField(
      "query/organization_id",
      "contradiction",
      "X-Organization-Id and organization_id name different organizations.",
    );
  }
  const wanted = query ?? header;
  if (wanted !== undefined && !isUuid(wanted)) {
    const pointer = query === undefined ? "header/x-organization-id" : "query/organization_id";
    throw badField(pointer, "format", "An organization id is a UUID.");
  }
  const mayCross = hasScope(ctx.principal.scopes, "gateway:global");
  if (wanted === undefined) return mayCross ? undefined : ctx.orgId;
  const id = wanted.toLowerCase();
  if (id === ctx.orgId) return id;
  if (!mayCross) throw new HubError("organization_mismatch");
  // Zeros for an unknown organization would look like one without shipments.
  if (!(await organizationExists(ctx, id))) throw notFound("organization");
  return id;
}
