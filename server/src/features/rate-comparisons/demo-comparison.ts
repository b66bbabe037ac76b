import type { NewItem } from "./rate-items.store.ts";

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

/** A quarter's parcels of a small shop, the same ones every time: some without a weight, one nobody can price. */
export function demoItems(count: number): NewItem[] {
  return Array.from({ length: count }, (_, index): NewItem => {
    const mixed = Math.imul(index + 1, 2_654_435_761) >>> 0;
    const [destinationZip, destinationCity, destinationState] = places[mixed % places.length]!;
    const pounds = 1 + (mixed % 12);
    const serviceType = index === 7 ? "Courier on foot" : services[mixed % services.length]!;
    return {
      trackingNumber: `7489${String(mixed).padStart(10, "0")}`,
      netCents: 950 + pounds * 85 + (mixed % 900) + (serviceType === "2Day" ? 1400 : 0),
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
  });
}
