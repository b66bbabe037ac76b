import { hash } from "node:crypto";
import { HubError } from "../../core/errors.ts";
import type { World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import { createSignalledCache } from "../../db/signalled-cache.ts";
import type { BrowserSession, LiveSession } from "./sessions.store.ts";
import {
  findBrowserSessionAcrossOrgs,
  findLiveSessionAcrossOrgs,
  markSessionsUsedAcrossOrgs,
} from "./sessions.store.ts";

/** A browser that nobody has used for so long is signed out. */
export const browserIdleMs = 12 * 3_600_000;

const known = perWorld((world) => {
  const lastUsed = new Map<string, Date>();
  const cache = createSignalledCache<LiveSession>(
    world.signals,
    "user",
    (id) => findLiveSessionAcrossOrgs(world.db, id),
    (session) => session.userId,
  );
  const browsers = createSignalledCache<BrowserSession>(
    world.signals,
    "user",
    (cookieHash) => findBrowserSessionAcrossOrgs(world.db, Buffer.from(cookieHash, "hex")),
    (session) => session.userId,
  );
  return { lastUsed, cache, browsers };
});

/** The session that an access token belongs to; one that was ended takes its tokens with it. */
export async function getLiveSession(world: World, id: string, userId: string): Promise<LiveSession> {
  const { cache, lastUsed } = known(world);
  const session = await cache.get(id);
  if (session?.userId !== userId) throw new HubError("invalid_token", "The session was ended. Sign in again.");
  lastUsed.set(id, world.clock.real());
  return session;
}

/** A fast hash is right here: the value has 256 random bits, there is nothing to guess. */
export function hashCookie(value: string): Buffer {
  return hash("sha256", value, "buffer");
}

/** The session that a cookie stands for, and until when it does if nobody uses it any more. */
export async function getBrowserSession(world: World, cookie: string): Promise<BrowserSession> {
  const { browsers, lastUsed } = known(world);
  const cookieHash = hashCookie(cookie);
  const now = world.clock.real();
  const session = await browsers.get(cookieHash.toString("hex"));
  if (session && isOver(session, now)) {
    // It may have been used at another node meanwhile.
    const elsewhere = await findBrowserSessionAcrossOrgs(world.db.acrossOrgs, cookieHash);
    if (elsewhere) session.lastUsedAt = elsewhere.lastUsedAt;
  }
  if (!session || isOver(session, now)) {
    throw new HubError("invalid_token", "The session has ended. Sign in again.");
  }
  // It is the remembered one: the next request finds it here.
  session.lastUsedAt = now;
  lastUsed.set(session.id, now);
  return session;
}

function isOver({ lastUsedAt, expiresAt }: BrowserSession, now: Date): boolean {
  return expiresAt <= now || now.getTime() - lastUsedAt.getTime() >= browserIdleMs;
}

/** Written now and then for all at once, not on every request. */
export async function flushSessionUsage(world: World): Promise<void> {
  const { lastUsed } = known(world);
  if (lastUsed.size === 0) return;
  const used = [...lastUsed];
  lastUsed.clear();
  await markSessionsUsedAcrossOrgs(
    world.db,
    used.map(([id]) => id),
    used.map(([, at]) => at),
  );
}
