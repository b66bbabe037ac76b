/** Price lists of the stand-ins. All amounts are cents, so that tests can compute what to expect. */

/** A service of a carrier behind an aggregator, priced by the ounce. */
export type ServicePrice = { baseCents: number; perOunceCents: number; perZoneCents: number };
/** `published` is the list price, `negotiated` the price of the account. */
export type Price = { publishedCents: number; negotiatedCents: number };

/** Started ounces, zones, and a fifth off for the account. */
export function priceOf(service: ServicePrice, parcel: { ounces: number; fromZip: string; toZip: string }): Price {
  const { baseCents, perOunceCents, perZoneCents } = service;
  const zone = zoneBetween(parcel.fromZip, parcel.toZip);
  const publishedCents = baseCents + perOunceCents * Math.ceil(parcel.ounces) + perZoneCents * zone;
  return { publishedCents, negotiatedCents: percentOf(publishedCents, 80) };
}

/** A service of a carrier that is asked directly, priced by the pound. */
export type PricedService = {
  code: string;
  name: string;
  baseCents: number;
  perPoundCents: number;
  perZoneCents: number;
  /** Business days to zone 2; one more for every two zones, except for services that promise a day. */
  days: number;
  promisesDay: boolean;
};

type Box = { pounds: number; inches?: { length: number; width: number; height: number } | undefined };

/** Zone 2 to 8 by the distance between the first three digits of two ZIP codes; 9 abroad and for what is no ZIP code. */
export function zoneBetween(fromZip: string, toZip: string): number {
  const distance = Math.abs(Number(fromZip.slice(0, 3)) - Number(toZip.slice(0, 3)));
  if (Number.isNaN(distance)) return 9;
  return 2 + [50, 100, 200, 300, 450, 650].filter((limit) => distance >= limit).length;
}

/** Whole pounds: the weight or the dimensional weight, whichever is more. */
export function billedPounds({ pounds, inches }: Box, divisor: number): number {
  const dimensional = inches ? (inches.length * inches.width * inches.height) / divisor : 0;
  return Math.max(1, Math.ceil(Math.max(pounds, dimensional)));
}

export function freightCents(service: PricedService, pounds: number, zone: number): number {
  return service.baseCents + service.perPoundCents * pounds + service.perZoneCents * (zone - 2);
}

export function transitDays(service: PricedService, zone: number): number {
  return service.promisesDay ? service.days : service.days + Math.floor((zone - 2) / 2);
}

export function percentOf(cents: number, percent: number): number {
  return Math.round((cents * percent) / 100);
}

/** "12.40" */
export function decimalText(cents: number): string {
  return (cents / 100).toFixed(2);
}

/** The day so many business days later, as 2026-03-14. */
export function addBusinessDays(day: string, count: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  for (let left = count; left > 0;) {
    date.setUTCDate(date.getUTCDate() + 1);
    if (date.getUTCDay() !== 0 && date.getUTCDay() !== 6) left -= 1;
  }
  return date.toISOString().slice(0, 10);
}
