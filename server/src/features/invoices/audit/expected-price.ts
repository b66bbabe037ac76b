import { basePrice } from "../../../carriers/rate-card/base-price.ts";
import type { CompiledService, ServiceMatch } from "../../../carriers/rate-card/compile-card.ts";
import { findService, matchService } from "../../../carriers/rate-card/compile-card.ts";
import type { Parcel, Price, Refusal, Situation, Trip } from "../../../carriers/rate-card/price.ts";
import { isRefusal, priceParcel, weigh } from "../../../carriers/rate-card/price.ts";
import { tripOf } from "../../../carriers/rate-card/quote.ts";
import { foldService, saysHome } from "../../../carriers/rate-card/service-level.ts";
import type { Tariff } from "../../../carriers/rate-card/tariff.ts";
import { situationOf, zoneOf } from "../../../carriers/rate-card/tariff.ts";
import type { Place } from "../../../carriers/zones/resolve-zone.ts";
import type { CardOnDay } from "../../carrier-accounts/tariff-inputs.ts";
import type { BilledFacts, BilledParcel, NotAuditedReason, OwnParcel } from "./billed-parcel.ts";
import type { ChargeKeys } from "./charge-meaning.ts";
import { residentialKey } from "./charge-meaning.ts";
import type { Bill } from "./parcel-bill.ts";

/** The contract of an invoice: the cards of an account by day. */
export type Contract = {
  accountId: string;
  accountName: string;
  /** Folded names of services, each with the service of the card it stands for. */
  aliases: ReadonlyMap<string, string>;
  on(day: string): ContractCard | undefined;
};

/** `services`: those of the card by the names on invoices, as far as they were looked up. */
export type ContractCard = CardOnDay & { keys: ChargeKeys; services: Map<string, ServiceMatch | undefined> };

/** A price with the situation it was calculated in. */
export type Priced = { situation: Situation; price: Price };

/**
 * The contract's prices of a parcel, from the facts as they were billed to those that are right. Each step replaces one fact, so
 * that the difference between two steps is what that fact costs.
 */
export type Expected = {
  card: CardOnDay;
  service: CompiledService;
  keys: ChargeKeys;
  zone: { billed: string; expected: string; source: string };
  residential: { billed: boolean; expected: boolean };
  /** The size of the parcel is known. */
  hasSides: boolean;
  asBilled: Priced;
  withZone: Priced;
  withWeight: Priced;
  final: Priced;
};

export function isNoPrice(found: Expected | { reason: NotAuditedReason }): found is { reason: NotAuditedReason } {
  return "reason" in found;
}

export function expectPrice(
  { facts, own, pieces }: BilledParcel,
  bill: Bill,
  contract: Contract | undefined,
): Expected | { reason: NotAuditedReason } {
  if (!contract) return { reason: "no_contract" };
  if (!facts) return { reason: "transport_missing" };
  if (facts.shipDate === null) return { reason: "ship_date_missing" };
  const card = contract.on(facts.shipDate);
  if (!card) return { reason: "card_not_in_effect" };
  if (facts.currency !== card.tariff.card.currency) return { reason: "currency_mismatch" };
  const hasZonesAbroad = card.tariff.card.services.some(({ countryZones }) => countryZones !== undefined);
  if (isAbroad(facts) && !hasZonesAbroad) return { reason: "international" };
  const service = facts.service === null ? undefined : serviceOf(contract, card, facts.service)?.service;
  if (!service) return { reason: "service_unmatched" };
  if (isPricedTogether(service, pieces)) return { reason: "priced_together" };
  return priceSteps(facts, own, bill, card, service);
}

/** Not within the United States. */
export function isAbroad({ countries }: BilledFacts): boolean {
  return countries.sender !== null || countries.receiver !== null;
}

/** Foreign postal codes are no ZIPs. */
const placeOf = (zip: string | null, country: string | null): Place => (country === null ? { zip } : { country });

/** The other parcels of the shipment may be on several invoices. UPS states a lead number for single parcels, too: their own. */
function isPricedTogether({ hundredweight, isRatedByTotal }: CompiledService, pieces: number | null): boolean {
  if ((pieces ?? 1) > 1) return hundredweight !== undefined || isRatedByTotal;
  return hundredweight?.minPieces === 1;
}

function serviceOf({ aliases }: Contract, { tariff, services }: ContractCard, name: string): ServiceMatch | undefined {
  if (services.has(name)) return services.get(name);
  const alias = aliases.get(foldService(name));
  // Another service is another price: there is no fallback to the next one.
  const found = alias === undefined ? matchService(tariff.card, name, "none") : findService(tariff.card, alias);
  services.set(name, found);
  return found;
}

/** `isComparable`: what the contract bills is known. Not for a parcel that was billed by a size that neither the invoice nor a label has. */
type Weights = { billedMg: number; asBilled: Parcel; expected: Parcel; isComparable: boolean };

