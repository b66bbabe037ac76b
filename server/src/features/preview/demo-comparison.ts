import { demoCards } from "../../carriers/demo/demo-cards.ts";
import { matchService } from "../../carriers/rate-card/compile-card.ts";
import { toCents } from "../../core/money.ts";
import { quoteService } from "../../carriers/rate-card/quote.ts";
import type { Tariff } from "../../carriers/rate-card/tariff.ts";
import { createTariff } from "../../carriers/rate-card/tariff.ts";
import type { NewItem } from "../rate-comparisons/rate-comparisons.ts";

const places = [
  ["10001", "New York", "NY"],
  ["02134", "Boston", "MA"],
  ["19103", "Philadelphia", "PA"],
  ["20001", "Washington", "DC"],
  ["30303", "Atlanta", "GA"],
  ["33101", "Miami", "FL"],
  ["43215", "Columbus", "OH"],
  ["60614", "Chicago", "IL"],
  ["75201", "Dallas", "TX"],
  ["80202", "Denver", "CO"],
  ["90210", "Beverly Hills", "CA"],
  ["94105", "San Francisco", "CA"],
  ["98101", "Seattle", "WA"],
  ["99501", "Anchorage", "AK"],
] as const;
const services = ["Ground", "Ground", "Ground", "Home Delivery", "2Day", "Ground Economy"];

/** What the shop pays: prices of this demo contract, to which adjustments and corrections were added. */
const paidContract = "Demo Express";
/** In percent of the price; most parcels cost a little more than the contract says, some less. */
const adjustments = [-14, -6, 0, 0, 4, 6, 9, 12, 15, 22, 30];

/** A quarter's parcels of a small shop, the same ones every time: some without a weight, one nobody can price. */
export function demoItems(count: number, day: string): NewItem[] {
  const paid = createTariff(demoCards().find(({ account }) => account === paidContract)!.card, () => undefined);
  return Array.from({ length: count }, (_, index): NewItem => {
    const mixed = Math.imul(index + 1, 2_654_435_761) >>> 0;
    const [destinationZip, destinationCity, destinationState] = places[mixed % places.length]!;
    const pounds = 1 + (mixed % 12);
    const serviceType = index === 7 ? "Courier on foot" : services[mixed % services.length]!;
    const item: NewItem = {
      trackingNumber: `7489${String(mixed).padStart(10, "0")}`,
      netCents: 1900,
      serviceType,
      originZip: "07114",
      originCity: "Newark",
      originState: "NJ",
      destinationZip,
      destinationCity,
      destinationState,
      weight: index % 9 === 0 ? null : { value: pounds, unit: "lb" },
      dimensions: index % 4 === 0 ? { sides: [14, 10, 6], unit: "in" } : null,
      residential: index % 5 === 0 ? null : mixed % 3 !== 0,
      shipDate: null,
      currency: null,
      isDuplicate: false,
    };
    const price = priceOf(paid, item, pounds, day);
    if (price !== undefined)
      item.netCents = Math.round((price * (100 + adjustments[index % adjustments.length]!)) / 100);
    return item;
  });
}

function priceOf(paid: Tariff, item: NewItem, pounds: number, shipDate: string): number | undefined {
  const match = matchService(paid.card, item.serviceType, "faster");
  const [length, width, height] = item.dimensions?.sides ?? [];
  const quote =
    match &&
    quoteService(paid, match.service, {
      origin: { zip: item.originZip, state: item.originState },
      destination: { zip: item.destinationZip, state: item.destinationState },
      weight: { value: pounds, unit: "lb" },
      dimensions:
        length === undefined || width === undefined || height === undefined
          ? undefined
          : { length, width, height, unit: "in" },
      residential: item.residential,
      shipDate,
    });
  return quote && "total" in quote ? toCents(quote.total) : undefined;
}
