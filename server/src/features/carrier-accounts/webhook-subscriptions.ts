import { randomBytes } from "node:crypto";
import { findCarrier } from "../../carriers/installed-carriers.ts";
import type { Carrier, CarrierData } from "../../carriers/seam/carrier.ts";
import { badField, HubError } from "../../core/errors.ts";
import type { Ctx, World } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { AccountWebhook, WebhookRequest } from "./carrier-accounts.schemas.ts";
import { getAccount } from "./carrier-accounts.ts";
import { isCarrierData, tryOpenCarrier } from "./carrier-requests.ts";
import type { OpenCarrier } from "./open-carrier.ts";
import { callCarrier, openCarrier, singleCall } from "./open-carrier.ts";
import type { StoredWebhook } from "./webhook-subscriptions.store.ts";
import * as store from "./webhook-subscriptions.store.ts";

export type { Refusals } from "./webhook-subscriptions.store.ts";
export { addRefusalsAcrossOrgs, countAccepted } from "./webhook-subscriptions.store.ts";

const dayMs = 86_400_000;
const retryMs = 3_600_000;

/**
 * Subscribes to the carrier's webhooks now. Repeating it makes no second subscription and keeps the secret. The secret is returned only
 * where the user has to enter it at the carrier.
 */
export async function enableWebhook(ctx: Ctx, accountId: string, request: WebhookRequest): Promise<AccountWebhook> {
  const open = await openCarrier(ctx, accountId);
  const { carrier, account } = open;
  if (!canSubscribe(carrier)) {
    throw new HubError("invalid_state", `${carrier.title} sends no webhooks to the hub. Its parcels are polled.`);
  }
  const url = urlOf(findOrigin(ctx, request.publicUrl, account.webhook?.url), accountId);
  const webhook = await ctx.db.transaction((tx) => prepare(tx, ctx, accountId, url));
  const outcome = await ask(ctx, open, webhook);
  return await change(ctx, async (tx) => {
    await save(tx, ctx, accountId, outcome);
    if ("problem" in outcome) return new HubError("carrier_failed", outcome.problem);
    recordEvent(tx, ctx, { type: "carrier_account.webhook_subscribed", objectId: accountId, data: { url } });
    const { webhook: stored } = await getAccount(tx, ctx, accountId);
    const { webhookSetup } = carrier;
    const manual = webhookSetup === undefined ? {} : { setup: webhookSetup, secret: outcome.secret };
    return { ...stored!, setup: null, secret: null, ...manual };
  });
}

/**
 * Called with each tracking poll. Carriers let subscriptions expire and disable webhooks that failed, so it is renewed once a day.
 * Subscribes a new account automatically if the hub has a public URL and the user need not enter anything at the carrier.
 */
export async function renewWebhook(ctx: Ctx, accountId: string): Promise<void> {
  const account = await getAccount(ctx.db, ctx, accountId);
  const carrier = findCarrier(account.carrier);
  if (!account.isActive || !carrier || !canSubscribe(carrier)) return;
  const known = await store.findWebhook(ctx.db, ctx.orgId, accountId);
  const [origin] = ctx.settings.publicUrls ?? [];
  const url = known?.url ?? (origin === undefined || carrier.webhookSetup ? undefined : urlOf(origin, accountId));
  if (url === undefined || (known && !isDue(known, ctx.clock.now()))) return;
  const opened = await tryOpenCarrier(ctx, accountId);
  // Such as an account whose credentials cannot be decrypted: the poll reports it.
  if (!("carrier" in opened)) return;
  const webhook = await ctx.db.transaction((tx) => prepare(tx, ctx, accountId, url));
  const outcome = await ask(ctx, opened, webhook);
  await ctx.db.transaction((tx) => save(tx, ctx, accountId, outcome));
}

function isDue({ attemptedAt, problem }: StoredWebhook, now: Date): boolean {
  return attemptedAt === null || now.getTime() - attemptedAt.getTime() >= (problem === null ? dayMs : retryMs);
}

