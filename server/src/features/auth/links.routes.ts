import { Type } from "../../core/type.ts";
import { defineRoute } from "../../route.ts";
import { acceptInvitation, checkInvitation } from "./accept-invitation.ts";
import { SessionStarted } from "./auth.schemas.ts";
import * as shapes from "./links.schemas.ts";
import * as resets from "./password-reset.ts";

/** Links that work without a session: invitations and new passwords. */
export const linkRoutes = [
  defineRoute("POST /auth/invitation/check", {
    name: "auth.invitation.check",
    scope: "public",
    summary: "Check an invitation link",
    body: shapes.LinkToken,
    isReadOnly: true,
    answer: [200, shapes.InvitedTo],
    failures: [404, 410],
    idempotency: "none",
    handle: (ctx, { body }) => checkInvitation(ctx, body.token),
  }),
  defineRoute("POST /auth/invitation/accept", {
    name: "auth.invitation.accept",
    scope: "public",
    summary: "Accept an invitation",
    description: "Creates the user and sets the session cookie.",
    body: shapes.AcceptRequest,
    setsCookie: true,
    answer: [201, SessionStarted],
    failures: [404, 409, 410],
    idempotency: "none",
    handle: (ctx, { body, address, userAgent }) => acceptInvitation(ctx, body, { address, userAgent }),
  }),
  defineRoute("POST /auth/password-reset", {
    name: "auth.passwordReset.create",
    scope: "public",
    summary: "Request a link to choose a new password",
    description:
      "The link is sent by e-mail if the address has an account with a password. The response is the same for every address.",
    body: shapes.ResetRequest,
    answer: [202, shapes.ResetRequested],
    failures: [409],
    idempotency: "none",
    handle: (ctx, { body, address }) => resets.requestPasswordReset(ctx, body.email, address),
  }),
  defineRoute("POST /auth/password-reset/check", {
    name: "auth.passwordReset.check",
    scope: "public",
    summary: "Check a password link",
    body: shapes.LinkToken,
    isReadOnly: true,
    answer: [200, shapes.ResetOf],
    failures: [404, 410],
    idempotency: "none",
    handle: (ctx, { body }) => resets.checkResetLink(ctx, body.token),
  }),
  defineRoute("POST /auth/password-reset/confirm", {
    name: "auth.passwordReset.confirm",
    scope: "public",
    summary: "Choose a new password",
    description: "Ends all sessions of the user. The next sign-in asks for the authenticator code, as before.",
    body: shapes.ResetConfirmation,
    answer: [200, Type.Object({ changed: Type.Literal(true) })],
    failures: [404, 410],
    idempotency: "none",
    handle: (ctx, { body }) => resets.confirmPasswordReset(ctx, body),
  }),
  defineRoute("POST /users/:id/password-reset", {
    name: "users.passwordReset.create",
    scope: "admin",
    summary: "Create a link with which a user chooses a new password",
    description: "Hand it over yourself. It works once, for 24 hours.",
    ids: { id: "user" },
    stepUp: "if required",
    answer: [201, shapes.ResetLink],
    failures: [409],
    idempotency: "sealed",
    handle: (ctx, { params }) => resets.createResetLink(ctx, params.id),
  }),
];
