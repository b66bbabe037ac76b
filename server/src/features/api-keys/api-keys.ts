import { badField, HubError, validationFailed } from "../../core/errors.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { orNotFound } from "../../core/resources.ts";
import { defaultAgentScopes, defaultKeyScopes, scopesNotHeld, scopesRefusedToAgents } from "../../core/scopes.ts";
import type { Scope } from "../../core/scopes.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { ApiKey, ApiKeyQuery, ApiKeyRequest, KeyOutcome, RotateRequest } from "./api-keys.schemas.ts";
import type { StoredKey } from "./api-keys.store.ts";
import * as store from "./api-keys.store.ts";
import { flushKeyUsage } from "./key-authentication.ts";
import { hashKey, keyPrefix, newKeyValue } from "./key-value.ts";

export { findScopesOfKeys } from "./api-keys.store.ts";

const defaultGraceSeconds = 86_400;
const defaultOrdersPerRun = 100;
const agentLifetimeMs = 24 * 60 * 60_000;
const maxAgentLifetimeMs = 7 * agentLifetimeMs;

/** Writes this node's `lastUsedAt` values first; those of other nodes are at most half a minute old. */
export async function listApiKeys(ctx: Ctx, query: ApiKeyQuery): Promise<Page<ApiKey>> {
  await flushKeyUsage(ctx);
  const page = await store.listApiKeys(ctx.db, ctx.orgId, query);
  return mapPage(page, (key) => present(ctx, key));
}

export async function createApiKey(ctx: Ctx, request: ApiKeyRequest) {
  const { name, agent: limits } = request;
  const agent = limits ? { maxOrdersPerRun: limits.maxOrdersPerRun ?? defaultOrdersPerRun } : null;
  const defaults = agent ? defaultAgentScopes : defaultKeyScopes;
  const scopes = request.scopes ?? defaults(ctx.principal.scopes);
  requireHeldScopes(ctx, scopes);
  const expiresAt = expiryOf(ctx, request);
  if (isExpired(ctx, expiresAt)) throw badField("/expiresAt", "date_in_past", "`expiresAt` must be in the future.");
  if (agent) requireAgentTerms(ctx, scopes, expiresAt);
  return await change(ctx, async (tx) => {
    const { stored, key } = await addKey(tx, ctx, { name, scopes, expiresAt, agent });
    const data = { name: stored.name, scopes, expiresAt, ...agent };
    recordEvent(tx, ctx, { type: "api_key.created", objectId: stored.id, data });
    return { ...present(ctx, stored), key, warnings: warningsFor(request) };
  });
}

function expiryOf(ctx: Ctx, { expiresAt, agent }: ApiKeyRequest): string | null {
  if (expiresAt !== undefined) return new Date(expiresAt).toISOString();
  return agent ? new Date(ctx.clock.real().getTime() + agentLifetimeMs).toISOString() : null;
}

function requireAgentTerms(ctx: Ctx, scopes: readonly Scope[], expiresAt: string | null): void {
  const refused = scopesRefusedToAgents(scopes);
  if (refused.length > 0) {
    const message = `An agent key cannot have ${refused.join(" or ")}.`;
    throw badField("/scopes", "scope_not_allowed", message, { allowed: defaultAgentScopes(ctx.principal.scopes) });
  }
  const latest = new Date(ctx.clock.real().getTime() + maxAgentLifetimeMs).toISOString();
  if (expiresAt === null || expiresAt > latest)
    throw badField("/expiresAt", "date_too_late", `An agent key expires within 7 days, by ${latest}.`);
}

/** Creates a new value with the same scopes; the old value works until the grace period ends. */
export async function rotateApiKey(ctx: Ctx, id: string, request: RotateRequest) {
  return await change(ctx, async (tx) => {
    const old = await lock(tx, ctx, id);
    requireHeldScopes(ctx, old.scopes);
    requireRotatable(ctx, old);
    const { stored, key } = await addKey(tx, ctx, old);
    const graceMs = (request.graceSeconds ?? defaultGraceSeconds) * 1000;
    const graceEnd = new Date(ctx.clock.real().getTime() + graceMs).toISOString();
    const until = old.expiresAt !== null && old.expiresAt < graceEnd ? old.expiresAt : graceEnd;
    await store.replaceApiKey(tx, ctx.orgId, id, stored.id, until);
    const data = { replacedBy: stored.id, expiresAt: until };
    recordEvent(tx, ctx, { type: "api_key.rotated", objectId: id, data });
    await ctx.signals.publish(tx, "api_key", id);
    return { ...present(ctx, stored), key, replaces: id, previousExpiresAt: until };
  });
}

