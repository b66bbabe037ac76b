import { PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./organizations.schemas.ts";
import * as organizations from "./organizations.ts";

const ids = { id: "organization" } as const;

export const organizationRoutes = [
  defineRoute("GET /organizations", {
    name: "organizations.list",
    scope: "any",
    summary: "List organizations",
    description: "The caller's own organization, or all of them for hub operators.",
    query: shapes.OrganizationQuery,
    answer: [200, PageOf(shapes.Organization)],
    handle: (ctx, { query }) => organizations.listOrganizations(ctx, query),
  }),
  defineRoute("POST /organizations", {
    name: "organizations.create",
    scope: "organizations:write",
    summary: "Create an organization with its first administrator",
    body: shapes.OrganizationRequest,
    stepUp: "if required",
    answer: [201, shapes.Organization],
    failures: [409],
    handle: (ctx, { body }) => organizations.createOrganization(ctx, body),
  }),
  defineRoute("GET /organizations/:id", {
    name: "organizations.get",
    scope: "any",
    summary: "Get an organization",
    ids,
    answer: [200, shapes.Organization],
    handle: (ctx, { params }) => organizations.getOrganization(ctx, params.id),
  }),
  defineRoute("PATCH /organizations/:id", {
    name: "organizations.update",
    scope: "admin",
    summary: "Update an organization",
    ids,
    body: shapes.OrganizationPatch,
    stepUp: "if required",
    answer: [200, shapes.Organization],
    failures: [409, 412],
    handle: (ctx, { params, body, ifMatch }) => organizations.updateOrganization(ctx, params.id, body, ifMatch),
  }),
];
