import { HubError } from "../../core/errors.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { notFound, orNotFound } from "../../core/resources.ts";
import { hasScope } from "../../core/scopes.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { recordEvent } from "../../events/record-event.ts";
import { browserIdleMs } from "./live-sessions.ts";
import type { Session, SessionQuery } from "./sessions.schemas.ts";
import * as store from "./sessions.store.ts";

type Revoked = { revokedCount: number };

/** The caller's own sessions, or those of another user of the organization for administrators. */
export async function listSessions(ctx: Ctx, { userId, ...page }: SessionQuery): Promise<Page<Session>> {
  const own = ownId(ctx);
  if (userId !== undefined && userId !== own && !isAdmin(ctx)) throw new HubError("admin_required");
  const now = ctx.clock.real();
  const found = await store.listSessions(ctx.db, ctx.orgId, userId ?? own ?? ctx.orgId, {
    ...page,
    now,
    usedAfter: new Date(now.getTime() - browserIdleMs),
  });
  return mapPage(found, (session) => ({ ...session, isCurrent: session.id === ctx.principal.sessionId }));
}

/** Also invalidates the session's access tokens on every node. To other users than administrators, foreign sessions are 404. */
export async function revokeSession(ctx: Ctx, id: string) {
  return await change(ctx, async (tx) => {
    const own = ownId(ctx);
    if (!isAdmin(ctx) && own === undefined) throw notFound("session");
    const ofUser = isAdmin(ctx) ? {} : { ofUser: own! };
    const end = { at: ctx.clock.real(), reason: "revoked" as const, ...ofUser };
    const userId = orNotFound("session", await store.endSession(tx, ctx.orgId, id, end));
    recordEvent(tx, ctx, { type: "session.revoked", objectId: userId, data: { count: 1 } });
    await ctx.signals.publish(tx, "user", userId);
    return { id, deleted: true as const };
  });
}

export async function revokeOtherSessions(ctx: Ctx): Promise<Revoked> {
  const own = ownId(ctx);
  return own === undefined ? { revokedCount: 0 } : await revokeAll(ctx, own, ctx.principal.sessionId);
}

export async function revokeSessionsOfUser(ctx: Ctx, userId: string): Promise<Revoked> {
  return await revokeAll(ctx, userId, undefined);
}

async function revokeAll(ctx: Ctx, userId: string, except: string | undefined): Promise<Revoked> {
  return await change(ctx, async (tx) => {
    if (!(await store.lockUserRow(tx, ctx.orgId, userId))) throw notFound("user");
    const revokedCount = await store.endSessionsOf(tx, userId, { at: ctx.clock.real(), reason: "revoked", except });
    if (revokedCount > 0) {
      recordEvent(tx, ctx, { type: "session.revoked", objectId: userId, data: { count: revokedCount } });
      await ctx.signals.publish(tx, "user", userId);
    }
    return { revokedCount };
  });
}

function ownId({ actor }: Ctx): string | undefined {
  return actor.type === "user" ? actor.id : undefined;
}

/** Before authenticator setup, these routes are open only for the user's own sessions. */
function isAdmin({ principal }: Ctx): boolean {
  return hasScope(principal.scopes, "admin") && !principal.mustEnrollTotp;
}
