import { Type } from "../../core/type.ts";
import { defineRoute } from "../../route.ts";
import { Me, PasswordChange } from "../users/users.schemas.ts";
import * as shapes from "./auth.schemas.ts";
import * as auth from "./auth.ts";

export const authRoutes = [
  defineRoute("POST /auth/token", {
    scope: "public",
    summary: "Sign in with e-mail and password",
    body: shapes.SignInRequest,
    answer: [200, shapes.TokenAnswer],
    failures: [401],
    idempotency: "none",
    handle: (ctx, { body, address, userAgent }) => auth.signIn(ctx, body, { address, userAgent }),
  }),
  defineRoute("POST /auth/refresh", {
    scope: "public",
    summary: "Exchange a refresh token for new tokens; each works once",
    body: shapes.RefreshRequest,
    answer: [200, shapes.TokenAnswer],
    failures: [401],
    idempotency: "none",
    handle: (ctx, { body }) => auth.refresh(ctx, body.refreshToken),
  }),
  defineRoute("POST /auth/sign-out", {
    scope: "public",
    summary: "End the session of a refresh token",
    body: shapes.RefreshRequest,
    answer: [200, shapes.SignedOut],
    idempotency: "none",
    handle: (ctx, { body }) => auth.signOut(ctx, body.refreshToken),
  }),
  defineRoute("GET /me", {
    scope: "any",
    summary: "Who am I, and what may I do",
    answer: [200, Me],
    handle: (ctx) => auth.describeCaller(ctx),
  }),
  defineRoute("POST /me/password", {
    scope: "any",
    summary: "Change the own password; ends all sessions",
    body: PasswordChange,
    answer: [200, Type.Object({ changed: Type.Literal(true) })],
    handle: (ctx, { body, address }) => auth.changeOwnPassword(ctx, body, address),
  }),
];
