import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";

const people = [
  "T. Becker",
  "Ines Pereira",
  "J. O’Brien",
  "Øystein Dahl",
  "Mei Lin",
  "Ana Sousa",
  "Łukasz Nowak",
  "R. Patel",
];
const places: Array<[city: string, state: string, zip: string]> = [
  ["Albany", "NY", "12207"],
  ["Miami", "FL", "33101"],
  ["Boston", "MA", "02134"],
  ["Duluth", "MN", "55802"],
  ["Austin", "TX", "78701"],
  ["Portland", "OR", "97201"],
];
const statuses = ["ready", "ready", "new", "ready", "sent", "cancelled", "review_required"] as const;
const hour = 3_600_000;

/** A realistic mix of orders: several statuses, some late, some on hold, with tags and totals. */
export async function seedOrders(org: TestOrg, count: number, prefix = "SHOP-"): Promise<void> {
  const now = Date.now();
  const orders = Array.from({ length: count }, (_, at) => {
    const [city, provinceCode, zip] = places[at % places.length]!;
    return {
      number: `${prefix}${10_000 + at}`,
      status: statuses[at % statuses.length]!,
      channel: at % 3 === 0 ? "web" : "amazon",
      tags: [...(at % 2 === 0 ? ["rush"] : []), ...(at % 5 === 0 ? ["gift"] : [])],
      priority: at % 11 === 0 ? "high" : "normal",
      paymentStatus: "paid",
      customer: { name: people[at % people.length]!, email: `c${at}@example.com` },
      shippingAddress: {
        name: people[at % people.length]!,
        address1: `${at + 1} Main Street`,
        city,
        provinceCode,
        zip,
        countryCode: "US",
      },
      lines: [{ sku: `MUG-0${at % 9}`, name: "Mug", quantity: 1 + (at % 3), price: 9.5 }],
      shipping: { carrier: "UPS", service: at % 4 === 0 ? "2-day" : "ground" },
      total: 19 + (at % 40) * 7.25,
      orderedAt: new Date(now - at * hour).toISOString(),
      shipBy: new Date(now + (at % 9 === 0 ? -2 * hour : 30 * hour)).toISOString(),
    };
  });
  for (let from = 0; from < count; from += 5_000) {
    const { status, text } = await org.post("/orders/bulk", { orders: orders.slice(from, from + 5_000) });
    if (status >= 300) throw new Error(`seeding was answered ${status}: ${text.slice(0, 400)}`);
  }
  const held = orders
    .slice(0, Math.min(count, 40))
    .filter((_, at) => at % 6 === 0)
    .map(({ number }) => number);
  await org.post("/operations/run", {
    order_ids: held,
    actions: [{ type: "hold", params: { reason: "high_risk_of_fraud" } }],
  });
}

/** Copies an order `count` times in the database: the API would be too slow for a hundred thousand. */
export async function multiplyOrder(hub: TestHub, id: string, count: number): Promise<void> {
  const columns = await writableColumns(hub);
  const others: Record<string, string> = { id: "gen_random_uuid()", number: "o.number || '-' || g" };
  for (let from = 1; from <= count; from += 10_000) {
    await hub.world.db.query(
      // Materialized: looking it up per copy would slow down as the table grows.
      `with o as materialized (select * from orders where id = $1)
       insert into orders (${columns.join(", ")})
       select ${columns.map((name) => others[name] ?? `o.${name}`).join(", ")}
         from o, generate_series($2::int, $3::int) g`,
      [id, from, Math.min(count, from + 9_999)],
    );
  }
  await hub.world.db.query("analyze orders");
}

async function writableColumns({ world }: TestHub): Promise<string[]> {
  const rows = await world.db.query<{ name: string }>(
    `select quote_ident(column_name) as name from information_schema.columns
      where table_name = 'orders' and table_schema = current_schema() and is_generated = 'NEVER'`,
  );
  return rows.map(({ name }) => name);
}
