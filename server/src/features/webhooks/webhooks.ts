import { HubError } from "../../core/errors.ts";
import { leavesStoredBehind } from "../../core/outbound/credential-address.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, nextVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { readTypes, refuseUnreadable } from "../events/event-filter.ts";
import { findHead, findStart } from "../events/events.ts";
import { failuresToProbe, maxConcurrencyOf } from "./deliver/delivery-outcome.ts";
import * as log from "./delivery-log.store.ts";
import { checkAddress } from "./webhook-address.ts";
import { makeSecret, openPart, sealPart } from "./webhook-signing.ts";
import type {
  EnableRequest,
  NewWebhook,
  RotateRequest,
  Webhook,
  WebhookPatch,
  WebhookQuery,
  WebhookRequest,
} from "./webhooks.schemas.ts";
import type { StoredWebhook } from "./webhooks.store.ts";
import * as store from "./webhooks.store.ts";
import { presentWebhook } from "./present-webhook.ts";

export { deleteOldResponsesAcrossOrgs, deleteOldDeliveriesAcrossOrgs } from "./delivery-log.store.ts";
export { deliveryCounters, startDeliveries } from "./deliver/delivery-engine.ts";
export { deliveryLeases } from "./deliver/deliveries.store.ts";
export { rewindDeliveries } from "./deliver/plan-deliveries.ts";
export type { WebhookCounts } from "./webhooks.store.ts";
export { countWebhooksAcrossOrgs } from "./webhooks.store.ts";

/** Planning reads all of them. */
const maxWebhooks = 100;
const hourMs = 3_600_000;
const defaultOverlapHours = 24;
const defaultMaxInFlight = 8;

export async function listWebhooks(ctx: Ctx, query: WebhookQuery): Promise<Page<Webhook>> {
  return mapPage(await store.listWebhooks(ctx.db, ctx.orgId, query), (webhook) => presentWebhook(ctx, webhook));
}

export async function getWebhook(ctx: Ctx, id: string): Promise<Webhook> {
  return presentWebhook(ctx, await store.getWebhook(ctx.db, ctx.orgId, id));
}

export async function createWebhook(ctx: Ctx, request: WebhookRequest): Promise<NewWebhook> {
  const { url, headers = {}, description = "", ordering = "none", signing = "hmac" } = request;
  const types = checkTypes(ctx, request.types);
  await checkAddress(ctx, { url, headers });
  const { sequence: cursor } = await findHead(ctx);
  return await change(ctx, async (tx) => {
    if ((await store.countWebhooks(tx, ctx.orgId)) >= maxWebhooks) {
      throw new HubError("invalid_state", `An organization has at most ${maxWebhooks} webhooks.`);
    }
    const id = ctx.newId();
    const at = ctx.clock.now().toISOString();
    const { kept, shown, publicKey } = makeSecret(signing);
    const { maxInFlight = defaultMaxInFlight } = request;
    const webhook: StoredWebhook = {
      id,
      url,
      description,
      types,
      ordering,
      maxInFlight,
      signing,
      ...sealHeaders(ctx, id, headers),
      sealedSecret: sealPart(ctx.secrets, "secret", ctx.orgId, id, kept),
      sealedPreviousSecret: null,
      publicKey,
      previousPublicKey: null,
      previousUntil: null,
      status: "active",
      disabledReason: null,
      cursor,
      cursorHash: null,
      pendingCount: 0,
      concurrency: maxConcurrencyOf({ ordering, maxInFlight }),
      ...untried,
      createdAt: at,
      updatedAt: at,
      version: 1,
      deletedAt: null,
    };
    await store.insertWebhook(tx, ctx.orgId, webhook);
    await ctx.signals.publish(tx, "webhook", id);
    const data = { host: hostOf(url), types, description, ordering, maxInFlight, signing, version: 1 };
    recordEvent(tx, ctx, { type: "webhook.created", objectId: id, data });
    return { ...presentWebhook(ctx, await store.getWebhook(tx, ctx.orgId, id)), secret: shown };
  });
}

const untried = {
  waitUntil: null,
  consecutiveFailures: 0,
  failingSince: null,
  failingReportedAt: null,
  lastSuccessAt: null,
  lastFailureAt: null,
  lastError: null,
};

