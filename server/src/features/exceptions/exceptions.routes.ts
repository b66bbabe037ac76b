import { Deleted, PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./exceptions.schemas.ts";
import * as discussion from "./exception-discussion.ts";
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
  defineRoute("PUT /exceptions/:id/assignee", {
    name: "exceptions.assignee.replace",
    scope: "exceptions:write",
    summary: "Assign an exception",
    ids: { id: "exception" },
    body: shapes.AssigneeRequest,
    answer: [200, shapes.Exception],
    handle: (ctx, { params, body }) => discussion.assignException(ctx, params.id, body),
  }),
  defineRoute("GET /exceptions/:id/comments", {
    name: "exceptions.comments.list",
    scope: "exceptions:read",
    summary: "List comments on an exception",
    description: "Oldest first. Comments are free text and not masked: keep personal data out of them.",
    ids: { id: "exception" },
    query: shapes.CommentQuery,
    answer: [200, PageOf(shapes.Comment)],
    handle: (ctx, { params, query }) => discussion.listComments(ctx, params.id, query),
  }),
  defineRoute("POST /exceptions/:id/comments", {
    name: "exceptions.comments.create",
    scope: "exceptions:write",
    summary: "Comment on an exception",
    ids: { id: "exception" },
    body: shapes.CommentRequest,
    answer: [201, shapes.Comment],
    handle: (ctx, { params, body }) => discussion.addComment(ctx, params.id, body),
  }),
  defineRoute("DELETE /exceptions/:id/comments/:commentId", {
    name: "exceptions.comments.delete",
    scope: "exceptions:write",
    summary: "Delete a comment",
    description: "Your own comments; administrators delete any.",
    ids: { id: "exception", commentId: "comment" },
    answer: [200, Deleted],
    handle: (ctx, { params }) => discussion.deleteComment(ctx, params.id, params.commentId),
  }),
];
