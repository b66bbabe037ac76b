import { PageOf } from "../../core/schema.ts";
import { defineRoute } from "../../route.ts";
import * as shapes from "./invitations.schemas.ts";
import * as invitations from "./invitations.ts";

const ids = { id: "invitation" } as const;

export const invitationRoutes = [
  defineRoute("GET /invitations", {
    name: "invitations.list",
    scope: "admin",
    summary: "List invitations",
    query: shapes.InvitationQuery,
    answer: [200, PageOf(shapes.Invitation)],
    handle: (ctx, { query }) => invitations.listInvitations(ctx, query),
  }),
  defineRoute("POST /invitations", {
    name: "invitations.create",
    scope: "admin",
    summary: "Invite a user",
    description:
      "The response contains a link that works once, for 7 days. It is also sent by e-mail if the hub has a mail server.",
    body: shapes.InvitationRequest,
    stepUp: "if required",
    answer: [201, shapes.InvitationWithLink],
    failures: [409],
    idempotency: "sealed",
    handle: (ctx, { body }) => invitations.createInvitation(ctx, body),
  }),
  defineRoute("GET /invitations/:id", {
    name: "invitations.get",
    scope: "admin",
    summary: "Get an invitation",
    ids,
    answer: [200, shapes.Invitation],
    handle: (ctx, { params }) => invitations.getInvitation(ctx, params.id),
  }),
  defineRoute("POST /invitations/:id/resend", {
    name: "invitations.resend",
    scope: "admin",
    summary: "Send an invitation again",
    description: "Creates a new link. The link sent before stops working.",
    ids,
    stepUp: "if required",
    answer: [200, shapes.InvitationWithLink],
    failures: [409],
    idempotency: "sealed",
    handle: (ctx, { params }) => invitations.resendInvitation(ctx, params.id),
  }),
  defineRoute("POST /invitations/:id/revoke", {
    name: "invitations.revoke",
    scope: "admin",
    summary: "Revoke an invitation",
    ids,
    stepUp: "if required",
    answer: [200, shapes.Invitation],
    failures: [409],
    handle: (ctx, { params }) => invitations.revokeInvitation(ctx, params.id),
  }),
];