export async function updateWebhook(ctx: Ctx, id: string, patch: WebhookPatch, ifMatch: IfMatch): Promise<Webhook> {
  requirePatch(patch);
  const { headers, ...fields } = patch;
  return await change(ctx, async (tx) => {
    const before = await store.lockWebhook(tx, ctx.orgId, id);
    checkVersion(before, ifMatch);
    refuseUnlessReadable(ctx, before);
    const url = patch.url ?? before.url;
    const types = patch.types === undefined ? before.types : checkTypes(ctx, patch.types);
    const hasStored = before.sealedHeaders !== null;
    leavesStoredBehind({ hasStored, before: [before.url], after: [url], given: headers, pointer: "/headers" });
    // Headers that stay were checked for this server before.
    if (patch.url !== undefined || headers !== undefined) await checkAddress(ctx, { url, headers: headers ?? {} });
    const patched = { ...before, ...fields, url, types };
    const isReordered = patched.ordering !== before.ordering;
    const isMoved = url !== before.url;
    const most = maxConcurrencyOf(patched);
    const isHealthy = before.consecutiveFailures < failuresToProbe;
    const updated = nextVersion(
      patched,
      {
        ...(headers === undefined ? {} : sealHeaders(ctx, id, headers ?? {})),
        // Another URL is another endpoint: its health is unknown.
        ...(isMoved ? untried : {}),
        concurrency: isHealthy || isMoved ? most : Math.min(before.concurrency, most),
      },
      ctx.clock.now(),
    );
    await store.updateWebhook(tx, ctx.orgId, updated);
    if (isReordered) await log.reorderPending(tx, ctx.orgId, id, updated.ordering === "strict", ctx.clock.now());
    await ctx.signals.publish(tx, "webhook", id);
    const { url: _url, ...recorded } = fields;
    const data = {
      ...recorded,
      ...(isMoved ? { host: hostOf(url) } : {}),
      ...(headers === undefined ? {} : { headersReplaced: true }),
      version: updated.version,
    };
    recordEvent(tx, ctx, { type: "webhook.updated", objectId: id, data });
    return presentWebhook(ctx, updated);
  });
}

/** Deletes the secrets and skips pending deliveries. The delivery log is kept until its retention ends. */
export async function deleteWebhook(ctx: Ctx, id: string, ifMatch: IfMatch) {
  return await change(ctx, async (tx) => {
    const webhook = await store.lockWebhook(tx, ctx.orgId, id);
    checkVersion(webhook, ifMatch);
    const at = ctx.clock.now();
    const gone = {
      status: "disabled" as const,
      headerNames: [],
      sealedHeaders: null,
      sealedSecret: "",
      sealedPreviousSecret: null,
      deletedAt: at.toISOString(),
      version: webhook.version + 1,
    };
    await log.skipPending(tx, ctx.orgId, id, undefined, at);
    await log.removeResends(tx, ctx.orgId, id);
    await store.updateWebhook(tx, ctx.orgId, { ...webhook, ...gone });
    recordEvent(tx, ctx, { type: "webhook.deleted", objectId: id, data: { version: webhook.version } });
    return { id, deleted: true as const };
  });
}

/** Events recorded meanwhile wait in the log. */
export async function pauseWebhook(ctx: Ctx, id: string): Promise<Webhook> {
  return await change(ctx, async (tx) => {
    const webhook = await store.lockWebhook(tx, ctx.orgId, id);
    if (webhook.status === "disabled") {
      throw new HubError("invalid_state", "A disabled webhook cannot be paused: no deliveries are sent to it.");
    }
    if (webhook.status === "paused") return presentWebhook(ctx, webhook);
    const paused = await saveChange(tx, ctx, webhook, { status: "paused" });
    recordEvent(tx, ctx, { type: "webhook.paused", objectId: id, data: { version: paused.version } });
    return presentWebhook(ctx, paused);
  });
}

