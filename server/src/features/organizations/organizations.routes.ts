import { crudRoutes } from "../../crud-routes.ts";
import * as shapes from "./organizations.schemas.ts";
import * as organizations from "./organizations.ts";

export const organizationRoutes = crudRoutes("/organizations", {
  name: "organizations",
  kind: "organization",
  nouns: ["an organization", "organizations"],
  read: "any",
  write: "admin",
  record: shapes.Organization,
  list: {
    description: "The caller's own organization, or all of them for hub operators.",
    query: shapes.OrganizationQuery,
    handle: organizations.listOrganizations,
  },
  create: {
    scope: "organizations:write",
    summary: "Create an organization with its first administrator",
    body: shapes.OrganizationRequest,
    stepUp: "if required",
    failures: [409],
    handle: organizations.createOrganization,
  },
  get: { handle: organizations.getOrganization },
  update: { body: shapes.OrganizationPatch, stepUp: "if required", handle: organizations.updateOrganization },
});
