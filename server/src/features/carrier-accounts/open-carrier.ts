import { createHash } from "node:crypto";
import type { Carrier, CarrierCall } from "../../carriers/carrier.ts";
import { findCarrier } from "../../carriers/installed-carriers.ts";
import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import { setsOfCard } from "../../carriers/rate-card/compile-card.ts";
import type { NoQuote, Quote } from "../../carriers/rate-card/quote.ts";
import { fromCents, toCents } from "../../core/money.ts";
import type { Scenario, Tariff } from "../../carriers/rate-card/tariff.ts";
import { createTariff } from "../../carriers/rate-card/tariff.ts";
import { compileChart } from "../../carriers/zones/zone-chart.ts";
import { badField, HubError } from "../../core/errors.ts";
import { createHttpClient } from "../../core/outbound/outbound.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { cleanText } from "../../core/strict-json.ts";
import type { Ctx } from "../../context.ts";
import { waitOutside } from "../../context.ts";
import { findSets, loadSets } from "../condition-sets/condition-sets.ts";
import type { CarrierAccount, QuoteAnswer, QuoteRequest } from "./carrier-accounts.schemas.ts";
import { findOutboundHosts, today } from "../organizations/organizations.ts";
import { requireOutbound } from "../outbound-pause/outbound-pause.ts";
import { openCredentials } from "./account-credentials.ts";
import { getAccount, presentAccount } from "./carrier-accounts.ts";
import { findAliasDigests } from "./carrier-accounts.store.ts";
import * as store from "./rate-cards.store.ts";

export type OpenCarrier = {
  account: CarrierAccount;
  carrier: Carrier;
  /** The context of one call; retries use the same `effectKey`. */
  call(effectKey: string, signal: AbortSignal): CarrierCall;
};

/** Default response timeout. */
const timeoutMs = 20_000;

/** Loads an account with its carrier and credentials, ready for calls. */
export async function openCarrier(ctx: Ctx, accountId: string): Promise<OpenCarrier> {
  const stored = await getAccount(ctx.db, ctx, accountId);
  const account = presentAccount(stored);
  const carrier = findCarrier(account.carrier)!;
  refuseInPreview(ctx, account, carrier);
  if (!carrier.isLocal) requireOutbound(ctx);
  const credentials = openCredentials(ctx, stored);
  // One circuit breaker per account: an account with wrong credentials does not block the others.
  const { allowPrivate } = ctx.settings.outbound;
  const breakerKey = `${ctx.environment}:carrier-account:${account.id}`;
  const sendsTo = carrier.sendsTo?.(account.settings);
  const client = createHttpClient({
    allowPrivate,
    breakerKey,
    findAllowedHosts: () => findOutboundHosts(ctx, ctx.orgId),
    credentialsFor: stored.credentials === null || sendsTo === undefined ? undefined : [sendsTo],
    timeoutMs: carrier.timeoutMs ?? timeoutMs,
  });
  return {
    account,
    carrier,
    call: (effectKey, signal) => ({
      settings: account.settings,
      credentials,
      http: { request: (request) => client.request({ signal, ...request }) },
      now: () => ctx.clock.now(),
      effectKey,
      signal,
    }),
  };
}

export type Failure = { code: string; message: string };

/** `unknown`: the request may or may not have been carried out; retry it with the same key. */
export type CarrierResponse<T> = { done: T } | { rejected: Failure } | { unknown: string; retryAfterMs?: number };

/** Calls a carrier with a timeout. Exceptions become responses; stopping the hub aborts the call. */
export async function callCarrier<T>(
  ctx: Pick<Ctx, "log" | "aside">,
  { carrier, call }: OpenCarrier,
  effectKey: string,
  ask: (carrier: Carrier, call: CarrierCall) => Promise<T>,
  stopping?: AbortSignal,
): Promise<CarrierResponse<T>> {
  // A signal that is already aborted fires no event.
  if (stopping?.aborted) return { unknown: "The hub is stopping; the carrier was not called." };
  const timeout = AbortSignal.timeout(carrier.timeoutMs ?? timeoutMs);
  const signal = stopping ? AbortSignal.any([timeout, stopping]) : timeout;
  const late = { unknown: "The carrier did not respond in time." };
  const timedOut = new Promise<CarrierResponse<T>>((resolve) => {
    signal.addEventListener("abort", () => resolve(late), { once: true });
  });
  // An async function, so that an exception thrown before the first await becomes a response as well.
  const answered = (async () => await ask(carrier, call(effectKey, signal)))().then(
    (done): CarrierResponse<T> => ({ done }),
    (error: unknown) => (signal.aborted ? late : readError(ctx.log, error)),
  );
  return await waitOutside(ctx, () => Promise.race([answered, timedOut]));
}

