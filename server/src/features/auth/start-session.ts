import { randomBytes } from "node:crypto";
import { networkOf } from "../../core/network-of.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { hashCookie } from "../users/live-sessions.ts";
import * as sessions from "../users/sessions.store.ts";

export const sessionMs = 30 * 24 * 3_600_000;

/** Where somebody signs in from. */
export type Visitor = { address: string; userAgent: string };

type Person = { id: string; orgId: string; email: string };
type Marks = Pick<sessions.NewSession, "cookieHash" | "atIssuer">;

/** Of somebody of whom it is known by now who they are. */
export async function startSession(tx: Tx, ctx: Ctx, user: Person, visitor: Visitor, marks: Marks) {
  const at = ctx.clock.real();
  const own = actingAs(ctx, user);
  recordEvent(tx, own, { type: "session.started", objectId: user.id });
  const [sessionId, expiresAt] = [ctx.newId(), new Date(at.getTime() + sessionMs)];
  await sessions.insertSession(tx, {
    id: sessionId,
    orgId: user.orgId,
    userId: user.id,
    ...visitor,
    network: networkOf(visitor.address),
    at,
    expiresAt,
    ...marks,
  });
  return { own, sessionId, expiresAt };
}

/** For a session that its browser shows by a cookie, which no script can read. */
export function newSessionCookie() {
  const value = randomBytes(32).toString("base64url");
  return { cookie: { value, maxAgeSeconds: sessionMs / 1000 }, cookieHash: hashCookie(value) };
}

export function sessionAnswer({ id, orgId }: Pick<Person, "id" | "orgId">, expiresAt: Date) {
  return { userId: id, organizationId: orgId, expiresAt: expiresAt.toISOString() };
}

export function actingAs(ctx: Ctx, { id, orgId, email }: Person): Ctx {
  return { ...ctx, orgId, actor: { type: "user", id, email } };
}
