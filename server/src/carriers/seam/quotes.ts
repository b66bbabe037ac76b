import type { Weight } from "../../core/weight.ts";
import type { CarrierData } from "./carrier-data.ts";
import { amountOf } from "./money.ts";

/** The price of a shipment with one service. Zone, distance and weights are known for rate cards only. */
export type Quote = {
  service: string;
  serviceName: string;
  level: string | null;
  zone: string | null;
  zoneSource: "chart" | "distance" | "state" | "flat" | null;
  distanceMiles: number | null;
  borderline: boolean;
  /** The neighboring zone and its price; set if `borderline`. */
  alternative: { zone: string; total: number | null } | null;
  total: number;
  currency: string;
  /** The published price, if it differs from the account's. */
  listTotal: number | null;
  transitDays: number | null;
  /** A date or an instant: the carrier's promise for this shipment. */
  deliverBy: string | null;
  isGuaranteed: boolean;
  weight: QuotedWeight | null;
  lines: QuoteLine[];
  /** Until then `carrierData` can be used to buy at this price. */
  expiresAt: string | null;
  carrierData: CarrierData | null;
};

export type QuotedWeight = { actual: Weight; dimensional: Weight | null; billable: Weight; rated: Weight };
export type QuoteLine = { code: string; label: string; amount: number; explanation: string };

export type NoQuote = { service: string; serviceName: string; reason: string; message: string };

/** One quote for each service: labels are bought by service, and carriers sometimes name one twice. */
export function oncePerService<Answer extends { service: string }>(answers: Answer[]): Answer[] {
  return [...new Map(answers.toReversed().map((answer) => [answer.service, answer])).values()].toReversed();
}

type RemoteQuote = Pick<Quote, "service" | "serviceName" | "currency"> &
  Partial<
    Pick<Quote, "level" | "zone" | "transitDays" | "deliverBy" | "isGuaranteed" | "expiresAt" | "carrierData">
  > & { cents: number; listCents?: number; lines?: { code: string; label: string; cents: number }[] };

/** A quote that the carrier's API returned. */
export function remoteQuote({ cents, listCents, lines = [], ...quote }: RemoteQuote): Quote {
  return {
    level: null,
    zone: null,
    zoneSource: null,
    distanceMiles: null,
    borderline: false,
    alternative: null,
    transitDays: null,
    deliverBy: null,
    isGuaranteed: false,
    weight: null,
    expiresAt: null,
    carrierData: null,
    ...quote,
    total: amountOf(cents, quote.currency),
    listTotal: listCents === undefined || listCents === cents ? null : amountOf(listCents, quote.currency),
    lines: lines.map((line) => ({
      code: line.code,
      label: line.label,
      amount: amountOf(line.cents, quote.currency),
      explanation: "",
    })),
  };
}
