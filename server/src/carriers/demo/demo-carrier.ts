import { createHash } from "node:crypto";
import type { SetLookup } from "../../core/conditions.ts";
import { toCents } from "../../core/money.ts";
import type { RateCard } from "../rate-card/card.schemas.ts";
import { findService } from "../rate-card/compile-card.ts";
import { confirmationOf } from "../rate-card/rate-card-carrier.ts";
import { quoteShipment, rateShipment } from "../rate-card/rate-shipment.ts";
import type { Tariff } from "../rate-card/tariff.ts";
import { createTariff } from "../rate-card/tariff.ts";
import type { Carrier } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { defaultPickupRules } from "../seam/pickup-rules.ts";
import { Strict, Type } from "../seam/schema.ts";
import type { ParcelToTrack, TrackingEvent, TrackingReport } from "../seam/tracking.ts";
import { demoCards } from "./demo-cards.ts";
import { drawLabel } from "./demo-label.ts";

const noSets: SetLookup = () => undefined;
const ownCard = (): RateCard => demoCards()[1]!.card;
let own: Tariff | undefined;
const ownTariff = (): Tariff => (own ??= createTariff(ownCard(), noSets));

/** Simulates a carrier deterministically: the same request always gets the same response. */
export const demoCarrier: Carrier = {
  name: "demo",
  title: "Demo carrier",
  description: "Simulated prices, pickups, labels, manifests and tracking. Makes no network calls.",
  settings: Strict({
    refusePickups: Type.Optional(Type.Boolean({ description: "Reject every pickup, for testing" })),
    missPickups: Type.Optional(Type.Boolean({ description: "Report every pickup as missed, for testing" })),
    refuseLabels: Type.Optional(Type.Boolean({ description: "Reject every label, for testing" })),
  }),
  credentials: Strict({ apiKey: Type.Optional(Type.String({ maxLength: 200 })) }),
  pickupRules: { ...defaultPickupRules, serviceDays: [1, 2, 3, 4, 5, 6] },
  isLocal: true,
  usesRateCards: () => false,
  ownCard,
  labelTypes: ["application/pdf"],
  async rate(_call, request) {
    return rateShipment(ownTariff(), request);
  },
  async schedulePickup({ settings, effectKey }, { packageCount }) {
    if (settings.refusePickups === true)
      throw new RemoteError("pickup_refused", "The demo carrier is set to reject pickups.");
    const messages = packageCount > 50 ? ["A larger vehicle was arranged."] : [];
    return { confirmationNumber: confirmationOf("DEMO", effectKey), charge: { cents: 0, currency: "USD" }, messages };
  },
  async cancelPickup() {},
  /** The driver is dispatched at the ready time and has picked up at the close time, unless `missPickups` is set. */
  async findPickup({ settings, now }, { readyTime, closeTime }) {
    const at = now();
    const end = settings.missPickups === true ? "missed" : "completed";
    const status = at < new Date(readyTime) ? "scheduled" : at < new Date(closeTime) ? "dispatched" : end;
    return { status };
  },
  async track({ now }, parcels) {
    return parcels.map((parcel) => trackingOf(parcel, now()));
  },
  async createLabel({ settings, effectKey }, { service, ...request }) {
    if (settings.refuseLabels === true)
      throw new RemoteError("label_rejected", "The demo carrier is set to reject labels.");
    const tariff = ownTariff();
    const match = findService(tariff.card, service);
    if (!match) throw new RemoteError("unknown_service", `The demo carrier has no service ${service}.`);
    const quote = quoteShipment(tariff, match.service, request);
    if ("reason" in quote) throw new RemoteError(quote.reason, quote.message);
    const { to, reference } = request;
    const parcels = request.parcels.map((parcel, index) => {
      const trackingNumber = trackingNumberOf(index === 0 ? effectKey : `${effectKey}:${index + 1}`);
      const texts = [trackingNumber, to.name, to.zip, parcel.reference ?? reference];
      const lines = ["DEMO LABEL - NOT FOR MAILING", ...texts.map((text) => text ?? "")];
      return { trackingNumber, file: { contentType: "application/pdf" as const, content: drawLabel(lines) } };
    });
    const lines = quote.lines.map(({ code, label, amount }) => ({ code, label, cents: toCents(amount) }));
    return {
      service: match.service.code,
      charge: { cents: toCents(quote.total), currency: quote.currency, lines },
      parcels,
      ...(quote.zone === null ? {} : { zone: quote.zone }),
      ...(quote.transitDays === null ? {} : { transitDays: quote.transitDays }),
    };
  },
  async voidLabel() {
    return { state: "voided" };
  },
  async createManifest({ effectKey }, { shipDate, parcels }) {
    const number = confirmationOf("DEMO", effectKey);
    const content = drawLabel(["DEMO MANIFEST", number, shipDate, `${parcels.length} packages`]);
    return { number, file: { contentType: "application/pdf", content } };
  },
};

/** Derived from the effect key, so that a retry gets the same number; long enough to avoid collisions. */
function trackingNumberOf(effectKey: string): string {
  const digest = createHash("sha256").update(effectKey).digest();
  return `DM1${String(digest.readBigUInt64BE() % 10n ** 17n).padStart(17, "0")}`;
}

const hour = 3_600_000;
type Step = [afterHours: number, status: TrackingEvent["status"], description: string];
const way: Step[] = [
  [0, "pre_transit", "Label created"],
  [8, "picked_up", "Picked up"],
  [20, "in_transit", "Departed the origin facility"],
  [44, "in_transit", "Arrived at the destination facility"],
  [52, "out_for_delivery", "Out for delivery"],
];
const arrival: Step[] = [[58, "delivered", "Delivered"]];
const detour: Step[] = [
  [58, "delivery_failed", "Delivery attempted, recipient not available"],
  [76, "out_for_delivery", "Out for delivery"],
  [82, "delivered", "Delivered"],
];

/** Simulated tracking from shipment to delivery. The tracking number decides the speed and whether the first attempt fails. */
function trackingOf({ trackingNumber, shippedAt }: ParcelToTrack, now: Date): TrackingReport {
  const digest = createHash("sha256").update(trackingNumber).digest();
  const pace = 0.5 + digest[0]! / 255;
  const timeAt = (afterHours: number): number => Date.parse(shippedAt) + Math.round(afterHours * pace * hour);
  const story = [...way, ...(digest[4]! % 10 === 0 ? detour : arrival)];
  const happened = story.filter(([after]) => timeAt(after) <= now.getTime());
  const events = happened.map(([after, status, description]): TrackingEvent => {
    return { at: new Date(timeAt(after)).toISOString(), status, description };
  });
  return {
    trackingNumber,
    estimatedDelivery: new Date(timeAt(58)).toISOString(),
    events,
  };
}
