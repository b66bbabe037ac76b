import { randomBytes } from "node:crypto";
import { networkOf } from "../../core/network-of.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { hashCookie } from "../users/live-sessions.ts";
import * as sessions from "../users/sessions.store.ts";

export const sessionMs = 30 * 24 * 3_600_000;

/** Client that signs in, as shown in the list of sessions. */
export type ClientInfo = { address: string; userAgent: string };

type SessionUser = { id: string; orgId: string; email: string };
type SessionKind = Pick<sessions.NewSession, "cookieHash" | "identityProvider">;

/** Starts a session for an authenticated user. */
export async function startSession(tx: Tx, ctx: Ctx, user: SessionUser, client: ClientInfo, kind: SessionKind) {
  const at = ctx.clock.real();
  const own = actingAs(ctx, user);
  recordEvent(tx, own, { type: "session.started", objectId: user.id });
  const [sessionId, expiresAt] = [ctx.newId(), new Date(at.getTime() + sessionMs)];
  await sessions.insertSession(tx, {
    id: sessionId,
    orgId: user.orgId,
    userId: user.id,
    ...client,
    network: networkOf(client.address),
    at,
    expiresAt,
    ...kind,
  });
  return { own, sessionId, expiresAt };
}

/** An HttpOnly cookie and the hash stored for it. */
export function newSessionCookie() {
  const value = randomBytes(32).toString("base64url");
  return { cookie: { value, maxAgeSeconds: sessionMs / 1000 }, cookieHash: hashCookie(value) };
}

export function sessionResponse({ id, orgId }: Pick<SessionUser, "id" | "orgId">, expiresAt: Date) {
  return { userId: id, organizationId: orgId, expiresAt: expiresAt.toISOString() };
}

export function actingAs(ctx: Ctx, { id, orgId, email }: SessionUser): Ctx {
  return { ...ctx, orgId, actor: { type: "user", id, email } };
}
