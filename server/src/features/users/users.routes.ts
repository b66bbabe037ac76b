import { crudRoutes } from "../../crud-routes.ts";
import { PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./users.schemas.ts";
import { TotpDisabled } from "./totp.schemas.ts";
import { sessionRoutes } from "./sessions.routes.ts";
import * as users from "./users.ts";

export const userRoutes = [
  ...crudRoutes("/users", {
    name: "users",
    kind: "user",
    nouns: ["a user", "users"],
    read: "admin",
    write: "admin",
    record: shapes.User,
    list: { query: shapes.UserQuery, handle: users.listUsers },
    create: {
      description: "A user without a password signs in through the identity provider.",
      body: shapes.UserRequest,
      stepUp: "if required",
      failures: [409],
      handle: users.createUser,
    },
    get: { handle: users.getUser },
    update: {
      description:
        "The user's API keys lose the scopes that the user loses. Rotate keys you need first, which makes you their creator.",
      body: shapes.UserPatch,
      stepUp: "if required",
      answer: shapes.ChangedUser,
      handle: users.updateUser,
    },
    delete: {
      description: "Also deletes the user's API keys. Rotate keys you need first, which makes you their creator.",
      stepUp: "if required",
      answer: shapes.DeletedUser,
      failures: [409, 412],
      handle: users.deleteUser,
    },
  }),
  defineRoute("DELETE /users/:id/totp", {
    name: "users.totp.delete",
    scope: "admin",
    summary: "Turn off two-factor sign-in for a user",
    ids: { id: "user" },
    stepUp: "if required",
    answer: [200, TotpDisabled],
    failures: [409],
    handle: (ctx, { params }) => users.resetTotp(ctx, params.id),
  }),
  defineRoute("GET /people", {
    name: "people.list",
    scope: "orders:read",
    summary: "List colleagues by name",
    description:
      "Names and e-mail addresses of the users of the organization, to assign orders and exceptions to them.",
    query: shapes.PeopleQuery,
    answer: [200, PageOf(shapes.Person)],
    handle: (ctx, { query }) => users.listPeople(ctx, query),
  }),
  ...sessionRoutes,
];
