import { badField, HubError } from "../../core/errors.ts";
import type { Page } from "../../core/page.ts";
import type { Ctx } from "../../context.ts";
import { change, releaseSlotWhile } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import type { EventType } from "../../events/event-catalogue.ts";
import { envelopeOf } from "../../events/event-envelope.ts";
import { exampleOf } from "../../events/event-examples.ts";
import { mayRead } from "../../events/event-families.ts";
import { recordEvent } from "../../events/record-event.ts";
import { readTypes, refuseUnreadable } from "../events/event-filter.ts";
import { findBegin, findHead } from "../events/events.ts";
import { requireOutbound } from "../outbound-pause/outbound-pause.ts";
import { isSuccess } from "./deliver/delivery-outcome.ts";
import { contentOf } from "./deliver/load-deliveries.ts";
import { planWebhook } from "./deliver/plan-deliveries.ts";
import { sendOnce } from "./deliver/send-delivery.ts";
import * as log from "./delivery-log.store.ts";
import { refuseFromPreview } from "./webhook-address.ts";
import { refuseUnlessReadable } from "./webhooks.ts";
import type {
  Delivery,
  DeliveryDetail,
  DeliveryQuery,
  Exchange,
  ResendAnswer,
  ResendRequest,
  TestRequest,
} from "./webhooks.schemas.ts";
import * as store from "./webhooks.store.ts";

/** Includes deliveries of changes that were answered a moment ago. */
export async function listDeliveries(ctx: Ctx, webhookId: string, query: DeliveryQuery): Promise<Page<Delivery>> {
  const webhook = await store.getWebhook(ctx.db, ctx.orgId, webhookId);
  await ctx.sealer.sealNow(ctx.orgId);
  if (webhook.status === "active") await planWebhook(ctx, webhookId);
  return await log.listDeliveries(ctx.db, ctx.orgId, webhookId, query);
}

export async function getDelivery(ctx: Ctx, webhookId: string, id: string): Promise<DeliveryDetail> {
  await store.getWebhook(ctx.db, ctx.orgId, webhookId);
  return await readDetail(ctx, ctx.db, webhookId, id);
}

async function readDetail(ctx: Ctx, db: Queryable, webhookId: string, id: string): Promise<DeliveryDetail> {
  const delivery = await log.getDelivery(db, ctx.orgId, webhookId, id);
  const { scopes } = ctx.principal;
  const maySee = scopes.has("events:read") && mayRead(scopes, delivery.type as EventType);
  const event = maySee ? await log.findEvent(db, ctx.orgId, delivery.sequence) : undefined;
  return {
    ...delivery,
    attempts: await log.listAttempts(db, ctx.orgId, id),
    event: event ? envelopeOf(ctx.environment, event) : null,
  };
}

/** Sent with the same `webhook-id`, so that a receiver recognizes a duplicate. */
export async function resendDelivery(ctx: Ctx, webhookId: string, id: string): Promise<DeliveryDetail> {
  return await change(ctx, async (tx) => {
    const webhook = await store.lockWebhook(tx, ctx.orgId, webhookId);
    refuseUnlessReadable(ctx, webhook);
    await log.getDelivery(tx, ctx.orgId, webhookId, id);
    const isStrict = webhook.ordering === "strict";
    await log.resendDelivery(tx, ctx.orgId, { webhookId, id, isStrict }, ctx.clock.now());
    await ctx.signals.publish(tx, "webhook", webhookId);
    const data = { include: "one", estimatedCount: 1, version: webhook.version };
    recordEvent(tx, ctx, { type: "webhook.resend_requested", objectId: webhookId, data });
    return await readDetail(ctx, tx, webhookId, id);
  });
}

/** Planned in small batches, when the webhook has nothing else to send. */
export async function resendDeliveries(ctx: Ctx, webhookId: string, request: ResendRequest): Promise<ResendAnswer> {
  const head = await findHead(ctx);
  const now = ctx.clock.now();
  const [from, to] = [new Date(request.from), request.to === undefined ? now : new Date(request.to)];
  if (from >= to) throw badField("/from", "range", "`from` must be before `to`.");
  const { include = "failed" } = request;
  return await change(ctx, async (tx) => {
    const webhook = await store.lockWebhook(tx, ctx.orgId, webhookId);
    refuseUnlessReadable(ctx, webhook);
    const own = new Set(readTypes(webhook.types, (index) => `/types/${index}`));
    const wanted = readTypes(request.types ?? webhook.types, (index) => `/types/${index}`);
    refuseUnreadable(ctx.principal, wanted, "webhooks:write");
    const types = wanted.filter((type) => own.has(type));
    const range = {
      after: await findBegin(tx, ctx.orgId, from, head),
      // Entries after the cursor have no delivery yet and will get one anyway.
      until: Math.min(await findBegin(tx, ctx.orgId, to, head), include === "all" ? webhook.cursor : head.sequence),
      types,
      onlyFailed: include === "failed",
    };
    const { count: estimatedCount, isCapped } = await log.countToResend(tx, ctx.orgId, webhookId, range);
    if (estimatedCount === 0) {
      throw new HubError(
        "nothing_to_resend",
        "The webhook has no deliveries of these types and this kind in this time range.",
      );
    }
    const id = ctx.newId();
    const names = request.types === undefined ? null : types;
    await log.insertResend(tx, ctx.orgId, { ...range, types: names, id, webhookId, at: now });
    await ctx.signals.publish(tx, "webhook", webhookId);
    const data = { include, estimatedCount, version: webhook.version };
    recordEvent(tx, ctx, { type: "webhook.resend_requested", objectId: webhookId, data });
    return { id, estimatedCount, isCapped };
  });
}

/** Sends an example event in any state of the webhook and returns the response. It is not in the delivery log. */
export async function testWebhook(ctx: Ctx, webhookId: string, request: TestRequest = {}): Promise<Exchange> {
  const webhook = await store.getWebhook(ctx.db, ctx.orgId, webhookId);
  refuseUnlessReadable(ctx, webhook);
  refuseFromPreview(ctx, webhook.url);
  requireOutbound(ctx);
  const [type] = readTypes([request.type ?? webhook.types[0]!], () => "/type");
  const event = { ...exampleOf(type!), id: ctx.newId() };
  const target = { ...webhook, orgId: ctx.orgId };
  const { outcome, message } = (await releaseSlotWhile(ctx, () => sendOnce(ctx, target, contentOf(event))))!;
  const { status, headers, answer, error, durationMs } = outcome;
  const hidden = Object.fromEntries(webhook.headerNames.map((name) => [name, "(sealed)"]));
  return {
    ok: isSuccess(outcome),
    durationMs,
    request: { url: webhook.url, headers: { ...hidden, ...message?.headers }, body: message?.body ?? "" },
    response: status === null ? null : { status, headers: headers ?? {}, body: answer ?? "" },
    error,
  };
}