/** `secret`: what webhooks of this account are verified with. Undefined: the account takes none. */
export async function openWebhook(
  ctx: Ctx,
  accountId: string,
): Promise<{ open: OpenCarrier; secret: string } | undefined> {
  const known = await store.findWebhook(ctx.db, ctx.orgId, accountId);
  if (!known) return undefined;
  const open = await openCarrier(ctx, accountId, "webhooks");
  return open.account.isActive && open.carrier.readWebhook
    ? { open, secret: openSecret(ctx, accountId, known) }
    : undefined;
}

/** The organization of an account that takes webhooks. */
export async function findWebhookOrg({ db }: Pick<World, "db">, accountId: string): Promise<string | undefined> {
  return await store.findWebhookOrgAcrossOrgs(db.acrossOrgs, accountId);
}

function canSubscribe({ subscribe, readWebhook }: Carrier): boolean {
  return subscribe !== undefined && readWebhook !== undefined;
}

async function prepare(tx: Tx, ctx: Ctx, accountId: string, url: string): Promise<StoredWebhook> {
  const sealedSecret = sealSecret(ctx, accountId, randomBytes(32).toString("base64url"));
  return await store.ensureWebhook(tx, ctx.orgId, accountId, { url, sealedSecret });
}

type Outcome = { problem: string } | { secret: string; carrierData: CarrierData };

async function ask(ctx: Ctx, open: OpenCarrier, webhook: StoredWebhook): Promise<Outcome> {
  const secret = openSecret(ctx, open.account.id, webhook);
  const response = await callCarrier(ctx, open, "subscribe", singleCall(ctx.newId()), (carrier, call) =>
    carrier.subscribe!(call, { url: webhook.url, secret }),
  );
  if ("unknown" in response) return { problem: response.unknown };
  if ("rejected" in response) return { problem: response.rejected.message };
  const { secret: own = secret, carrierData } = response.done;
  if (isCarrierData(carrierData)) return { secret: own, carrierData };
  return { problem: `The response of ${open.carrier.title} to the subscription cannot be stored.` };
}

async function save(tx: Tx, ctx: Ctx, accountId: string, outcome: Outcome): Promise<void> {
  const at = ctx.clock.now();
  const attempt =
    "problem" in outcome
      ? { at, problem: outcome.problem }
      : { at, sealedSecret: sealSecret(ctx, accountId, outcome.secret), carrierData: outcome.carrierData };
  await store.saveAttempt(tx, ctx.orgId, accountId, attempt);
}

/** Where the carrier reaches the hub. A name that is not in HUB_PUBLIC_URLS would be rejected there. */
function findOrigin(ctx: Ctx, given: string | undefined, current: string | undefined): string {
  const { publicUrls = [] } = ctx.settings;
  if (given !== undefined && (!isOrigin(given) || (publicUrls.length > 0 && !publicUrls.includes(given)))) {
    const allowed = publicUrls.length > 0 ? `One of HUB_PUBLIC_URLS: ${publicUrls.join(", ")}.` : "";
    throw badField(
      "/publicUrl",
      "not_allowed",
      `An origin such as https://hub.example.com, without a path. ${allowed}`.trim(),
    );
  }
  const origin = given ?? publicUrls[0] ?? (current && new URL(current).origin);
  if (origin !== undefined) return origin;
  throw badField(
    "/publicUrl",
    "required",
    "Send the origin at which the carrier reaches the hub, or set HUB_PUBLIC_URLS.",
  );
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && /^https?:/.test(text);
}

function urlOf(origin: string, accountId: string): string {
  return `${origin}/api/v1/carrier-accounts/${accountId}/inbound-webhooks`;
}

function sealContext(orgId: string, accountId: string): string {
  return `carrier-webhook:${orgId}:${accountId}`;
}

function sealSecret(ctx: Ctx, accountId: string, secret: string): string {
  return ctx.secrets.seal(secret, sealContext(ctx.orgId, accountId));
}

function openSecret(ctx: Ctx, accountId: string, { sealedSecret }: StoredWebhook): string {
  return ctx.secrets.open(sealedSecret, sealContext(ctx.orgId, accountId));
}
