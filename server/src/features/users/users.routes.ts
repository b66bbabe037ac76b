import { PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./users.schemas.ts";
import { TotpDisabled } from "./totp.schemas.ts";
import { sessionRoutes } from "./sessions.routes.ts";
import * as users from "./users.ts";

const ids = { id: "user" } as const;

export const userRoutes = [
  defineRoute("GET /users", {
    name: "users.list",
    scope: "admin",
    summary: "List users",
    query: shapes.UserQuery,
    answer: [200, PageOf(shapes.User)],
    handle: (ctx, { query }) => users.listUsers(ctx, query),
  }),
  defineRoute("POST /users", {
    name: "users.create",
    scope: "admin",
    summary: "Create a user; without a password they sign in through the OIDC issuer",
    body: shapes.UserRequest,
    stepUp: "if wanted",
    answer: [201, shapes.User],
    failures: [409],
    handle: (ctx, { body }) => users.createUser(ctx, body),
  }),
  defineRoute("GET /users/:id", {
    name: "users.get",
    scope: "admin",
    summary: "Read a user",
    ids,
    answer: [200, shapes.User],
    handle: (ctx, { params }) => users.getUser(ctx, params.id),
  }),
  defineRoute("PATCH /users/:id", {
    name: "users.update",
    scope: "admin",
    summary: "Change a user's name, role, status or password",
    ids,
    body: shapes.UserPatch,
    description: "Keys they made keep no scope that they lose. Rotate those you need first: that makes them yours.",
    stepUp: "if wanted",
    answer: [200, shapes.ChangedUser],
    failures: [409, 412],
    handle: (ctx, { params, body, ifMatch }) => users.updateUser(ctx, params.id, body, ifMatch),
  }),
  defineRoute("DELETE /users/:id", {
    name: "users.delete",
    scope: "admin",
    summary: "Delete a user",
    description: "Keys they made end with them. Rotate those you need first: that makes them yours.",
    ids,
    stepUp: "if wanted",
    answer: [200, shapes.DeletedUser],
    failures: [409, 412],
    handle: (ctx, { params, ifMatch }) => users.deleteUser(ctx, params.id, ifMatch),
  }),
  defineRoute("DELETE /users/:id/totp", {
    name: "users.totp.delete",
    scope: "admin",
    summary: "Ask a user for no codes of an app any more, say because it was lost",
    ids,
    stepUp: "if wanted",
    answer: [200, TotpDisabled],
    failures: [409],
    handle: (ctx, { params }) => users.resetTotp(ctx, params.id),
  }),
  ...sessionRoutes,
];
