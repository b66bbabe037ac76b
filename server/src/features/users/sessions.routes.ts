import { Deleted, PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./sessions.schemas.ts";
import * as sessions from "./sessions.ts";

export const sessionRoutes = [
  defineRoute("GET /sessions", {
    name: "sessions.list",
    scope: "any",
    beforeEnrolment: true,
    summary: "List the sessions in which one is signed in; administrators may name somebody else",
    query: shapes.SessionQuery,
    answer: [200, PageOf(shapes.Session)],
    failures: [403],
    handle: (ctx, { query }) => sessions.listSessions(ctx, query),
  }),
  defineRoute("DELETE /sessions/:id", {
    name: "sessions.delete",
    scope: "any",
    beforeEnrolment: true,
    summary: "End a session of one's own, or of anybody in the organization for administrators",
    ids: { id: "session" },
    answer: [200, Deleted],
    handle: (ctx, { params }) => sessions.endSession(ctx, params.id),
  }),
  defineRoute("POST /sessions/end-others", {
    name: "sessions.others.end",
    scope: "any",
    beforeEnrolment: true,
    summary: "End all of one's own sessions but this one",
    answer: [200, shapes.SessionsEnded],
    handle: (ctx) => sessions.endOtherSessions(ctx),
  }),
  defineRoute("POST /users/:id/end-sessions", {
    name: "users.sessions.end",
    scope: "admin",
    summary: "End all sessions of a user",
    ids: { id: "user" },
    stepUp: "if wanted",
    answer: [200, shapes.SessionsEnded],
    handle: (ctx, { params }) => sessions.endSessionsOfUser(ctx, params.id),
  }),
];
