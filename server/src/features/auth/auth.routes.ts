import { Type } from "../../core/type.ts";
import { defineRoute } from "../../route.ts";
import { RecoveryCodes, TotpConfirmation, TotpDisabled, TotpSecret, TotpStatus } from "../users/totp.schemas.ts";
import * as totp from "../users/totp.ts";
import { Me, PasswordChange } from "../users/users.schemas.ts";
import * as shapes from "./auth.schemas.ts";
import * as auth from "./auth.ts";
import { stepUp } from "./step-up.ts";

export const authRoutes = [
  defineRoute("POST /auth/token", {
    name: "auth.signIn",
    scope: "public",
    summary: "Sign in with e-mail and password",
    body: shapes.SignInRequest,
    answer: [200, shapes.TokenAnswer],
    failures: [401],
    idempotency: "none",
    handle: (ctx, { body, address, userAgent }) => auth.signIn(ctx, body, { address, userAgent }),
  }),
  defineRoute("POST /auth/refresh", {
    name: "auth.refresh",
    scope: "public",
    summary: "Exchange a refresh token for new tokens; each works once",
    body: shapes.RefreshRequest,
    answer: [200, shapes.TokenAnswer],
    failures: [401],
    idempotency: "none",
    handle: (ctx, { body }) => auth.refresh(ctx, body.refreshToken),
  }),
  defineRoute("POST /auth/sign-out", {
    name: "auth.signOut",
    scope: "public",
    summary: "End the session of a refresh token",
    body: shapes.RefreshRequest,
    answer: [200, shapes.SignedOut],
    idempotency: "none",
    handle: (ctx, { body }) => auth.signOut(ctx, body.refreshToken),
  }),
  defineRoute("POST /auth/step-up", {
    name: "auth.stepUp",
    scope: "any",
    summary: "Show once more who one is: with a code by those who have an app, with the password by others",
    body: shapes.StepUpRequest,
    answer: [200, shapes.SteppedUp],
    failures: [409],
    handle: (ctx, { body, address }) => stepUp(ctx, body, address),
  }),
  defineRoute("GET /me/totp", {
    name: "me.totp.get",
    scope: "any",
    summary: "Whether one is asked for codes of an authenticator app",
    answer: [200, TotpStatus],
    failures: [409],
    handle: (ctx) => totp.getTotpStatus(ctx),
  }),
  defineRoute("POST /me/totp", {
    name: "me.totp.create",
    scope: "any",
    summary: "Get a secret for an authenticator app; it counts when a code of it is confirmed",
    stepUp: "always",
    answer: [201, TotpSecret],
    failures: [409],
    idempotency: "sealed",
    handle: (ctx) => totp.beginTotp(ctx),
  }),
  defineRoute("POST /me/totp/confirm", {
    name: "me.totp.confirm",
    scope: "any",
    summary: "Show a first code of the app: from now on one is asked for codes",
    body: TotpConfirmation,
    stepUp: "always",
    answer: [200, RecoveryCodes],
    failures: [409],
    idempotency: "sealed",
    handle: (ctx, { body }) => totp.confirmTotp(ctx, body),
  }),
  defineRoute("POST /me/totp/recovery-codes", {
    name: "me.totp.recoveryCodes.create",
    scope: "any",
    summary: "Get new recovery codes; the old ones are worth nothing then",
    stepUp: "always",
    answer: [200, RecoveryCodes],
    failures: [409],
    idempotency: "sealed",
    handle: (ctx) => totp.replaceRecoveryCodes(ctx),
  }),
  defineRoute("DELETE /me/totp", {
    name: "me.totp.delete",
    scope: "any",
    summary: "Be asked for no codes any more",
    stepUp: "always",
    answer: [200, TotpDisabled],
    failures: [409],
    handle: (ctx) => totp.disableOwnTotp(ctx),
  }),
  defineRoute("GET /me", {
    name: "me.get",
    scope: "any",
    summary: "Who am I, and what may I do",
    answer: [200, Me],
    handle: (ctx) => auth.describeCaller(ctx),
  }),
  defineRoute("POST /me/password", {
    name: "me.password.set",
    scope: "any",
    summary: "Change the own password; ends all sessions",
    body: PasswordChange,
    answer: [200, Type.Object({ changed: Type.Literal(true) })],
    handle: (ctx, { body, address }) => auth.changeOwnPassword(ctx, body, address),
  }),
];
