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
    summary: "Create a user",
    description: "A user without a password signs in through the identity provider.",
    body: shapes.UserRequest,
    stepUp: "if required",
    answer: [201, shapes.User],
    failures: [409],
    handle: (ctx, { body }) => users.createUser(ctx, body),
  }),
  defineRoute("GET /users/:id", {
    name: "users.get",
    scope: "admin",
    summary: "Get a user",
    ids,
    answer: [200, shapes.User],
    handle: (ctx, { params }) => users.getUser(ctx, params.id),
  }),
  defineRoute("PATCH /users/:id", {
    name: "users.update",
    scope: "admin",
    summary: "Update a user",
    ids,
    body: shapes.UserPatch,
    description:
      "The user's API keys lose the scopes that the user loses. Rotate keys you need first, which makes you their creator.",
    stepUp: "if required",
    answer: [200, shapes.ChangedUser],
    failures: [409, 412],
    handle: (ctx, { params, body, ifMatch }) => users.updateUser(ctx, params.id, body, ifMatch),
  }),
  defineRoute("DELETE /users/:id", {
    name: "users.delete",
    scope: "admin",
    summary: "Delete a user",
    description: "Also deletes the user's API keys. Rotate keys you need first, which makes you their creator.",
    ids,
    stepUp: "if required",
    answer: [200, shapes.DeletedUser],
    failures: [409, 412],
    handle: (ctx, { params, ifMatch }) => users.deleteUser(ctx, params.id, ifMatch),
  }),
  defineRoute("DELETE /users/:id/totp", {
    name: "users.totp.delete",
    scope: "admin",
    summary: "Turn off two-factor sign-in for a user",
    ids,
    stepUp: "if required",
    answer: [200, TotpDisabled],
    failures: [409],
    handle: (ctx, { params }) => users.resetTotp(ctx, params.id),
  }),
  ...sessionRoutes,
];