function weightsOf(facts: BilledFacts, own: OwnParcel | undefined, service: CompiledService): Weights | undefined {
  const knownMg = own?.weightMg ?? facts.enteredMg;
  const billedMg = facts.billedMg ?? knownMg ?? (service.isFlat ? 0 : null);
  if (billedMg === null) return undefined;
  const isBySize = facts.basis === "dimensional";
  const sides = own?.sides ?? facts.sides;
  return {
    billedMg,
    isComparable: !isBySize || (service.dims.length > 0 ? sides !== undefined : knownMg !== null),
    asBilled: { weightMg: isBySize ? (knownMg ?? 0) : billedMg, sides: facts.sides ?? own?.sides },
    // Billed by size, the parcel weighs less than that; how much less does not matter.
    expected: { weightMg: knownMg ?? (isBySize ? 0 : billedMg), sides },
  };
}

function priceSteps(
  facts: BilledFacts,
  own: OwnParcel | undefined,
  bill: Bill,
  card: ContractCard,
  service: CompiledService,
): Expected | { reason: NotAuditedReason } {
  const { tariff, keys } = card;
  const weights = weightsOf(facts, own, service);
  if (!weights) return { reason: "weight_missing" };
  const origin = placeOf(facts.senderZip, facts.countries.sender);
  const destination = placeOf(facts.receiverZip, facts.countries.receiver);
  const found = zoneOf(tariff, origin, destination, service, weights.expected.weightMg);
  const billedZone = zoneAsBilled(service, facts.zone);
  if ("reason" in found && (billedZone === undefined || found.reason === "not_serviceable")) return found;
  const isOpen = "reason" in found;
  // Near the edge of a band the carrier's own chart may have the next zone.
  const accepted = isOpen || found.alternativeZone === billedZone ? billedZone : undefined;
  const zone = accepted ?? (isOpen ? billedZone! : found.zone);
  const isHome = bill.surcharges.has(residentialKey) || (saysHome(facts.service ?? "") ?? false);
  const residential = { billed: isHome, expected: own?.residential ?? isHome };
  const trip = (at: string, home: boolean): Trip =>
    tripOf(at, { origin, destination, residential: home, shipDate: facts.shipDate! });
  const price = (at: string, home: boolean, isExpected: boolean): Priced | Refusal =>
    isExpected
      ? priceAt(tariff, service, trip(at, home), weights.expected)
      : priceAt(tariff, service, trip(at, home), weights.asBilled, weights.billedMg);
  const withZone = price(zone, isHome, false);
  if (isRefusal(withZone)) return withZone;
  const asBilled = billedZone === undefined || billedZone === zone ? withZone : price(billedZone, isHome, false);
  // A fact with which the parcel has no price explains nothing that was billed.
  const withWeight = orElse(price(zone, isHome, weights.isComparable), withZone);
  const final =
    residential.expected === isHome ? withWeight : orElse(price(zone, !isHome, weights.isComparable), withWeight);
  return {
    card,
    service,
    keys,
    zone: { billed: billedZone ?? zone, expected: zone, source: isOpen ? "invoice" : found.source },
    residential,
    hasSides: weights.asBilled.sides !== undefined,
    asBilled: orElse(asBilled, withZone),
    withZone,
    withWeight,
    final,
  };
}

function orElse(price: Priced | Refusal, other: Priced): Priced {
  return isRefusal(price) ? other : price;
}

/** `billedMg`: the weight that the base price is for, whatever weight and size of the parcel are. */
function priceAt(
  tariff: Tariff,
  service: CompiledService,
  trip: Trip,
  parcel: Parcel,
  billedMg?: number,
): Priced | Refusal {
  const situation = situationOf(tariff, service, trip);
  if (isRefusal(situation)) return situation;
  if (billedMg === undefined) return withPrice(situation, priceParcel(situation, parcel));
  const weighed = weigh(situation, parcel);
  if (isRefusal(weighed)) return weighed;
  const base = basePrice(situation, { ...weighed, billableMg: billedMg });
  return withPrice(situation, isRefusal(base) ? base : priceParcel(situation, parcel, { base, isLead: true }));
}

function withPrice(situation: Situation, price: Price | Refusal): Priced | Refusal {
  return isRefusal(price) ? price : { situation, price };
}

/** The billed zone as the card names it: carriers write 2 as 002, and put the service before it (202, 302). */
function zoneAsBilled(service: CompiledService, zone: string | null): string | undefined {
  if (zone === null) return undefined;
  const bare = zone.replace(/^0+(?=.)/, "");
  const last = /^\d{3}$/.test(bare) ? bare.slice(-1) : bare;
  const names = [zone, bare, service.zoneNames?.get(bare), last, service.zoneNames?.get(last)];
  return names.find((name) => name !== undefined && service.cells.has(name));
}
