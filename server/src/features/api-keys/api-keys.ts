import { badField, HubError, validationFailed } from "../../core/errors.ts";
import type { Page } from "../../core/page.ts";
import { notFound } from "../../core/resources.ts";
import { hasScope } from "../../core/scopes.ts";
import type { Scope } from "../../core/scopes.ts";
import type { Ctx, Environment } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { ApiKey, ApiKeyQuery, ApiKeyRequest, RotateRequest } from "./api-keys.schemas.ts";
import type { ApiKeyRow } from "./api-keys.store.ts";
import * as store from "./api-keys.store.ts";
import { hashKey, keyPrefix, newKeyValue } from "./key-value.ts";

const defaultGraceSeconds = 86_400;

export async function listApiKeys(ctx: Ctx, query: ApiKeyQuery): Promise<Page<ApiKey>> {
  const page = await store.listApiKeys(ctx.db, ctx.orgId, query);
  return { ...page, data: page.data.map((row) => present(ctx, row)) };
}

export async function createApiKey(ctx: Ctx, request: ApiKeyRequest) {
  const scopes = request.scopes ?? [...ctx.principal.scopes];
  refuseForeignScopes(ctx, scopes);
  const expiresAt = request.expiresAt === undefined ? null : new Date(request.expiresAt);
  if (expiresAt && expiresAt <= ctx.clock.real()) {
    throw badField("/expiresAt", "date_in_past", "`expiresAt` must be in the future.");
  }
  return await change(ctx, async (tx) => {
    const { row, value } = await addKey(tx, ctx, { name: request.name, scopes, expiresAt });
    const data = { name: row.name, scopes: row.scopes, expiresAt: row.expires_at?.toISOString() ?? null };
    await recordEvent(tx, ctx, { type: "api_key.created", objectId: row.id, data });
    return { ...present(ctx, row), key: value };
  });
}

/** A new value with the same rights; the old one keeps working until the grace period is over. */
export async function rotateApiKey(ctx: Ctx, id: string, request: RotateRequest) {
  return await change(ctx, async (tx) => {
    const old = await lock(tx, ctx, id);
    refuseForeignScopes(ctx, old.scopes);
    refuseIfOver(ctx, old);
    const { row, value } = await addKey(tx, ctx, { name: old.name, scopes: old.scopes, expiresAt: old.expires_at });
    const graceMs = (request.graceSeconds ?? defaultGraceSeconds) * 1000;
    const until = new Date(Math.min(ctx.clock.real().getTime() + graceMs, old.expires_at?.getTime() ?? Infinity));
    await store.replaceApiKey(tx, ctx.orgId, id, row.id, until);
    const data = { replacedBy: row.id, expiresAt: until.toISOString() };
    await recordEvent(tx, ctx, { type: "api_key.rotated", objectId: id, data });
    await ctx.signals.publish(tx, "api_key", id);
    return { ...present(ctx, row), key: value, replaces: id, previousExpiresAt: until.toISOString() };
  });
}

export async function deleteApiKey(ctx: Ctx, id: string) {
  return await change(ctx, async (tx) => {
    const key = await lock(tx, ctx, id);
    await store.revokeApiKey(tx, ctx.orgId, id, ctx.clock.real());
    await recordEvent(tx, ctx, { type: "api_key.deleted", objectId: id, data: { name: key.name } });
    await ctx.signals.publish(tx, "api_key", id);
    return { id, deleted: true as const };
  });
}

type NewKey = { name: string; scopes: readonly Scope[]; expiresAt: Date | null };

async function addKey(tx: Tx, ctx: Ctx, key: NewKey): Promise<{ row: ApiKeyRow; value: string }> {
  const value = newKeyValue(ctx.environment);
  const row = await store.insertApiKey(tx, ctx.orgId, {
    ...key,
    id: ctx.newId(),
    prefix: keyPrefix(value),
    last4: value.slice(-4),
    hash: Buffer.from(hashKey(value), "base64"),
    createdBy: ctx.actor,
    at: ctx.clock.real(),
  });
  return { row, value };
}

async function lock(tx: Tx, ctx: Ctx, id: string): Promise<ApiKeyRow> {
  const key = await store.lockApiKey(tx, ctx.orgId, id);
  if (!key) throw notFound("api_key");
  return key;
}

/** Nobody can hand out more than they hold, or a narrow key could make itself a wide one. */
function refuseForeignScopes(ctx: Ctx, wanted: readonly Scope[]): void {
  const { scopes } = ctx.principal;
  const missing = wanted.filter((scope) => !hasScope(scopes, scope));
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
function refuseIfOver(ctx: Ctx, key: ApiKeyRow): void {
  if (key.replaced_by !== null) {
    throw new HubError("invalid_state", `The key was replaced by ${key.replaced_by} already; rotate that one.`, {
      extra: { replacedBy: key.replaced_by },
    });
  }
  if (key.expires_at !== null && key.expires_at <= ctx.clock.real()) {
    throw new HubError("invalid_state", `The key expired at ${key.expires_at.toISOString()}; create a new one.`);
  }
}

function present(ctx: { clock: Ctx["clock"]; environment: Environment }, row: ApiKeyRow): ApiKey {
  const isExpired = row.expires_at !== null && row.expires_at <= ctx.clock.real();
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    last4: row.last4,
    scopes: row.scopes,
    status: isExpired ? "expired" : "active",
    environment: ctx.environment,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    replacedBy: row.replaced_by,
  };
}
