import { createHash } from "node:crypto";
import type { CarrierNews } from "../../carriers/seam/carrier.ts";
import { badField, HubError } from "../../core/errors.ts";
import { notFound } from "../../core/resources.ts";
import type { Ctx, World } from "../../context.ts";
import { change, perWorld, systemContext } from "../../context.ts";
import type { SentRequest } from "../../route.ts";
import type { OpenCarrier } from "../carrier-accounts/open-carrier.ts";
import { callCarrier, singleCall } from "../carrier-accounts/open-carrier.ts";
import { countAccepted, findWebhookOrg, openWebhook } from "../carrier-accounts/webhook-subscriptions.ts";
import { applyLabelNews } from "../labels/labels.ts";
import { applyCarrierReports } from "../shipments/shipments.ts";
import type { CarrierWebhookAnswer } from "./carrier-webhooks.schemas.ts";
import * as store from "./carrier-webhooks.store.ts";
import { countRefusal } from "./count-refusals.ts";

/** For the metrics of this process. */
export const carrierWebhookCounters = perWorld(() => ({
  accepted: 0,
  duplicate: 0,
  ignored: 0,
  refused: 0,
  unmatched: 0,
}));

/** Carriers wait a few seconds for the response and repeat the webhook later. */
const readTimeoutMs = 8_000;
const retryAfterSeconds = 10;

/**
 * Receives a webhook of a carrier. The caller has no token; the signature authenticates it. Unlike a shop's, it has all facts, so they
 * are applied in the transaction that stores it.
 */
export async function receiveCarrierWebhook(
  ctx: Ctx,
  accountId: string,
  sent: SentRequest,
): Promise<CarrierWebhookAnswer> {
  const orgId = await findWebhookOrg(ctx, accountId);
  if (orgId === undefined) throw notFound("carrier_account");
  const { requestId, withoutSlot } = ctx;
  const own: Ctx = {
    ...systemContext({ ...ctx, db: ctx.db.forOrg(orgId) }, orgId, "carrier webhook"),
    requestId,
    ...(withoutSlot ? { withoutSlot } : {}),
  };
  const webhook = await openWebhook(own, accountId);
  if (!webhook) throw notFound("carrier_account");
  const { open, secret } = webhook;
  const news = await readNews(own, open, secret, sent);
  const counters = carrierWebhookCounters(ctx);
  const { status, unmatched } = await change(own, (tx) => apply(tx, own, open, sent.body, news));
  counters[status]++;
  counters.unmatched += unmatched;
  return { status };
}

async function readNews(ctx: Ctx, open: OpenCarrier, secret: string, sent: SentRequest): Promise<CarrierNews> {
  const { account, carrier } = open;
  const inbound = { headers: headersOf(sent), body: sent.body, secret };
  const response = await callCarrier(
    ctx,
    open,
    "readWebhook",
    singleCall(ctx.newId()),
    (_carrier, call) => carrier.readWebhook!(call, inbound),
    AbortSignal.timeout(readTimeoutMs),
  );
  if ("done" in response) return response.done;
  if ("unknown" in response) {
    const message = `The webhook cannot be verified now: ${carrier.title} did not respond. Send it again later.`;
    throw new HubError("carrier_failed", message, { retryAfterSeconds });
  }
  const { code, message } = response.rejected;
  if (code !== "unauthorized") throw badField("", "invalid_webhook", message);
  carrierWebhookCounters(ctx).refused++;
  countRefusal(ctx, account.id, message);
  throw new HubError("invalid_signature", message);
}

type Applied = { status: CarrierWebhookAnswer["status"]; unmatched: number };

async function apply(
  tx: Parameters<typeof countAccepted>[0],
  ctx: Ctx,
  { account, carrier }: OpenCarrier,
  body: Buffer,
  news: CarrierNews,
): Promise<Applied> {
  const at = ctx.clock.now();
  const digest = createHash("sha256").update(body).digest("base64url");
  if (!(await store.insertReceived(tx, ctx.orgId, account.id, { digest, at })))
    return { status: "duplicate", unmatched: 0 };
  // Labels first: purchases lock a label before its order and shipments.
  const ofLabels = await applyLabelNews(tx, ctx, account.id, news);
  const tracked = await applyCarrierReports(tx, ctx, carrier.name, news.trackings, { isPull: false });
  const unmatched = ofLabels.length + tracked.unmatched.length;
  await countAccepted(tx, ctx.orgId, account.id, { at, unmatched });
  const isEmpty = news.trackings.length + news.voids.length + news.adjustments.length === 0;
  return { status: isEmpty ? "ignored" : "accepted", unmatched };
}

function headersOf({ headers }: SentRequest): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

/** The organization of an account that gets webhooks. */
export async function findCarrierWebhookOwner(world: World, accountId: string): Promise<string | undefined> {
  return await findWebhookOrg(world, accountId);
}

const keptMs = 7 * 24 * 3_600_000;

/** Longer than any carrier repeats a webhook that was not accepted. */
export async function removeOldCarrierWebhooks({ db, clock }: World): Promise<void> {
  await store.deleteReceivedAcrossOrgs(db, new Date(clock.now().getTime() - keptMs));
}
