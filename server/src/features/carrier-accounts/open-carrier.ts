import type { Carrier, CarrierCall, CarrierOperation, RateRequest } from "../../carriers/seam/carrier.ts";
import type { InputField } from "../../carriers/seam/invalid-input.ts";
import { InvalidInput } from "../../carriers/seam/invalid-input.ts";
import type { Scenario } from "../../carriers/rate-card/tariff.ts";
import type { NoQuote, Quote } from "../../carriers/seam/quotes.ts";
import { codedAddress } from "../../core/clean-address.ts";
import type { Address } from "../../core/address.ts";
import { toCents } from "../../core/money.ts";
import { createCallLimit } from "../../core/call-limit.ts";
import { badField, HubError } from "../../core/errors.ts";
import { createHttpClient } from "../../core/outbound/outbound.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { cleanText } from "../../core/strict-json.ts";
import type { Ctx } from "../../context.ts";
import { releaseSlotWhile } from "../../context.ts";
import type { CarrierAccount, QuoteAnswer, QuoteRequest } from "./carrier-accounts.schemas.ts";
import { findOutboundHosts, today } from "../organizations/organizations.ts";
import { requireOutbound } from "../outbound-pause/outbound-pause.ts";
import { openCredentials } from "./account-credentials.ts";
import { openTokens } from "./account-tokens.ts";
import { getAccount, presentAccount, requireCarrier } from "./carrier-accounts.ts";
import { inputErrors } from "./input-errors.ts";
import { presentQuote, readQuotes } from "./read-quotes.ts";
import type { StoredCard } from "./rate-cards.store.ts";
import { findCardOn, loadTariffParts } from "./tariff-inputs.ts";

export { inputErrors } from "./input-errors.ts";

export type OpenCarrier = {
  account: CarrierAccount;
  carrier: Carrier;
  credentials: Record<string, unknown>;
  call(effect: Effect, signal: AbortSignal): CarrierCall;
};

/** What a call is about: its idempotency key, and the earlier attempts at it. */
export type Effect = Pick<CarrierCall, "effectKey" | "attempt" | "noted" | "note"> & {
  /** It is stored with a record, and another attempt follows if this one gets no response in time. */
  isRecorded: boolean;
};

/** For calls that change nothing at the carrier, or are not stored with a record. */
export function singleCall(effectKey: string): Effect {
  const note = (): Promise<never> => Promise.reject(new Error("a call without a record has no notes"));
  return { effectKey, attempt: 1, noted: null, note, isRecorded: false };
}

const defaultTimeoutMs = 20_000;

/** How long the carrier may take for all requests of an operation together. */
export function timeoutOf({ timeouts }: Carrier, operation: CarrierOperation): number {
  return timeouts?.[operation] ?? defaultTimeoutMs;
}

/**
 * Loads an account with its carrier and credentials, ready for calls. `breaker`: failures for another purpose are counted apart, so that
 * they do not stop the other calls of the account.
 */
export async function openCarrier(ctx: Ctx, accountId: string, breaker?: "webhooks"): Promise<OpenCarrier> {
  const stored = await getAccount(ctx.db, ctx, accountId);
  const account = presentAccount(stored);
  const carrier = requireCarrier(account.carrier);
  const credentials = openCredentials(ctx, stored);
  if (!carrier.isTest?.({ settings: account.settings, credentials })) refuseInPreview(ctx, account, carrier);
  if (!carrier.isLocal) requireOutbound(ctx);
  // One circuit breaker per account: an account with wrong credentials does not block the others.
  const { allowPrivate } = ctx.settings.outbound;
  const breakerKey = [ctx.environment, "carrier-account", account.id, ...(breaker ? [breaker] : [])].join(":");
  const sendsTo = carrier.sendsTo?.(account.settings);
  const client = createHttpClient({
    allowPrivate,
    breakerKey,
    findAllowedHosts: () => findOutboundHosts(ctx, ctx.orgId),
    credentialsFor: stored.credentials === null ? undefined : sendsTo,
    timeoutMs: Math.max(defaultTimeoutMs, ...Object.values(carrier.timeouts ?? {})),
  });
  return {
    account,
    carrier,
    credentials,
    call: ({ isRecorded: _isRecorded, ...effect }, signal) => ({
      ...effect,
      settings: account.settings,
      credentials,
      http: { request: (request) => client.request({ signal, ...request }) },
      now: () => ctx.clock.now(),
      token: openTokens(ctx, { id: account.id, credentials, addresses: sendsTo ?? [] }, signal),
      signal,
    }),
  };
}

