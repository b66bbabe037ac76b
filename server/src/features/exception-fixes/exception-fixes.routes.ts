import { defineRoute } from "../../route.ts";
import * as shapes from "../exceptions/exceptions.schemas.ts";
import { fixException, fixMatching } from "./exception-fixes.ts";

export const exceptionFixRoutes = [
  defineRoute("POST /exceptions/resolve", {
    name: "exceptions.resolveMany",
    scope: "exceptions:write",
    summary: `Do the same about all open exceptions that meet a filter, up to ${shapes.maxResolvedAtOnce} a time`,
    description:
      "Each alone: one that cannot be put right stays open and says why. It takes the scope of each fix besides.",
    body: shapes.ResolveManyRequest,
    answer: [200, shapes.ResolveManyResponse],
    handle: (ctx, { body }) => fixMatching(ctx, body),
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
    handle: (ctx, { params, body }) => fixException(ctx, params.id, body),
  }),
];
