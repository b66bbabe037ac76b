import { Deleted, PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./views.schemas.ts";
import * as views from "./views.ts";

const ids = { id: "view" } as const;

export const viewRoutes = [
  defineRoute("GET /views", {
    name: "views.list",
    scope: "any",
    summary: "List saved views",
    description: "Your own views and those shared with the organization.",
    query: shapes.ViewQuery,
    answer: [200, PageOf(shapes.View)],
    handle: (ctx, { query }) => views.listViews(ctx, query),
  }),
  defineRoute("POST /views", {
    name: "views.create",
    scope: "any",
    summary: "Save a view",
    body: shapes.ViewRequest,
    answer: [201, shapes.View],
    handle: (ctx, { body }) => views.createView(ctx, body),
  }),
  defineRoute("GET /views/:id", {
    name: "views.get",
    scope: "any",
    summary: "Get a saved view",
    ids,
    answer: [200, shapes.View],
    handle: (ctx, { params }) => views.getView(ctx, params.id),
  }),
  defineRoute("PATCH /views/:id", {
    name: "views.update",
    scope: "any",
    summary: "Update a saved view",
    description: "Your own views; administrators can also update shared views.",
    ids,
    body: shapes.ViewPatch,
    answer: [200, shapes.View],
    failures: [409, 412],
    handle: (ctx, { params, body, ifMatch }) => views.updateView(ctx, params.id, body, ifMatch),
  }),
  defineRoute("DELETE /views/:id", {
    name: "views.delete",
    scope: "any",
    summary: "Delete a saved view",
    description: "Your own views; administrators can also delete shared views.",
    ids,
    answer: [200, Deleted],
    failures: [412],
    handle: (ctx, { params, ifMatch }) => views.deleteView(ctx, params.id, ifMatch),
  }),
];
