import { PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./exceptions.schemas.ts";
import * as exceptions from "./exceptions.ts";

export const exceptionRoutes = [
  defineRoute("GET /exceptions", {
    name: "exceptions.list",
    scope: "exceptions:read",
    summary: "List exceptions",
    description: "Open exceptions unless `status` says otherwise, newest first.",
    query: shapes.ExceptionQuery,
    answer: [200, PageOf(shapes.ExceptionSummary)],
    handle: (ctx, { query }) => exceptions.listExceptions(ctx, query),
  }),
  defineRoute("GET /exceptions/counts", {
    name: "exceptions.count",
    scope: "exceptions:read",
    summary: "Count exceptions by kind, code and bridge",
    query: shapes.CountsQuery,
    answer: [200, shapes.ExceptionCounts],
    handle: (ctx, { query }) => exceptions.countExceptions(ctx, query),
  }),
  defineRoute("GET /exceptions/:id", {
    name: "exceptions.get",
    scope: "exceptions:read",
    summary: "Get an exception with its record",
    ids: { id: "exception" },
    answer: [200, shapes.Exception],
    handle: (ctx, { params }) => exceptions.getException(ctx, params.id),
  }),
];
