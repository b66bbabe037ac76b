import type { Principal } from "../../core/actor.ts";
import { HubError } from "../../core/errors.ts";
import type { Scope } from "../../core/scopes.ts";
import { operatorOnlyScopes } from "../../core/scopes.ts";
import type { World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import { createSignalledCache } from "../../db/signalled-cache.ts";
import { findKeyIdentityAcrossOrgs, markUsedAcrossOrgs } from "./api-keys.store.ts";
import { hashKey, isWellFormedKey, keyEnvironment, keyPrefix } from "./key-value.ts";

type Known = { id: string; prefix: string; expiresAt: Date | null; principal: Principal };

const keyring = perWorld((world) => {
  const lastUsed = new Map<string, Date>();
  // Cached by hash, so that no usable key is held in memory. The hash covers the secret part, so a hit proves the secret.
  const cache = createSignalledCache<Known>(
    world.signals,
    "api_key",
    (cacheKey) => load(world, cacheKey),
    (known) => known.id,
  );
  return { lastUsed, cache };
});

async function load(world: World, cacheKey: string): Promise<Known | undefined> {
  const [prefix = "", hash = ""] = cacheKey.split("|");
  const key = await findKeyIdentityAcrossOrgs(world.db, prefix);
  if (!key || !key.hash.equals(Buffer.from(hash, "base64"))) return undefined;
  const scopes = key.scopes.filter((scope: Scope) => key.isHubOperator || !operatorOnlyScopes.has(scope));
  return {
    id: key.id,
    prefix,
    expiresAt: key.expiresAt,
    principal: {
      orgId: key.orgId,
      isHubOperator: key.isHubOperator,
      actor: { type: "api_key", id: key.id, name: key.name, ...(key.agent ? { kind: "agent" as const } : {}) },
      scopes: new Set(scopes),
      ...(key.agent ? { agent: key.agent } : {}),
      ...(key.expiresAt ? { expiresAt: key.expiresAt } : {}),
    },
  };
}

export function looksLikeApiKey(token: string): boolean {
  return token.startsWith("ooh_");
}

/** Authenticates an API key. Malformed keys and keys of the other environment cost no query. */
export async function authenticateKey(world: World, token: string): Promise<Principal> {
  if (!isWellFormedKey(token)) throw new HubError("malformed_token", "The token is not a valid API key of this hub.");
  if (keyEnvironment(token) !== world.environment) {
    throw new HubError("environment_mismatch", `The API key belongs to the ${keyEnvironment(token)} environment.`);
  }
  const { cache, lastUsed } = keyring(world);
  const known = await cache.get(`${keyPrefix(token)}|${hashKey(token)}`);
  if (!known) throw new HubError("invalid_token", "The API key does not exist or was deleted.");
  const now = world.clock.real();
  if (known.expiresAt && known.expiresAt <= now) throw new HubError("expired_token", "The API key has expired.");
  lastUsed.set(known.id, now);
  return known.principal;
}

/** `lastUsedAt` is written periodically for all keys at once, not on every request. */
export async function flushKeyUsage(world: World): Promise<void> {
  const { lastUsed } = keyring(world);
  if (lastUsed.size === 0) return;
  const used = [...lastUsed];
  await markUsedAcrossOrgs(
    world.db.acrossOrgs,
    used.map(([id]) => id),
    used.map(([, at]) => at),
  );
  // Keys used during the write, and all keys after a failed write, stay for the next flush.
  for (const [id, at] of used) if (lastUsed.get(id) === at) lastUsed.delete(id);
}
