import { createHash } from "node:crypto";
import { Strict } from "../../core/schema.ts";
import type { Carrier } from "../carrier.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { defaultPickupRules } from "../pickup-rules.ts";
import type { CompiledService } from "./compile-card.ts";
import { findService } from "./compile-card.ts";
import { quoteService } from "./quote.ts";
import type { Tariff } from "./tariff.ts";

/** A contract without an API: prices come from uploaded cards, and pickups are checked and recorded only. */
export const rateCardCarrier: Carrier = {
  name: "rate-card",
  title: "Rate card",
  description:
    "Prices from rate cards you upload. Pickups are checked against the rules and recorded; the carrier is not contacted.",
  settings: Strict({}),
  credentials: Strict({}),
  pickupRules: defaultPickupRules,
  isLocal: true,
  recordsOnly: true,
  usesRateCards: true,
  async rate({ tariff }, { services, ...request }) {
    if (!tariff) throw new RemoteError("no_rate_card", "This account has no rate card in effect on that day.");
    return servicesOf(tariff, services).map((service) => quoteService(tariff, service, request));
  },
  async schedulePickup() {
    return { confirmationNumber: null, messages: [carrierNotContacted] };
  },
  async cancelPickup() {},
};

/** The named services, or all. An unknown name is an error rather than a missing quote. */
export function servicesOf({ card }: Tariff, names: string[] | undefined): CompiledService[] {
  if (!names) return card.services;
  return names.map((name) => {
    const match = findService(card, name);
    if (!match) throw new RemoteError("unknown_service", `The rate card has no service ${name}.`);
    return match.service;
  });
}

export const carrierNotContacted =
  "The carrier was not contacted. Call it and record its confirmation number with PATCH and `confirmationNumber`.";

/** Derived from the effect key, so that a retry gets the same number. */
export function confirmationOf(prefix: string, effectKey: string): string {
  const digest = createHash("sha256").update(effectKey).digest();
  return `${prefix}${String(digest.readUIntBE(0, 6) % 1_000_000_000).padStart(9, "0")}`;
}
