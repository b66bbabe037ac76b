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
import { releaseSlotWhile } from "../../context.ts";
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
  /** What the carrier's functions take; `effectKey` stays the same when the same request is repeated. */
  call(effectKey: string, signal: AbortSignal): CarrierCall;
};

/** As long as a carrier is waited for, unless it says otherwise. */
const timeoutMs = 20_000;

/** An account, the carrier behind it and its credentials: for whoever is about to call the carrier. */
export async function openCarrier(ctx: Ctx, accountId: string): Promise<OpenCarrier> {
  const stored = await getAccount(ctx.db, ctx, accountId);
  const account = presentAccount(stored);
  const carrier = findCarrier(account.carrier)!;
  refuseInPreview(ctx, account, carrier);
  if (!carrier.isLocal) requireOutbound(ctx);
  const credentials = openCredentials(ctx, stored);
  // Failures are counted for each account: one with a wrong key does not close the way for the others.
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

/** What a carrier said. `unknown`: perhaps it happened, perhaps not; ask again under the same key. */
export type CarrierAnswer<T> = { done: T } | { refused: Failure } | { unknown: string; retryAfterMs?: number };

/** Waits for a carrier, but not for ever, nor longer than the hub runs. What it throws becomes an answer, too. */
export async function askCarrier<T>(
  ctx: Pick<Ctx, "log" | "withoutSlot">,
  { carrier, call }: OpenCarrier,
  effectKey: string,
  ask: (carrier: Carrier, call: CarrierCall) => Promise<T>,
  stopping?: AbortSignal,
): Promise<CarrierAnswer<T>> {
  // A signal that is aborted already tells nobody.
  if (stopping?.aborted) return { unknown: "The hub is being stopped; the carrier was not asked." };
  const timeout = AbortSignal.timeout(carrier.timeoutMs ?? timeoutMs);
  const signal = stopping ? AbortSignal.any([timeout, stopping]) : timeout;
  const late = { unknown: "The carrier did not answer in time." };
  const timedOut = new Promise<CarrierAnswer<T>>((resolve) => {
    signal.addEventListener("abort", () => resolve(late), { once: true });
  });
  // A function of its own, so that what is thrown before the first await is an answer as well.
  const answered = (async () => await ask(carrier, call(effectKey, signal)))().then(
    (done): CarrierAnswer<T> => ({ done }),
    (error: unknown) => (signal.aborted ? late : readError(ctx.log, error)),
  );
  return await releaseSlotWhile(ctx, () => Promise.race([answered, timedOut]));
}

function readError(log: Ctx["log"], error: unknown): Exclude<CarrierAnswer<never>, { done: never }> {
  if (!(error instanceof RemoteError)) {
    log.error({ err: error }, "a carrier failed in a way it should not");
    return { unknown: "The carrier could not be asked." };
  }
  const { code, retryable, mayHaveHappened, retryAfterMs } = error;
  // It may quote the other side, which says what PostgreSQL cannot store.
  const message = cleanText(error.message);
  if (!retryable && !mayHaveHappened) return { refused: { code, message } };
  return { unknown: message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** What is in the preview must not reach a real carrier by accident. */
function refuseInPreview({ environment, settings }: Ctx, { name }: CarrierAccount, carrier: Carrier): void {
  if (environment === "live" || carrier.isLocal || settings.outbound.allowFromPreview) return;
  const message = `The preview calls nobody outside, and ${name} is an account with ${carrier.title}.`;
  throw new HubError("outbound_disabled_in_preview", `${message} Use the demo carrier, or set HUB_PREVIEW_OUTBOUND.`);
}

/** The card of an account that is in effect on a day; undefined when none is. */
export async function findCardOn(ctx: Ctx, accountId: string, day: string): Promise<store.StoredCard | undefined> {
  return await store.findCardOn(ctx.db, ctx.orgId, accountId, day);
}

/** The same for many accounts and days, in their order: only the ids, in one query. */
export async function findCardIdsOn(ctx: Ctx, wanted: store.CardDay[]): Promise<(string | null)[]> {
  return wanted.length === 0 ? [] : await store.findCardIdsOn(ctx.db, ctx.orgId, wanted);
}

/** Cards of other days than the one that everything else goes by: which day has which. */
export type DatedCards = { cards: RateCard[]; days: Record<string, number> };

/** The cards that were in effect on these days, as far as they are others than this one, in the same currency. */
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

/** What prices depend on: each part with a text that is another one when the part was changed. */
export type InputStamps = Record<string, string>;

/** Which cards counted in these times. */
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

/** The same parts as they are now, for many at once; the names are those of stamps. */
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

/** `make`: the same with another scenario. */
export type TariffParts = { tariff: Tariff; make(scenario?: Scenario): Tariff; digest(): string };

/**
 * A card made ready to price many parcels: with its condition sets and the zone chart of the account. The digest of these
 * is the same as long as nobody changes the chart or one of the sets.
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

/** Prices parcels with one account as they are on one day. Nothing is bought. */
export type Rater = {
  open: OpenCarrier;
  /** The one that is in effect then; null where prices do not come from cards. */
  rateCard: store.StoredCard | null;
  rate(request: Omit<RateRequest, "shipDate">): Promise<CarrierAnswer<(Quote | NoQuote)[]>>;
};
type RateRequest = Parameters<NonNullable<Carrier["rate"]>>[1];

/** Opened once for any number of parcels. */
export async function openRater(ctx: Ctx, accountId: string, shipDate: string, scenario?: Scenario): Promise<Rater> {
  const open = await openCarrier(ctx, accountId);
  const { account, carrier } = open;
  if (!carrier.rate) throw new HubError("invalid_state", `${carrier.title} gives no prices.`);
  const rateCard = carrier.usesRateCards ? ((await findCardOn(ctx, accountId, shipDate)) ?? null) : null;
  if (carrier.usesRateCards && !rateCard) {
    throw new HubError("no_rate_card", `${account.name} has no rate card that is in effect on ${shipDate}.`);
  }
  const tariff = rateCard && (await loadTariffParts(ctx, accountId, rateCard.card, scenario)).tariff;
  return {
    open,
    rateCard,
    rate: (request) =>
      askCarrier(ctx, open, ctx.requestId, (_carrier, call) =>
        carrier.rate!({ ...call, ...(tariff ? { tariff } : {}) }, { ...request, shipDate }),
      ),
  };
}

/** What a parcel would cost with each service, line by line. */
export async function quoteParcel(ctx: Ctx, accountId: string, request: QuoteRequest): Promise<QuoteAnswer> {
  const { scenario, shipDate = await today(ctx), services, ...parcel } = request;
  const { rateCard, rate } = await openRater(ctx, accountId, shipDate, scenario);
  const said = await rate({ ...parcel, ...(services ? { services } : {}) });
  if (!("done" in said)) throw noQuotes(said);
  const answers = said.done;
  const quotes = answers.filter((answer) => "total" in answer).toSorted((a, b) => toCents(a.total) - toCents(b.total));
  return {
    carrierAccountId: accountId,
    rateCard,
    shipDate,
    quotes: quotes.map((quote) => ({ ...quote, total: fromCents(toCents(quote.total)) })) as QuoteAnswer["quotes"],
    unavailable: answers.filter((answer) => "reason" in answer),
  };
}

function noQuotes(said: { refused: Failure } | { unknown: string }): HubError {
  if ("unknown" in said) return new HubError("carrier_failed", said.unknown);
  const { code, message } = said.refused;
  return code === "unknown_service" ? badField("/services", code, message) : new HubError("carrier_failed", message);
}
