import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { WithCookies } from "../../route.ts";
import { recordEvent } from "../../events/record-event.ts";
import { findUsableInvitation, takeInvitation } from "../invitations/invitations.ts";
import { addUser, hashNewPassword, markSignedIn } from "../users/users.ts";
import type { AcceptRequest } from "./links.schemas.ts";
import type { ClientInfo } from "./start-session.ts";
import { newSessionCookie, sessionResponse, startSession } from "./start-session.ts";

export async function checkInvitation(ctx: Ctx, token: string) {
  const { email, name, role, organization, expiresAt } = await findUsableInvitation(ctx, token);
  return { email, name, role, organization, expiresAt: expiresAt.toISOString() };
}

/** Creates the user with the role of the invitation, and signs them in. */
export async function acceptInvitation(ctx: Ctx, { token, name, password }: AcceptRequest, client: ClientInfo) {
  const { orgId, email } = await findUsableInvitation(ctx, token);
  const own: Ctx = { ...ctx, orgId, actor: { type: "system", name: "invitation" } };
  const passwordHash = await hashNewPassword(own, password, email);
  const { cookie, cookieHash } = newSessionCookie();
  const answer = await change(ctx, async (tx) => {
    const { id: invitationId, role } = await takeInvitation(tx, ctx, token);
    const user = await addUser(tx, own, { email, name, role, passwordHash });
    const data = { role, userId: user.id };
    recordEvent(tx, own, { type: "invitation.accepted", objectId: invitationId, data });
    await markSignedIn(tx, user.id, ctx.clock.real());
    const { expiresAt } = await startSession(tx, ctx, { id: user.id, orgId, email }, client, { cookieHash });
    return sessionResponse({ id: user.id, orgId }, expiresAt);
  });
  return new WithCookies(answer, { session: cookie });
}
