import { createHash } from "node:crypto";
import type { Carrier } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { defaultPickupRules } from "../seam/pickup-rules.ts";
import { Strict } from "../seam/schema.ts";
import { rateShipment } from "./rate-shipment.ts";

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
  usesRateCards: () => true,
  async rate({ tariff }, request) {
    if (!tariff) throw new RemoteError("no_rate_card", "This account has no rate card in effect on that day.");
    return rateShipment(tariff, request);
  },
  async schedulePickup() {
    return { confirmationNumber: null, messages: [carrierNotContacted] };
  },
  async cancelPickup() {},
};

export const carrierNotContacted =
  "The carrier was not contacted. Call it and record its confirmation number with PATCH and `confirmationNumber`.";

/** Derived from the effect key, so that a retry gets the same number. */
export function confirmationOf(prefix: string, effectKey: string): string {
  const digest = createHash("sha256").update(effectKey).digest();
  return `${prefix}${String(digest.readUIntBE(0, 6) % 1_000_000_000).padStart(9, "0")}`;
}
