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

/** One's own, or those of somebody else in the organization for administrators. */
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

/** The access tokens of the session end with it, on every node. Those of others look like none to whoever is no administrator. */
export async function endSession(ctx: Ctx, id: string) {
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

/** For somebody who thinks that somebody else is signed in as them. */
export async function endOtherSessions(ctx: Ctx): Promise<{ ended: number }> {
  const own = ownId(ctx);
  return own === undefined ? { ended: 0 } : await endAll(ctx, own, ctx.principal.sessionId);
}

export async function endSessionsOfUser(ctx: Ctx, userId: string): Promise<{ ended: number }> {
  return await endAll(ctx, userId, undefined);
}

async function endAll(ctx: Ctx, userId: string, except: string | undefined): Promise<{ ended: number }> {
  return await change(ctx, async (tx) => {
    if (!(await store.lockPerson(tx, ctx.orgId, userId))) throw notFound("user");
    const ended = await store.endSessionsOf(tx, userId, { at: ctx.clock.real(), reason: "revoked", except });
    if (ended > 0) {
      recordEvent(tx, ctx, { type: "session.revoked", objectId: userId, data: { count: ended } });
      await ctx.signals.publish(tx, "user", userId);
    }
    return { ended };
  });
}

function ownId({ actor }: Ctx): string | undefined {
  return actor.type === "user" ? actor.id : undefined;
}

/** These routes are open before enrolment, for a user's own sessions only. */
function isAdmin({ principal }: Ctx): boolean {
  return hasScope(principal.scopes, "admin") && !principal.mustEnrolTotp;
}
