import { badField, HubError, validationFailed } from "../../core/errors.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { orNotFound } from "../../core/resources.ts";
import { defaultKeyScopes, scopesNotHeld } from "../../core/scopes.ts";
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

/** With when they were used on this node until now; other nodes write it within half a minute. */
export async function listApiKeys(ctx: Ctx, query: ApiKeyQuery): Promise<Page<ApiKey>> {
  await flushKeyUsage(ctx);
  const page = await store.listApiKeys(ctx.db, ctx.orgId, query);
  return mapPage(page, (key) => present(ctx, key));
}

export async function createApiKey(ctx: Ctx, request: ApiKeyRequest) {
  const scopes = request.scopes ?? defaultKeyScopes(ctx.principal.scopes);
  refuseForeignScopes(ctx, scopes);
  const expiresAt = request.expiresAt === undefined ? null : new Date(request.expiresAt).toISOString();
  if (isOver(ctx, expiresAt)) throw badField("/expiresAt", "date_in_past", "`expiresAt` must be in the future.");
  return await change(ctx, async (tx) => {
    const { stored, key } = await addKey(tx, ctx, { name: request.name, scopes, expiresAt });
    const data = { name: stored.name, scopes, expiresAt };
    recordEvent(tx, ctx, { type: "api_key.created", objectId: stored.id, data });
    return { ...present(ctx, stored), key, warnings: warningsFor(request) };
  });
}

/** A new value with the same rights; the old one keeps working until the grace period is over. */
export async function rotateApiKey(ctx: Ctx, id: string, request: RotateRequest) {
  return await change(ctx, async (tx) => {
    const old = await lock(tx, ctx, id);
    refuseForeignScopes(ctx, old.scopes);
    refuseIfOver(ctx, old);
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

function warningsFor({ scopes, expiresAt }: ApiKeyRequest) {
  const message = "No `scopes` were named: the key has all of yours, except those that only administrators have.";
  const all = { code: "all_scopes", message };
  const never = { code: "never_expires", message: "No `expiresAt` was named: the key works until it is deleted." };
  return [...(scopes === undefined ? [all] : []), ...(expiresAt === undefined ? [never] : [])];
}

/**
 * The keys of somebody who is left with these scopes: none has more than its maker. Whoever wants to keep one rotates it
 * first, which makes it theirs.
 */
export async function reduceKeysOfMaker(
  tx: Tx,
  ctx: Ctx,
  makerId: string,
  left: readonly Scope[],
): Promise<KeyOutcome[]> {
  const at = ctx.clock.real();
  const outcomes: KeyOutcome[] = [];
  for (const { id, name, scopes: held } of await store.lockKeysOfMaker(tx, ctx.orgId, makerId, at)) {
    const missing = new Set(scopesNotHeld(new Set(left), held));
    if (missing.size === 0) continue;
    const scopes = held.filter((scope) => !missing.has(scope));
    if (scopes.length === 0) {
      await store.revokeApiKey(tx, ctx.orgId, id, at);
      recordEvent(tx, ctx, { type: "api_key.deleted", objectId: id, data: { name, makerId } });
    } else {
      await store.reduceApiKey(tx, ctx.orgId, id, scopes);
      recordEvent(tx, ctx, { type: "api_key.reduced", objectId: id, data: { name, scopes, makerId } });
    }
    await ctx.signals.publish(tx, "api_key", id);
    outcomes.push({ id, name, outcome: scopes.length === 0 ? "ended" : "reduced", scopes });
  }
  return outcomes;
}

type NewKey = Pick<StoredKey, "name" | "scopes" | "expiresAt">;

async function addKey(tx: Tx, ctx: Ctx, { name, scopes, expiresAt }: NewKey) {
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
    makerIsGone: false,
  };
  await store.insertApiKey(tx, ctx.orgId, stored, Buffer.from(hashKey(key), "base64"));
  return { stored, key };
}

async function lock(tx: Tx, ctx: Ctx, id: string): Promise<StoredKey> {
  return orNotFound("api_key", await store.lockApiKey(tx, ctx.orgId, id));
}

function refuseForeignScopes(ctx: Ctx, wanted: readonly Scope[]): void {
  const { scopes } = ctx.principal;
  const missing = scopesNotHeld(scopes, wanted);
  if (missing.length === 0) return;
  throw validationFailed(
    missing.map((scope) => ({
      pointer: "/scopes",
      code: "scope_not_held",
      message: `You cannot give the scope ${scope}: you do not hold it.`,
      allowed: [...scopes],
    })),
  );
}

/** What would come out of it could not be used, or only for a moment. */
function refuseIfOver(ctx: Ctx, key: StoredKey): void {
  if (key.replacedBy !== null) {
    throw new HubError("invalid_state", `The key was replaced by ${key.replacedBy} already; rotate that one.`, {
      extra: { replacedBy: key.replacedBy },
    });
  }
  if (isOver(ctx, key.expiresAt)) {
    throw new HubError("invalid_state", `The key expired at ${key.expiresAt}; create a new one.`);
  }
}

function isOver(ctx: Ctx, expiresAt: string | null): boolean {
  return expiresAt !== null && expiresAt <= ctx.clock.real().toISOString();
}

function present(ctx: Ctx, key: StoredKey): ApiKey {
  return { ...key, status: isOver(ctx, key.expiresAt) ? "expired" : "active", environment: ctx.environment };
}
