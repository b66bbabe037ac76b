import { defineRoute } from "../../route.ts";
import * as shapes from "../exceptions/exceptions.schemas.ts";
import { fixException, fixMatching } from "./exception-fixes.ts";

export const exceptionFixRoutes = [
  defineRoute("POST /exceptions/resolve", {
    name: "exceptions.matching.resolve",
    scope: "exceptions:write",
    summary: `Do the same about all open exceptions that meet a filter, up to ${shapes.maxFixedAtOnce} a time`,
    description:
      "Each alone: one that cannot be put right stays open and says why. It takes the scope of each fix besides.",
    body: shapes.FixManyRequest,
    answer: [200, shapes.FixManyAnswer],
    handle: (ctx, { body }) => fixMatching(ctx, body),
  }),
  defineRoute("POST /exceptions/:id/resolve", {
    name: "exceptions.resolve",
    scope: "exceptions:write",
    summary: "Put right what went wrong, by one of the fixes that the exception names, or dismiss it",
    description:
      "It takes the scope of the fix besides. What is asked of another system goes on after the answer (`started`): the " +
      "exception is resolved when that succeeds, and stays open when it does not.",
    ids: { id: "exception" },
    body: shapes.FixRequest,
    answer: [200, shapes.FixAnswer],
    failures: [409, 502],
    handle: (ctx, { params, body }) => fixException(ctx, params.id, body),
  }),
];
