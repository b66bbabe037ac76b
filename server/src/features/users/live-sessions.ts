import { HubError } from "../../core/errors.ts";
import type { World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import { createSignalledCache } from "../../db/signalled-cache.ts";
import type { LiveSession } from "./sessions.store.ts";
import { findLiveSessionAcrossOrgs, markSessionsUsedAcrossOrgs } from "./sessions.store.ts";

const known = perWorld((world) => {
  const lastUsed = new Map<string, Date>();
  const cache = createSignalledCache<LiveSession>(
    world.signals,
    "user",
    (id) => findLiveSessionAcrossOrgs(world.db, id),
    (session) => session.userId,
  );
  return { lastUsed, cache };
});

/** The session that an access token belongs to; one that was ended takes its tokens with it. */
export async function getLiveSession(world: World, id: string, userId: string): Promise<LiveSession> {
  const { cache, lastUsed } = known(world);
  const session = await cache.get(id);
  if (session?.userId !== userId) throw new HubError("invalid_token", "The session was ended. Sign in again.");
  lastUsed.set(id, world.clock.real());
  return session;
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