export async function enableWebhook(ctx: Ctx, id: string, { from = "last_position" }: EnableRequest): Promise<Webhook> {
  const head = await findHead(ctx);
  const isCursor = from !== "last_position" && from !== "now";
  const behind = isCursor ? await findStart(ctx, head, { cursor: from, where: "/from", since: undefined }) : undefined;
  return await change(ctx, async (tx) => {
    const webhook = await store.lockWebhook(tx, ctx.orgId, id);
    refuseUnlessReadable(ctx, webhook);
    if (webhook.status === "active" && from === "last_position") return presentWebhook(ctx, webhook);
    const cursor = from === "last_position" ? webhook.cursor : (behind ?? head.sequence);
    if (from !== "last_position") {
      await log.skipPending(tx, ctx.orgId, id, isCursor ? cursor : undefined, ctx.clock.now());
      await log.removeResends(tx, ctx.orgId, id);
    }
    // One delivery shows whether the endpoint is back; its outcome decides about the others.
    const concurrency = webhook.status === "disabled" ? 1 : webhook.concurrency;
    const fresh = webhook.status === "disabled" ? untried : {};
    const state = { status: "active" as const, disabledReason: null, ...fresh, concurrency, cursor };
    const enabled = await saveChange(tx, ctx, webhook, state);
    recordEvent(tx, ctx, { type: "webhook.enabled", objectId: id, data: { from, version: enabled.version } });
    return presentWebhook(ctx, await store.getWebhook(tx, ctx.orgId, id));
  });
}

/** At most two secrets are valid at a time: a third one replaces the oldest. */
export async function rotateSecret(ctx: Ctx, id: string, request: RotateRequest = {}): Promise<NewWebhook> {
  const { overlapHours = defaultOverlapHours } = request;
  return await change(ctx, async (tx) => {
    const webhook = await store.lockWebhook(tx, ctx.orgId, id);
    refuseUnlessReadable(ctx, webhook);
    const { kept, shown, publicKey } = makeSecret(webhook.signing);
    const former = overlapHours === 0 ? undefined : openSecret(ctx, webhook);
    const until = new Date(ctx.clock.real().getTime() + overlapHours * hourMs).toISOString();
    const rotated = await saveChange(tx, ctx, webhook, {
      sealedSecret: sealPart(ctx.secrets, "secret", ctx.orgId, id, kept),
      sealedPreviousSecret:
        former === undefined ? null : sealPart(ctx.secrets, "previous-secret", ctx.orgId, id, former),
      publicKey,
      previousPublicKey: former === undefined ? null : webhook.publicKey,
      previousUntil: former === undefined ? null : until,
    });
    const data = { previousSecretExpiresAt: rotated.previousUntil, version: rotated.version };
    recordEvent(tx, ctx, { type: "webhook.secret_rotated", objectId: id, data });
    return { ...presentWebhook(ctx, rotated), secret: shown };
  });
}

/** Undefined: the key it was sealed with is lost, so it has signed nothing since. */
function openSecret({ secrets, orgId }: Ctx, { id, sealedSecret }: StoredWebhook): string | undefined {
  try {
    return openPart(secrets, "secret", orgId, id, sealedSecret);
  } catch {
    return undefined;
  }
}

async function saveChange(
  tx: Tx,
  ctx: Ctx,
  webhook: StoredWebhook,
  changed: Partial<StoredWebhook>,
): Promise<StoredWebhook> {
  const updated = nextVersion(webhook, changed, ctx.clock.now());
  await store.updateWebhook(tx, ctx.orgId, updated);
  await ctx.signals.publish(tx, "webhook", webhook.id);
  return updated;
}

/** The types as given, if the caller may read all of them. */
function checkTypes({ principal }: Ctx, names: readonly string[]): string[] {
  refuseUnreadable(
    principal,
    readTypes(names, (index) => `/types/${index}`),
    "webhooks:write",
  );
  return [...new Set(names)];
}

/** A caller who may change the URL or learn the secret could read the events that are sent. */
export function refuseUnlessReadable({ principal }: Ctx, { types }: Pick<StoredWebhook, "types">): void {
  refuseUnreadable(
    principal,
    readTypes(types, (index) => `/types/${index}`),
    "webhooks:write",
  );
}

function sealHeaders(ctx: Ctx, id: string, headers: Record<string, string>) {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  if (entries.length === 0) return { headerNames: [], sealedHeaders: null };
  const plain = JSON.stringify(Object.fromEntries(entries));
  return {
    headerNames: entries.map(([name]) => name).toSorted(),
    sealedHeaders: sealPart(ctx.secrets, "headers", ctx.orgId, id, plain),
  };
}

/** Without the path, which may contain a secret. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "");
