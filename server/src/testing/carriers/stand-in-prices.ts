/** Prices in cents. `published` is the list price, `negotiated` the price of the account. */
export type ServicePrice = { baseCents: number; perOunceCents: number; perZoneCents: number };
export type Price = { publishedCents: number; negotiatedCents: number };

/** 1 to 8, by the distance between the first three digits of the two ZIP codes; 9 where one of them is not a ZIP code. */
export function zoneOf(fromZip: string, toZip: string): number {
  const [from, to] = [fromZip, toZip].map((zip) => (/^\d{5}/.test(zip) ? Number(zip.slice(0, 3)) : undefined));
  if (from === undefined || to === undefined) return 9;
  return 1 + Math.min(7, Math.floor(Math.abs(from - to) / 100));
}

/** The price list of every stand-in: started ounces, zones, and a fifth off for the account. */
export function priceOf(service: ServicePrice, parcel: { ounces: number; fromZip: string; toZip: string }): Price {
  const { baseCents, perOunceCents, perZoneCents } = service;
  const zone = zoneOf(parcel.fromZip, parcel.toZip);
  const publishedCents = baseCents + perOunceCents * Math.ceil(parcel.ounces) + perZoneCents * zone;
  return { publishedCents, negotiatedCents: Math.round(publishedCents * 0.8) };
}

export const asDollars = (cents: number): string => (cents / 100).toFixed(2);