function readError(log: Ctx["log"], error: unknown): Exclude<CarrierResponse<never>, { done: never }> {
  if (!(error instanceof RemoteError)) {
    log.error({ err: error }, "unexpected error in a carrier");
    return { unknown: "The carrier could not be called." };
  }
  const { code, retryable, mayHaveHappened, retryAfterMs } = error;
  // The message may quote the carrier, including characters PostgreSQL cannot store.
  const message = cleanText(error.message);
  if (!retryable && !mayHaveHappened) return { rejected: { code, message } };
  return { unknown: message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** Preview data must not reach a real carrier by accident. */
function refuseInPreview({ environment, settings }: Ctx, { name }: CarrierAccount, carrier: Carrier): void {
  if (environment === "live" || carrier.isLocal || settings.outbound.allowFromPreview) return;
  const message = `The preview calls nobody outside, and ${name} is an account with ${carrier.title}.`;
  throw new HubError("outbound_disabled_in_preview", `${message} Use the demo carrier, or set HUB_PREVIEW_OUTBOUND.`);
}

/** The card in effect on a day, if any. */
export async function findCardOn(ctx: Ctx, accountId: string, day: string): Promise<store.StoredCard | undefined> {
  return await store.findCardOn(ctx.db, ctx.orgId, accountId, day);
}

/** The IDs of the cards in effect for many accounts and days, in their order, in one query. */
export async function findCardIdsOn(ctx: Ctx, wanted: store.CardDay[]): Promise<(string | null)[]> {
  return wanted.length === 0 ? [] : await store.findCardIdsOn(ctx.db, ctx.orgId, wanted);
}

/** Cards that apply on other days than the comparison's; `days` maps each such day to an index in `cards`. */
export type DatedCards = { cards: RateCard[]; days: Record<string, number> };

/** The cards in effect on these days that differ from the usual one and have its currency. */
export async function findDatedCards(
  ctx: Ctx,
  accountId: string,
  usual: { id: string | null; card: RateCard },
  days: string[],
): Promise<DatedCards> {
  const dated: DatedCards = { cards: [], days: {} };
  if (usual.id === null || days.length === 0) return dated;
  const indexes = new Map<string, number | undefined>([[usual.id, undefined]]);
  for (const { day, id } of await store.findCardsOnDays(ctx.db, ctx.orgId, accountId, days)) {
    if (!indexes.has(id)) {
      const found = await store.findCard(ctx.db, ctx.orgId, accountId, id);
      const isAlike = found && (found.card.currency ?? "USD") === (usual.card.currency ?? "USD");
      indexes.set(id, isAlike ? dated.cards.push(found.card) - 1 : undefined);
    }
    const index = indexes.get(id);
    if (index !== undefined) dated.days[day] = index;
  }
  return dated;
}

/** The inputs of prices, each with a stamp that changes when the input changes. */
export type InputStamps = Record<string, string>;

/** Stamps of the cards in effect during these spans. */
export async function readCardStamps(ctx: Pick<Ctx, "db" | "orgId">, spans: store.CardSpan[]): Promise<InputStamps> {
  const told = spans.length === 0 ? [] : await store.describeCardsIn(ctx.db, ctx.orgId, spans);
  return Object.fromEntries(spans.map(({ accountId, from, to }, i) => [`cards ${accountId} ${from} ${to}`, told[i]!]));
}

export async function readInputStamps(
  ctx: Pick<Ctx, "db" | "orgId">,
  accountIds: string[],
  sets: string[],
): Promise<InputStamps> {
  const { db, orgId } = ctx;
  const [charts, aliases, found] = await Promise.all([
    store.findChartTimes(db, orgId, accountIds),
    findAliasDigests(db, orgId, accountIds),
    findSets(db, orgId, sets),
  ]);
  const stamps: InputStamps = {};
  for (const id of accountIds) [stamps[`chart ${id}`], stamps[`names ${id}`]] = ["", ""];
  for (const { accountId, at } of charts) stamps[`chart ${accountId}`] = at.toISOString();
  for (const { id, digest } of aliases) stamps[`names ${id}`] = digest;
  for (const { id, version } of found) stamps[`set ${id}`] = String(version);
  return stamps;
}

/** Reads the stamps with these names again, as of now. */
export async function readStampsAgain(ctx: Ctx, names: Iterable<string>): Promise<InputStamps> {
  const [accountIds, setIds] = [new Set<string>(), new Set<string>()];
  const spans: store.CardSpan[] = [];
  for (const name of names) {
    const [kind, id = "", from = "", to = ""] = name.split(" ");
    if (kind === "cards") spans.push({ accountId: id, from, to });
    else (kind === "set" ? setIds : accountIds).add(id);
  }
  const cards = await readCardStamps(ctx, spans);
  if (accountIds.size + setIds.size === 0) return cards;
  return { ...cards, ...(await readInputStamps(ctx, [...accountIds], [...setIds])) };
}

/** `make` creates the tariff for another scenario. */
export type TariffParts = { tariff: Tariff; make(scenario?: Scenario): Tariff; digest(): string };

/**
 * Compiles a card with its condition sets and the zone chart of the account. The digest changes when the chart or one of
 * the sets does.
 */
export async function loadTariffParts(
  ctx: Ctx,
  accountId: string,
  card: RateCard,
  scenario?: Scenario,
): Promise<TariffParts> {
  const sets = await loadSets(ctx, setsOfCard(card));
  const rows = await store.findChartRows(ctx.db, ctx.orgId, accountId);
  const chart = rows && compileChart(rows);
  const make = (other?: Scenario): Tariff => createTariff(card, sets.lookup, chart, other);
  return {
    tariff: make(scenario),
    make,
    digest: () =>
      createHash("sha256")
        .update(JSON.stringify(rows ?? null))
        .update(sets.digest())
        .digest("hex"),
  };
}

/** Quotes parcels with one account for one day. Nothing is bought. */
export type Rater = {
  open: OpenCarrier;
  /** The card in effect on that day; null if the carrier does not use rate cards. */
  rateCard: store.StoredCard | null;
  rate(request: Omit<RateRequest, "shipDate">): Promise<CarrierResponse<(Quote | NoQuote)[]>>;
};
type RateRequest = Parameters<NonNullable<Carrier["rate"]>>[1];

/** Open it once for any number of parcels. */
export async function openRater(ctx: Ctx, accountId: string, shipDate: string, scenario?: Scenario): Promise<Rater> {
  const open = await openCarrier(ctx, accountId);
  const { account, carrier } = open;
  if (!carrier.rate) throw new HubError("invalid_state", `${carrier.title} does not support quotes.`);
  const rateCard = carrier.usesRateCards ? ((await findCardOn(ctx, accountId, shipDate)) ?? null) : null;
  if (carrier.usesRateCards && !rateCard) {
    throw new HubError("no_rate_card", `${account.name} has no rate card in effect on ${shipDate}.`);
  }
  const tariff = rateCard && (await loadTariffParts(ctx, accountId, rateCard.card, scenario)).tariff;
  return {
    open,
    rateCard,
    rate: (request) =>
      callCarrier(ctx, open, ctx.requestId, (_carrier, call) =>
        carrier.rate!({ ...call, ...(tariff ? { tariff } : {}) }, { ...request, shipDate }),
      ),
  };
}

/** The price of a parcel with each service, line by line. */
export async function quoteParcel(ctx: Ctx, accountId: string, request: QuoteRequest): Promise<QuoteAnswer> {
  const { scenario, shipDate = await today(ctx), services, ...parcel } = request;
  const { rateCard, rate } = await openRater(ctx, accountId, shipDate, scenario);
  const response = await rate({ ...parcel, ...(services ? { services } : {}) });
  if (!("done" in response)) throw noQuotes(response);
  const answers = response.done;
  const quotes = answers.filter((answer) => "total" in answer).toSorted((a, b) => toCents(a.total) - toCents(b.total));
  return {
    carrierAccountId: accountId,
    rateCard,
    shipDate,
    quotes: quotes.map((quote) => ({ ...quote, total: fromCents(toCents(quote.total)) })) as QuoteAnswer["quotes"],
    unavailable: answers.filter((answer) => "reason" in answer),
  };
}

function noQuotes(response: { rejected: Failure } | { unknown: string }): HubError {
  if ("unknown" in response) return new HubError("carrier_failed", response.unknown);
  const { code, message } = response.rejected;
  return code === "unknown_service" ? badField("/services", code, message) : new HubError("carrier_failed", message);
}
