import { HubError } from "../../core/errors.ts";
import { hashLinkToken, linkTo, newLinkToken, unknownLink } from "../../core/link-token.ts";
import type { Page } from "../../core/page.ts";
import { scopesNotHeld, scopesOfRole } from "../../core/scopes.ts";
import { callerKey } from "../../core/actor.ts";
import type { Ctx, World } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { refuseDuplicate } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { canMailLinks, queueMails } from "../mails/mails.ts";
import { findOrganizationName, findScopesOfOwners, requireHeldRole } from "../users/users.ts";
import type { Invitation, InvitationQuery, InvitationRequest, InvitationWithLink } from "./invitations.schemas.ts";
import type { FoundInvitation } from "./invitations.store.ts";
import * as store from "./invitations.store.ts";

const dayMs = 86_400_000;
const validMs = 7 * dayMs;
/** Kept for some time, so that a late click is told why the link does not work. */
const keptMs = 30 * dayMs;

export async function listInvitations(ctx: Ctx, query: InvitationQuery): Promise<Page<Invitation>> {
  return await store.listInvitations(ctx.db, ctx.orgId, query);
}

export async function getInvitation(ctx: Ctx, id: string): Promise<Invitation> {
  return await store.getInvitation(ctx.db, ctx.orgId, id);
}

export async function createInvitation(ctx: Ctx, request: InvitationRequest): Promise<InvitationWithLink> {
  const { email, role } = request;
  requireHeldRole(ctx, role, "/role");
  return await change(ctx, async (tx) => {
    if (await store.hasUser(tx, ctx.orgId, email)) {
      throw new HubError("email_taken", "Another user of the organization has this email address.");
    }
    await store.revokeExpired(tx, ctx.orgId, email);
    const link = newLink(ctx);
    const invitation: Invitation = {
      id: ctx.newId(),
      email,
      name: request.name ?? null,
      role,
      status: "open",
      createdBy: ctx.actor,
      createdAt: link.at.toISOString(),
      expiresAt: link.expiresAt.toISOString(),
      emailedAt: link.emailedAt?.toISOString() ?? null,
    };
    await refuseDuplicate(
      store.insertInvitation(tx, ctx.orgId, { ...invitation, tokenHash: link.tokenHash }),
      "invitations_open_key",
      () =>
        new HubError("invitation_exists", "An invitation for this address is open. Send it again, or revoke it first."),
    );
    recordEvent(tx, ctx, { type: "invitation.created", objectId: invitation.id, data: { role } });
    return await withLink(tx, ctx, invitation, link);
  });
}

/** A new link, valid for seven days; the one before stops working. */
export async function resendInvitation(ctx: Ctx, id: string): Promise<InvitationWithLink> {
  return await change(ctx, async (tx) => {
    const invitation = await store.lockInvitation(tx, ctx.orgId, id);
    requireUnanswered(invitation);
    requireHeldRole(ctx, invitation.role, "");
    const link = newLink(ctx);
    await store.replaceLink(tx, ctx.orgId, id, { ...link, by: ctx.actor });
    const { role } = invitation;
    recordEvent(tx, ctx, { type: "invitation.resent", objectId: id, data: { role } });
    return await withLink(tx, ctx, await store.getInvitation(tx, ctx.orgId, id), link);
  });
}

export async function revokeInvitation(ctx: Ctx, id: string): Promise<Invitation> {
  return await change(ctx, async (tx) => {
    const invitation = await store.lockInvitation(tx, ctx.orgId, id);
    requireUnanswered(invitation);
    await store.markRevoked(tx, ctx.orgId, id);
    const { role } = invitation;
    recordEvent(tx, ctx, { type: "invitation.revoked", objectId: id, data: { role } });
    return { ...invitation, status: "revoked" as const };
  });
}

function requireUnanswered({ status }: Invitation): void {
  if (status === "open" || status === "expired") return;
  throw new HubError("invalid_state", `The invitation was ${status}.`);
}

type NewLink = { token: string; tokenHash: Buffer; at: Date; expiresAt: Date; emailedAt: Date | null };

function newLink(ctx: Ctx): NewLink {
  const at = ctx.clock.real();
  const emailedAt = canMailLinks(ctx) ? at : null;
  return { ...newLinkToken(), at, expiresAt: new Date(at.getTime() + validMs), emailedAt };
}

async function withLink(tx: Tx, ctx: Ctx, invitation: Invitation, link: NewLink): Promise<InvitationWithLink> {
  const url = linkTo(ctx.settings.publicUrls, "/invitation", link.token);
  if (link.emailedAt) {
    const organization = await findOrganizationName(tx, ctx.orgId);
    const text =
      `You are invited to ${organization} on Order Operations Hub.\n\n` +
      `Open this link to choose your name and password:\n${url}\n\n` +
      "The link works once and expires in 7 days. If you did not expect this invitation, ignore this e-mail.\n";
    const subject = `Invitation to ${organization}`;
    await queueMails(tx, ctx, [{ orgId: ctx.orgId, to: invitation.email, subject, text }]);
  }
  return { ...invitation, url };
}

/** The invitation behind a link, or why the link does not work. */
export async function findUsableInvitation(ctx: World, token: string): Promise<FoundInvitation> {
  return await requireUsable(ctx, await store.findByTokenAcrossOrgs(ctx.db, hashLinkToken(token)));
}

/** Uses up the link. Of two requests with the same link, the second waits and finds it used. */
export async function takeInvitation(tx: Tx, ctx: World, token: string): Promise<FoundInvitation> {
  const found = await store.findByTokenAcrossOrgs(tx, hashLinkToken(token), "for update of t");
  const invitation = await requireUsable(ctx, found, tx);
  await store.markAccepted(tx, invitation.id);
  return invitation;
}

const refusals = {
  accepted: ["link_used", "The invitation was already accepted. Sign in instead."],
  expired: ["link_expired", "The invitation has expired. Ask an administrator for a new one."],
  revoked: ["link_revoked", "The invitation was revoked. Ask an administrator for a new one."],
} as const;

async function requireUsable(
  ctx: World,
  invitation: FoundInvitation | undefined,
  db: Tx | World["db"] = ctx.db,
): Promise<FoundInvitation> {
  if (!invitation) throw unknownLink();
  const { status, orgId, createdBy, role } = invitation;
  if (status !== "open") {
    const [code, message] = refusals[status];
    throw new HubError(code, message);
  }
  // An inviter who was disabled or has lost the role can no longer hand it out.
  const held = await findScopesOfOwners(db, [{ orgId, actor: createdBy }], ctx.clock.real());
  const missing = scopesNotHeld(held.get(callerKey(createdBy)) ?? new Set(), scopesOfRole(role, false));
  if (missing.length > 0) throw new HubError(refusals.revoked[0], refusals.revoked[1]);
  return invitation;
}

export async function removeOldInvitations({ db, clock }: World): Promise<void> {
  await store.deleteOldAcrossOrgs(db, new Date(clock.real().getTime() - keptMs));
}
