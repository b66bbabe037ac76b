import { defineRoute } from "../../route.ts";
import * as shapes from "../exceptions/exceptions.schemas.ts";
import { resolveException, resolveMatching } from "./exception-fixes.ts";

export const exceptionFixRoutes = [
  defineRoute("POST /exceptions/resolve", {
    name: "exceptions.resolveMany",
    scope: "exceptions:write",
    summary: "Resolve exceptions in bulk",
    description:
      `Takes the same action on all open exceptions that match a filter, up to ${shapes.maxResolvedAtOnce} per request. ` +
      "Each is resolved on its own: one that fails stays open with the reason. The scope of each action is required too.",
    body: shapes.ResolveManyRequest,
    answer: [200, shapes.ResolveManyResponse],
    handle: (ctx, { body }) => resolveMatching(ctx, body),
  }),
  defineRoute("POST /exceptions/:id/resolve", {
    name: "exceptions.resolve",
    scope: "exceptions:write",
    summary: "Resolve or dismiss an exception",
    description: "Takes one of the exception's `availableActions`.",
    ids: { id: "exception" },
    body: shapes.ResolveRequest,
    answer: [200, shapes.ResolveResponse],
    failures: [409, 502],
    handle: (ctx, { params, body }) => resolveException(ctx, params.id, body),
  }),
];
