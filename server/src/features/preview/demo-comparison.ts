import { demoCards } from "../../carriers/demo/demo-cards.ts";
import { matchService } from "../../carriers/rate-card/compile-card.ts";
import { fromCents, toCents } from "../../core/money.ts";
import { quoteService } from "../../carriers/rate-card/quote.ts";
import type { Tariff } from "../../carriers/rate-card/tariff.ts";
import { createTariff } from "../../carriers/rate-card/tariff.ts";
import type { ItemRequest } from "../rate-comparisons/rate-items.schemas.ts";

const destinations = [
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

/** The costs in the demo invoice: prices of this demo contract plus adjustments. */
const paidContract = "Demo Express";
/** In percent of the contract price. */
const adjustments = [-14, -6, 0, 0, 4, 6, 9, 12, 15, 22, 30];

/** One quarter of a small shop's parcels, deterministic: some without a weight, one with a service that no rate card has. */
export function demoItems(count: number, day: string): ItemRequest[] {
  const paid = createTariff(demoCards().find(({ account }) => account === paidContract)!.card, () => undefined);
  return Array.from({ length: count }, (_, index): ItemRequest => {
    const mixed = Math.imul(index + 1, 2_654_435_761) >>> 0;
    const [destinationZip, destinationCity, destinationState] = destinations[mixed % destinations.length]!;
    const pounds = 1 + (mixed % 12);
    const serviceType = index === 7 ? "White glove delivery" : services[mixed % services.length]!;
    const item: ItemRequest = {
      trackingNumber: `7489${String(mixed).padStart(10, "0")}`,
      netCost: 19,
      serviceType,
      originZip: "07114",
      originCity: "Newark",
      originState: "NJ",
      destinationZip,
      destinationCity,
      destinationState,
      residential: index % 5 === 0 ? null : mixed % 3 !== 0,
      ...(index % 9 !== 0 && { weight: { value: pounds, unit: "lb" } }),
      ...(index % 4 === 0 && { dimensions: { length: 14, width: 10, height: 6, unit: "in" } }),
    };
    const price = priceOf(paid, item, serviceType, pounds, day);
    const percent = 100 + adjustments[index % adjustments.length]!;
    return price === undefined ? item : { ...item, netCost: fromCents(Math.round((price * percent) / 100)) };
  });
}

function priceOf(
  paid: Tariff,
  item: ItemRequest,
  serviceType: string,
  pounds: number,
  shipDate: string,
): number | undefined {
  const match = matchService(paid.card, serviceType, "faster");
  const quote =
    match &&
    quoteService(paid, match.service, {
      origin: { zip: item.originZip, state: item.originState },
      destination: { zip: item.destinationZip, state: item.destinationState },
      weight: { value: pounds, unit: "lb" },
      dimensions: item.dimensions,
      residential: item.residential ?? null,
      shipDate,
    });
  return quote && "total" in quote ? toCents(quote.total) : undefined;
}
