import { createHash } from "node:crypto";
import type { Carrier, CarrierCall } from "../../carriers/carrier.ts";
import { CarrierError } from "../../carriers/carrier.ts";
import { findCarrier } from "../../carriers/installed-carriers.ts";
import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import { setsOfCard } from "../../carriers/rate-card/compile-card.ts";
import { fromCents, toCents } from "../../core/money.ts";
import type { Scenario, Tariff } from "../../carriers/rate-card/tariff.ts";
import { createTariff } from "../../carriers/rate-card/tariff.ts";
import { compileChart } from "../../carriers/zones/zone-chart.ts";
import { badField, HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { loadSets } from "../condition-sets/condition-sets.ts";
import type { CarrierAccount, QuoteAnswer, QuoteRequest } from "./carrier-accounts.schemas.ts";
import { openCredentials } from "./account-credentials.ts";
import { getCarrierAccount, getRow, today } from "./carrier-accounts.ts";
import * as store from "./rate-cards.store.ts";

export type OpenCarrier = {
  account: CarrierAccount;
  carrier: Carrier;
  /** What the carrier's functions take; `effectKey` stays the same when the same request is repeated. */
  call(effectKey: string, tariff?: Tariff): CarrierCall;
};

/** An account, the carrier behind it and its credentials: for whoever is about to call the carrier. */
export async function openCarrier(ctx: Ctx, accountId: string): Promise<OpenCarrier> {
  const row = await getRow(ctx.db, ctx, accountId);
  const account = await getCarrierAccount(ctx, accountId);
  const carrier = findCarrier(row.carrier)!;
  refuseInPreview(ctx, account, carrier);
  const credentials = openCredentials(ctx, row);
  return {
    account,
    carrier,
    call: (effectKey, tariff) => ({
      settings: row.settings,
      credentials,
      ...(tariff ? { tariff } : {}),
      now: () => ctx.clock.now(),
      effectKey,
    }),
  };
}

/** What is in the preview must not reach a real carrier by accident. */
function refuseInPreview({ environment, settings }: Ctx, { name }: CarrierAccount, carrier: Carrier): void {
  if (environment === "live" || carrier.isLocal || settings.outbound.allowFromPreview) return;
  const message = `The preview calls nobody outside, and ${name} is an account with ${carrier.title}.`;
  throw new HubError("preview_calls_nobody", `${message} Use the demo carrier, or set HUB_PREVIEW_OUTBOUND.`);
}

export type CardInEffect = { id: string; version: number; name: string; card: RateCard };

/** The card of an account that is in effect on a day; undefined when none is. */
export async function findCardOn(ctx: Ctx, accountId: string, day: string): Promise<CardInEffect | undefined> {
  const row = await store.findCardOn(ctx.db, ctx.orgId, accountId, day);
  return row && { id: row.id, version: row.number, name: row.name, card: row.card };
}

/** The same for many accounts and days, in their order: only the ids, in one query. */
export async function findCardIdsOn(ctx: Ctx, wanted: store.CardDay[]): Promise<(string | null)[]> {
  return wanted.length === 0 ? [] : await store.findCardIdsOn(ctx.db, ctx.orgId, wanted);
}

/** A card made ready to price many parcels: with its condition sets and the zone chart of the account. */
export async function loadTariff(ctx: Ctx, accountId: string, card: RateCard, scenario?: Scenario): Promise<Tariff> {
  return (await loadTariffParts(ctx, accountId, card, scenario)).tariff;
}

/** With a digest of what the card was read with: the same as long as nobody changes the chart or one of the sets. */
export async function loadTariffParts(
  ctx: Ctx,
  accountId: string,
  card: RateCard,
  scenario?: Scenario,
): Promise<{ tariff: Tariff; digest(): string }> {
  const sets = await loadSets(ctx, setsOfCard(card));
  const rows = await store.findChartRows(ctx.db, ctx.orgId, accountId);
  return {
    tariff: createTariff(card, sets.lookup, rows && compileChart(rows), scenario),
    digest: () =>
      createHash("sha256")
        .update(JSON.stringify(rows ?? null))
        .update(sets.digest())
        .digest("hex"),
  };
}

/** What a parcel would cost with each service, line by line. Nothing is bought. */
export async function quoteParcel(ctx: Ctx, accountId: string, request: QuoteRequest): Promise<QuoteAnswer> {
  const { account, carrier, call } = await openCarrier(ctx, accountId);
  if (!carrier.rate) throw new HubError("invalid_state", `${carrier.title} gives no prices.`);
  const { scenario, shipDate = today(ctx), services, ...parcel } = request;
  const inEffect = carrier.usesRateCards ? await findCardOn(ctx, accountId, shipDate) : undefined;
  if (carrier.usesRateCards && !inEffect) {
    throw new HubError("no_rate_card", `${account.name} has no rate card that is in effect on ${shipDate}.`);
  }
  const tariff = inEffect && (await loadTariff(ctx, accountId, inEffect.card, scenario));
  const asked = { ...parcel, shipDate, ...(services ? { services } : {}) };
  const answers = await carrier.rate(call(ctx.requestId, tariff), asked).catch(explainCarrierError);
  const quotes = answers.filter((answer) => "total" in answer).toSorted((a, b) => toCents(a.total) - toCents(b.total));
  return {
    carrierAccountId: accountId,
    rateCard: inEffect
      ? {
          id: inEffect.id,
          version: inEffect.version,
          name: inEffect.name,
          effectiveFrom: inEffect.card.effectiveFrom,
          effectiveTo: inEffect.card.effectiveTo ?? null,
        }
      : null,
    shipDate,
    quotes: quotes.map((quote) => ({ ...quote, total: fromCents(toCents(quote.total)) })) as QuoteAnswer["quotes"],
    unavailable: answers.filter((answer) => "reason" in answer),
  };
}

function explainCarrierError(error: unknown): never {
  if (!(error instanceof CarrierError)) throw error;
  if (error.code === "unknown_service") throw badField("/services", "unknown_service", error.message);
  throw new HubError("carrier_failed", error.message);
}