export type Failure = { code: string; message: string };

/** `fields`: of the request, which was refused before the carrier was called. `unknown`: the request may or may not have been carried out; retry it with the same key. */
export type CarrierResponse<T> =
  | { done: T }
  | { rejected: Failure; fields?: readonly InputField[] }
  | { unknown: string; retryAfterMs?: number; isRateLimited?: true };

const callLimit = createCallLimit();
const defaultConcurrency = 8;
/** Apart from the calls of the account: anyone may send webhooks, and purchases must not wait for them. */
const webhookConcurrency = 4;

/** Calls to an account at the same time, in this process. */
export function concurrencyOf({ isLocal, concurrency }: Carrier): number {
  return isLocal ? Infinity : (concurrency ?? defaultConcurrency);
}

/**
 * Calls a carrier, with a timeout and so many calls of an account at the same time. Exceptions become responses; stopping the hub
 * aborts the call. For a recorded effect the timeout includes the time in the queue: a call that starts late could run beside the
 * next attempt.
 */
export async function callCarrier<T>(
  ctx: Pick<Ctx, "environment" | "log" | "withoutSlot">,
  open: OpenCarrier,
  operation: CarrierOperation,
  effect: Effect,
  ask: (carrier: Carrier, call: CarrierCall) => Promise<T>,
  stopping?: AbortSignal,
): Promise<CarrierResponse<T>> {
  // A signal that is already aborted fires no event.
  if (stopping?.aborted) return { unknown: "The hub is stopping; the carrier was not called." };
  const { account, carrier } = open;
  const startTimeout = (): AbortSignal => {
    const timeout = AbortSignal.timeout(timeoutOf(carrier, operation));
    return stopping ? AbortSignal.any([timeout, stopping]) : timeout;
  };
  const deadline = effect.isRecorded ? startTimeout() : undefined;
  const isInbound = operation === "readWebhook";
  const limit = isInbound && !carrier.isLocal ? webhookConcurrency : concurrencyOf(carrier);
  const queue = `${ctx.environment} ${account.id}${isInbound ? " webhooks" : ""}`;
  return await releaseSlotWhile(ctx, async () => {
    let end: () => void;
    try {
      end = await callLimit.acquire(queue, limit, deadline ?? stopping);
    } catch {
      return { unknown: "The carrier was not called: other calls of this account took too long." };
    }
    try {
      return await callWithin(ctx, open, effect, ask, deadline ?? startTimeout());
    } finally {
      end();
    }
  });
}

async function callWithin<T>(
  ctx: Pick<Ctx, "log">,
  { carrier, call }: OpenCarrier,
  effect: Effect,
  ask: (carrier: Carrier, call: CarrierCall) => Promise<T>,
  signal: AbortSignal,
): Promise<CarrierResponse<T>> {
  const late = { unknown: "The carrier did not respond in time." };
  if (signal.aborted) return late;
  const timedOut = new Promise<CarrierResponse<T>>((resolve) => {
    signal.addEventListener("abort", () => resolve(late), { once: true });
  });
  // An async function, so that an exception thrown before the first await becomes a response as well.
  const answered = (async () => await ask(carrier, call(effect, signal)))().then(
    (done): CarrierResponse<T> => ({ done }),
    (error: unknown) => (signal.aborted ? late : readError(ctx.log, error)),
  );
  return await Promise.race([answered, timedOut]);
}

function readError(log: Ctx["log"], error: unknown): Exclude<CarrierResponse<never>, { done: never }> {
  if (!(error instanceof RemoteError)) {
    log.error({ err: error }, "unexpected error in a carrier");
    return { unknown: "The carrier could not be called." };
  }
  const { code, retryable, mayHaveHappened, retryAfterMs } = error;
  // The message may quote the carrier, including characters PostgreSQL cannot store.
  const message = cleanText(error.message);
  if (!retryable && !mayHaveHappened) {
    return { rejected: { code, message }, ...(error instanceof InvalidInput && { fields: error.fields }) };
  }
  return {
    unknown: message,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(code === "rate_limited" ? { isRateLimited: true } : {}),
  };
}

