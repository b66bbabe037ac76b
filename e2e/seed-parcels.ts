import type { TestOrg } from "../server/src/testing/test-hub.ts";

const places: Array<[city: string, state: string, zip: string]> = [
  ["Miami", "FL", "33101"],
  ["Beverly Hills", "CA", "90210"],
  ["New York", "NY", "10001"],
  ["Chicago", "IL", "60601"],
  ["Austin", "TX", "78701"],
  ["Seattle", "WA", "98101"],
  ["Denver", "CO", "80202"],
  ["Boston", "MA", "02134"],
];

/** A carrier invoice with an unusual header and two invalid rows. */
export function invoiceCsv(count: number): string {
  const rows = Array.from({ length: count }, (_, at) => {
    const [city, state, zip] = places[(at * 3) % places.length]!;
    const pounds = 1 + ((at * 7) % 18);
    const cost = (7.5 + pounds * 0.95 + ((at * 3) % 8) * 0.8 + (at % 11) * 0.35).toFixed(2);
    const service = at % 5 === 0 ? "2nd Day Air" : "UPS Ground";
    return `1Z7489${10_000 + at},$${cost},${service},Newark,NJ,07114,${city},${state},${zip},${pounds},${at % 3 === 0 ? "yes" : "no"}`;
  });
  const header = "Parcel,Billed,Service,From City,From State,Sender ZIP,City,State,ZIP,Weight (lb),Residential";
  return [header, ...rows, "1Z0,free,UPS Ground,,,,,,,,", ",12.00,UPS Ground,,,,,,,,", ""].join("\n");
}

const zones = ["2", "3", "4", "5", "6", "7", "8"];
const pounds = [1, 2, 5, 10, 20];

/** A contract with two services, a surcharge, a discount and fuel. */
const nationalCard = {
  name: "National 2026",
  effectiveFrom: "2020-01-01",
  zoneScheme: "ups",
  services: [
    {
      code: "GROUND",
      name: "Ground",
      level: "ground",
      weightBreaks: pounds.map((upTo) => ({ upTo })),
      rates: Object.fromEntries(
        zones.map((zone, at) => [zone, pounds.map((lb) => 8 + at * 0.9 + lb * (0.55 + at * 0.08))]),
      ),
      discounts: [{ percent: 12 }],
      dim: { divisor: 139 },
    },
    {
      code: "2DAY",
      name: "Two days",
      level: "two_day",
      weightBreaks: pounds.map((upTo) => ({ upTo })),
      rates: Object.fromEntries(
        zones.map((zone, at) => [zone, pounds.map((lb) => 10 + at * 1.4 + lb * (0.9 + at * 0.1))]),
      ),
    },
  ],
  surcharges: [
    { code: "RESI", label: "Residential delivery", kind: "fixed", amount: 2.1, when: { residential: true } },
  ],
  fuel: { percent: 14, appliesTo: "base_net" },
};

export async function seedContract(org: TestOrg, name: string): Promise<string> {
  const account = await org.post("/carrier-accounts", { name, carrier: "rate-card" });
  const card = await org.post(`/carrier-accounts/${account.body.id}/rate-cards`, { card: nationalCard });
  if (card.status !== 201) throw new Error(card.text);
  return account.body.id;
}
