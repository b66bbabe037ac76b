import { Deleted, PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./sessions.schemas.ts";
import * as sessions from "./sessions.ts";

export const sessionRoutes = [
  defineRoute("GET /sessions", {
    name: "sessions.list",
    scope: "any",
    beforeEnrollment: true,
    summary: "List active sessions",
    description: "Your own sessions, or with `userId` those of another user (administrators only).",
    query: shapes.SessionQuery,
    answer: [200, PageOf(shapes.Session)],
    failures: [403],
    handle: (ctx, { query }) => sessions.listSessions(ctx, query),
  }),
  defineRoute("DELETE /sessions/:id", {
    name: "sessions.delete",
    scope: "any",
    beforeEnrollment: true,
    summary: "Revoke a session",
    description: "Users can revoke their own sessions, administrators any session of the organization.",
    ids: { id: "session" },
    answer: [200, Deleted],
    handle: (ctx, { params }) => sessions.revokeSession(ctx, params.id),
  }),
  defineRoute("POST /sessions/revoke-others", {
    name: "sessions.revokeOthers",
    scope: "any",
    beforeEnrollment: true,
    summary: "Revoke all your other sessions",
    answer: [200, shapes.SessionsRevoked],
    handle: (ctx) => sessions.revokeOtherSessions(ctx),
  }),
  defineRoute("POST /users/:id/revoke-sessions", {
    name: "users.sessions.revoke",
    scope: "admin",
    summary: "Revoke all sessions of a user",
    ids: { id: "user" },
    stepUp: "if required",
    answer: [200, shapes.SessionsRevoked],
    handle: (ctx, { params }) => sessions.revokeSessionsOfUser(ctx, params.id),
  }),
];