/** Preview data must not reach a real carrier by accident. In a carrier's test mode nothing is charged. */
function refuseInPreview({ environment, settings }: Ctx, { name }: CarrierAccount, carrier: Carrier): void {
  if (environment === "live" || carrier.isLocal || settings.outbound.allowFromPreview) return;
  const message = `The preview makes no outbound calls, and ${name} is an account with ${carrier.title}.`;
  throw new HubError(
    "outbound_disabled_in_preview",
    `${message} Use the demo carrier or the carrier's test mode, or set HUB_PREVIEW_OUTBOUND.`,
  );
}

/** Quotes parcels with one account for one day. Nothing is bought. */
export type Rater = {
  open: OpenCarrier;
  /** The card in effect on that day; null if the carrier does not use rate cards. */
  rateCard: StoredCard | null;
  /** `signal`: aborts the call. */
  rate(request: Omit<RateRequest, "shipDate">, signal?: AbortSignal): Promise<CarrierResponse<(Quote | NoQuote)[]>>;
};

/** Open it once for any number of parcels. */
export async function openRater(ctx: Ctx, accountId: string, shipDate: string, scenario?: Scenario): Promise<Rater> {
  const open = await openCarrier(ctx, accountId);
  const { account, carrier } = open;
  if (!carrier.rate) throw new HubError("invalid_state", `${carrier.title} does not support quotes.`);
  const usesRateCards = carrier.usesRateCards(account.settings);
  const rateCard = usesRateCards ? ((await findCardOn(ctx, accountId, shipDate)) ?? null) : null;
  if (usesRateCards && !rateCard) {
    throw new HubError("no_rate_card", `${account.name} has no rate card in effect on ${shipDate}.`);
  }
  const tariff = rateCard && (await loadTariffParts(ctx, accountId, rateCard.card, scenario)).tariff;
  return {
    open,
    rateCard,
    rate: (request, signal) =>
      callCarrier(
        ctx,
        open,
        "rate",
        singleCall(ctx.requestId),
        async (_carrier, call) =>
          readQuotes(await carrier.rate!({ ...call, ...(tariff ? { tariff } : {}) }, { ...request, shipDate })),
        signal,
      ),
  };
}

/** The price of a parcel with each service, line by line. */
export async function quoteParcel(ctx: Ctx, accountId: string, request: QuoteRequest): Promise<QuoteAnswer> {
  const { scenario, shipDate = await today(ctx), services, weight, dimensions, residential, options } = request;
  const { rateCard, rate } = await openRater(ctx, accountId, shipDate, scenario);
  const response = await rate({
    from: addressOf(request.origin),
    to: addressOf(request.destination),
    parcels: [{ weight, ...(dimensions ? { dimensions } : {}) }],
    options: { ...options, ...(residential === undefined ? {} : { residential }) },
    ...(services ? { services } : {}),
  });
  if (!("done" in response)) throw noQuotes(response);
  const answers = response.done;
  const quotes = answers.filter((answer) => "total" in answer).toSorted((a, b) => toCents(a.total) - toCents(b.total));
  return {
    carrierAccountId: accountId,
    rateCard,
    shipDate,
    quotes: quotes.map(presentQuote),
    unavailable: answers.filter((answer) => "reason" in answer),
  };
}

function addressOf({ state, ...address }: QuoteRequest["origin"]): Address {
  return codedAddress(state === undefined ? address : { provinceCode: state, ...address });
}

const placesOfQuote = { from: "/origin", to: "/destination" };

function noQuotes(response: Exclude<CarrierResponse<unknown>, { done: unknown }>): HubError {
  if ("unknown" in response) return new HubError("carrier_failed", response.unknown);
  const errors = inputErrors(response, placesOfQuote);
  if (errors.length > 0) return new HubError("validation_failed", response.rejected.message, { errors });
  const { code, message } = response.rejected;
  return code === "unknown_service" ? badField("/services", code, message) : new HubError("carrier_failed", message);
}
