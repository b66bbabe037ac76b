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

/** A browser session expires after this long without a request. */
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

/** The session of an access token. Ending a session also invalidates its access tokens. */
export async function getLiveSession(world: World, id: string, userId: string): Promise<LiveSession> {
  const { cache, lastUsed } = known(world);
  const session = await cache.get(id);
  if (session?.userId !== userId) throw new HubError("invalid_token", "The session has ended. Sign in again.");
  lastUsed.set(id, world.clock.real());
  return session;
}

/** A fast hash is sufficient: the value has 256 random bits. */
export function hashCookie(value: string): Buffer {
  return hash("sha256", value, "buffer");
}

/** The session of a cookie, if it has not expired or been idle for too long. */
export async function getBrowserSession(world: World, cookie: string): Promise<BrowserSession> {
  const { browsers, lastUsed } = known(world);
  const cookieHash = hashCookie(cookie);
  const now = world.clock.real();
  const session = await browsers.get(cookieHash.toString("hex"));
  if (session && isExpired(session, now)) {
    // It may have been used on another node in the meantime.
    const stored = await findBrowserSessionAcrossOrgs(world.db.acrossOrgs, cookieHash);
    if (stored) session.lastUsedAt = stored.lastUsedAt;
  }
  if (!session || isExpired(session, now)) {
    throw new HubError("invalid_token", "The session has ended. Sign in again.");
  }
  // The object is the cached one, so that the next request sees the new time.
  session.lastUsedAt = now;
  lastUsed.set(session.id, now);
  return session;
}

function isExpired({ lastUsedAt, expiresAt }: BrowserSession, now: Date): boolean {
  return expiresAt <= now || now.getTime() - lastUsedAt.getTime() >= browserIdleMs;
}

/** `lastUsedAt` is written periodically for all sessions at once, not on every request. */
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