export async function deleteApiKey(ctx: Ctx, id: string) {
  return await change(ctx, async (tx) => {
    const key = await lock(tx, ctx, id);
    await store.revokeApiKey(tx, ctx.orgId, id, ctx.clock.real());
    recordEvent(tx, ctx, { type: "api_key.deleted", objectId: id, data: { name: key.name } });
    await ctx.signals.publish(tx, "api_key", id);
    return { id, deleted: true as const };
  });
}

function warningsFor({ scopes, expiresAt, agent }: ApiKeyRequest) {
  // The defaults of agent keys are narrow and short.
  if (agent) return [];
  const message = "`scopes` was omitted: the key has all your scopes except the administrator-only ones.";
  const all = { code: "all_scopes", message };
  const never = { code: "never_expires", message: "`expiresAt` was omitted: the key works until it is deleted." };
  return [...(scopes === undefined ? [all] : []), ...(expiresAt === undefined ? [never] : [])];
}

/**
 * Limits the keys of a user to the scopes the user still has, so that no key has more than its creator. Rotating a key
 * before that makes the caller its creator and keeps it working.
 */
export async function limitKeysOfCreator(
  tx: Tx,
  ctx: Ctx,
  creatorId: string,
  remaining: readonly Scope[],
): Promise<KeyOutcome[]> {
  const at = ctx.clock.real();
  const outcomes: KeyOutcome[] = [];
  for (const { id, name, scopes: held } of await store.lockKeysOfCreator(tx, ctx.orgId, creatorId, at)) {
    const missing = new Set(scopesNotHeld(new Set(remaining), held));
    if (missing.size === 0) continue;
    const scopes = held.filter((scope) => !missing.has(scope));
    if (scopes.length === 0) {
      await store.revokeApiKey(tx, ctx.orgId, id, at);
      recordEvent(tx, ctx, { type: "api_key.deleted", objectId: id, data: { name, creatorId } });
    } else {
      await store.setKeyScopes(tx, ctx.orgId, id, scopes);
      recordEvent(tx, ctx, { type: "api_key.scopes_reduced", objectId: id, data: { name, scopes, creatorId } });
    }
    await ctx.signals.publish(tx, "api_key", id);
    outcomes.push({ id, name, outcome: scopes.length === 0 ? "deleted" : "scopes_reduced", scopes });
  }
  return outcomes;
}

type NewKey = Pick<StoredKey, "name" | "scopes" | "expiresAt" | "agent">;

async function addKey(tx: Tx, ctx: Ctx, { name, scopes, expiresAt, agent }: NewKey) {
  const key = newKeyValue(ctx.environment);
  const stored: StoredKey = {
    id: ctx.newId(),
    name,
    prefix: keyPrefix(key),
    last4: key.slice(-4),
    scopes,
    createdBy: ctx.actor,
    createdAt: ctx.clock.real().toISOString(),
    expiresAt,
    lastUsedAt: null,
    replacedBy: null,
    agent,
    creatorDeleted: false,
  };
  await store.insertApiKey(tx, ctx.orgId, stored, Buffer.from(hashKey(key), "base64"));
  return { stored, key };
}

async function lock(tx: Tx, ctx: Ctx, id: string): Promise<StoredKey> {
  return orNotFound("api_key", await store.lockApiKey(tx, ctx.orgId, id));
}

function requireHeldScopes(ctx: Ctx, requested: readonly Scope[]): void {
  const { scopes } = ctx.principal;
  const missing = scopesNotHeld(scopes, requested);
  if (missing.length === 0) return;
  throw validationFailed(
    missing.map((scope) => ({
      pointer: "/scopes",
      code: "scope_not_held",
      message: `You cannot grant the scope ${scope} because you do not have it.`,
      allowed: [...scopes],
    })),
  );
}

function requireRotatable(ctx: Ctx, key: StoredKey): void {
  if (key.replacedBy !== null) {
    throw new HubError("invalid_state", `The key was already replaced by ${key.replacedBy}; rotate that key.`, {
      extra: { replacedBy: key.replacedBy },
    });
  }
  if (isExpired(ctx, key.expiresAt)) {
    throw new HubError("invalid_state", `The key expired at ${key.expiresAt}; create a new one.`);
  }
}

function isExpired(ctx: Ctx, expiresAt: string | null): boolean {
  return expiresAt !== null && expiresAt <= ctx.clock.real().toISOString();
}

function present(ctx: Ctx, key: StoredKey): ApiKey {
  return { ...key, status: isExpired(ctx, key.expiresAt) ? "expired" : "active", environment: ctx.environment };
}
