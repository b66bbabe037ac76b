import type { Ctx } from "../../context.ts";
import { firstHash } from "../../events/chain.ts";
import { cursorOf } from "../../events/event-envelope.ts";
import type { Webhook } from "./webhooks.schemas.ts";
import type { StoredWebhook } from "./webhooks.store.ts";

export function presentWebhook(ctx: Pick<Ctx, "clock">, webhook: StoredWebhook): Webhook {
  const isRotating = webhook.previousUntil !== null && new Date(webhook.previousUntil) > ctx.clock.real();
  const { consecutiveFailures, lastSuccessAt, lastFailureAt } = webhook;
  const hasRun = lastSuccessAt !== null || lastFailureAt !== null;
  const isWaiting = webhook.waitUntil !== null && new Date(webhook.waitUntil) > ctx.clock.now();
  return {
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    types: webhook.types,
    headerNames: webhook.headerNames,
    ordering: webhook.ordering,
    maxInFlight: webhook.maxInFlight,
    signing: webhook.signing,
    publicKey: webhook.publicKey,
    previousPublicKey: isRotating ? webhook.previousPublicKey : null,
    previousSecretExpiresAt: isRotating ? webhook.previousUntil : null,
    status: webhook.status,
    disabledReason: webhook.disabledReason,
    cursor: cursorOf({ sequence: webhook.cursor, hash: webhook.cursorHash ?? firstHash }),
    pendingCount: webhook.pendingCount,
    health: {
      status: consecutiveFailures > 0 ? "failing" : hasRun ? "healthy" : "unknown",
      consecutiveFailures,
      failingSince: webhook.failingSince,
      nextAttemptAt: isWaiting ? webhook.waitUntil : null,
      lastSuccessAt,
      lastFailureAt,
      lastError: webhook.lastError,
    },
    createdAt: webhook.createdAt,
    updatedAt: webhook.updatedAt,
    version: webhook.version,
  };
}
