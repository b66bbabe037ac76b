import { createHash } from "node:crypto";
import { Strict } from "../../core/schema.ts";
import type { Carrier } from "../carrier.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { defaultPickupRules } from "../pickup-rules.ts";
import type { CompiledService } from "./compile-card.ts";
import { findService } from "./compile-card.ts";
import { quoteService } from "./quote.ts";
import type { Tariff } from "./tariff.ts";

/** A contract on paper: prices from uploaded cards, pickups agreed by rule and carried out by whoever drives. */
export const rateCardCarrier: Carrier = {
  name: "rate-card",
  title: "Rate card",
  description:
    "Prices from rate cards that you upload. Pickups are checked by their rules and written down; nobody is called.",
  settings: Strict({}),
  credentials: Strict({}),
  pickupRules: defaultPickupRules,
  isLocal: true,
  tellsNobody: true,
  usesRateCards: true,
  async rate({ tariff }, { services, ...request }) {
    if (!tariff) throw new RemoteError("no_rate_card", "No rate card of this account is in effect on that day.");
    return servicesOf(tariff, services).map((service) => quoteService(tariff, service, request));
  },
  async schedulePickup() {
    return { confirmationNumber: null, messages: [nobodyTold] };
  },
  async cancelPickup() {},
};

/** Those that are asked for, or all. One that there is not is not passed over: who asked would miss it. */
export function servicesOf({ card }: Tariff, names: string[] | undefined): CompiledService[] {
  if (!names) return card.services;
  return names.map((name) => {
    const match = findService(card, name);
    if (!match) throw new RemoteError("unknown_service", `The rate card has no service ${name}.`);
    return match.service;
  });
}

export const nobodyTold =
  "Nobody was told: this contract is on paper. Call the carrier, and write down its number: PATCH with `confirmationNumber`.";

/** The same for the same request, so that a repetition does not look like a second pickup. */
export function confirmationOf(prefix: string, effectKey: string): string {
  const digest = createHash("sha256").update(effectKey).digest();
  return `${prefix}${String(digest.readUIntBE(0, 6) % 1_000_000_000).padStart(9, "0")}`;
}
