import { createHash } from "node:crypto";
import { Strict } from "../../core/schema.ts";
import type { Carrier } from "../carrier.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { defaultPickupRules } from "../pickup-rules.ts";
import { findService } from "./compile-card.ts";
import { quoteService } from "./quote.ts";

/** A contract on paper: prices from uploaded cards, pickups agreed by rule and carried out by whoever drives. */
export const rateCardCarrier: Carrier = {
  name: "rate-card",
  title: "Rate card",
  description: "Prices from rate cards that you upload; pickups are confirmed by their rules, without calling anyone.",
  settings: Strict({}),
  credentials: Strict({}),
  pickupRules: defaultPickupRules,
  isLocal: true,
  usesRateCards: true,
  async rate({ tariff }, { services, ...request }) {
    if (!tariff) throw new RemoteError("no_rate_card", "No rate card of this account is in effect on that day.");
    const wanted =
      services?.map((name) => {
        const match = findService(tariff.card, name);
        if (!match) throw new RemoteError("unknown_service", `The rate card has no service ${name}.`);
        return match.service;
      }) ?? tariff.card.services;
    return wanted.map((service) => quoteService(tariff, service, request));
  },
  async schedulePickup({ effectKey }) {
    return { confirmationNumber: confirmationOf("RC", effectKey), messages: [] };
  },
  async cancelPickup() {},
};

/** The same for the same request, so that a repetition does not look like a second pickup. */
export function confirmationOf(prefix: string, effectKey: string): string {
  const digest = createHash("sha256").update(effectKey).digest();
  return `${prefix}${String(digest.readUIntBE(0, 6) % 1_000_000_000).padStart(9, "0")}`;
}
