import type { CanonicalInventory, CanonicalLocation, CanonicalOrder, CanonicalTracking } from "../canonical.ts";
import type { PulledRecord } from "../connector.ts";
import type { Random } from "../../core/seeded-random.ts";
import { seededRandom } from "../../core/seeded-random.ts";

const firstNames = "Ada Bruno Chidi Dana Emil Fatima Goran Hana Ivo Julia Kemal Lena Milo Nadia Otis Paula".split(" ");
const lastNames = "Alvarez Brandt Costa Dahl Eriksen Fofana Grant Hoang Iqbal Janssen Klein Lopez Mbeki Novak".split(
  " ",
);
const streets = ["Main Street", "Oak Avenue", "Harbor Road", "Mill Lane", "Station Street"];
export const demoCities = [
  ["New York", "NY", "10001"],
  ["Chicago", "IL", "60601"],
  ["Austin", "TX", "78701"],
  ["Seattle", "WA", "98101"],
  ["Denver", "CO", "80202"],
  ["Boston", "MA", "02108"],
  ["Atlanta", "GA", "30303"],
  ["Phoenix", "AZ", "85004"],
] as const;
/** The price is in cents, the weight in grams. */
export const demoProducts = [
  ["MUG-BLUE", "Blue mug", 1450, 380],
  ["TEE-BLK-M", "Black T-shirt, M", 2400, 180],
  ["LAMP-OAK", "Oak desk lamp", 8900, 2100],
  ["NOTE-A5", "Notebook A5", 1200, 290],
  ["BAG-CANVAS", "Canvas bag", 3200, 410],
  ["SOAP-SET", "Soap gift set", 2790, 650],
  ["PLANT-S", "Small plant pot", 1800, 900],
] as const;
const warehouses = [
  ["demo-east", "East warehouse", "warehouse", "1 Port Street", "Newark", "NJ", "07114"],
  ["demo-west", "West warehouse", "warehouse", "400 Industry Way", "Reno", "NV", "89502"],
  ["demo-store", "Shop on Broadway", "store", "1200 Broadway", "New York", "NY", "10001"],
] as const;

/** A fixed day: a repeated import reads the same orders. */
const opening = Date.parse("2026-01-05T08:00:00Z");
const minuteMs = 60_000;

type Placed = { id: string; number: string; placedAt: string; modifiedAt: string; random: Random };

function placed(seed: number, index: number): Placed {
  const random = seededRandom(`order:${seed}:${index}`);
  const at = opening + index * 37 * minuteMs + random.below(30) * minuteMs;
  return {
    id: `demo-${seed}-${index + 1}`,
    number: `D${seed}-${1001 + index}`,
    placedAt: new Date(at).toISOString(),
    modifiedAt: new Date(at + random.below(600) * minuteMs).toISOString(),
    random,
  };
}

export function demoOrder(seed: number, index: number): PulledRecord {
  const raw = rawOrder(seed, index);
  return { externalId: raw.order_id, updatedAt: raw.modified_at, raw, canonical: canonicalOrder(raw) };
}

function rawOrder(seed: number, index: number) {
  const { id, number, placedAt, modifiedAt, random } = placed(seed, index);
  const [first, last] = [random.pick(firstNames), random.pick(lastNames)];
  const [city, state, zip] = random.pick(demoCities);
  const start = random.below(demoProducts.length);
  const items = Array.from({ length: 1 + random.below(3) }, (_, i) => {
    const [sku, title, cents, grams] = demoProducts[(start + 2 * i) % demoProducts.length]!;
    return { line: `${id}-${i + 1}`, sku, title, qty: 1 + random.below(3), unit_price_cents: cents, grams };
  });
  const totalCents = items.reduce((sum, item) => sum + item.qty * item.unit_price_cents, 0);
  return {
    order_id: id,
    order_no: number,
    placed_at: placedAt,
    modified_at: modifiedAt,
    is_paid: random.chance(85),
    buyer: { first_name: first, last_name: last, email: `${first}.${last}${index + 1}@mail.example`.toLowerCase() },
    ship_to: { street: `${1 + random.below(990)} ${random.pick(streets)}`, city, state, zip, country: "US" },
    items,
    total_cents: totalCents,
    currency: "USD",
    delivery: random.pick(["standard", "standard", "express"]),
    message: random.chance(15) ? "Please leave it at the door." : null,
  };
}

function canonicalOrder(raw: ReturnType<typeof rawOrder>): CanonicalOrder {
  const name = `${raw.buyer.first_name} ${raw.buyer.last_name}`;
  const { street, city, state, zip, country } = raw.ship_to;
  return {
    number: raw.order_no,
    externalId: raw.order_id,
    status: raw.is_paid ? "new" : "awaiting_payment",
    paymentStatus: raw.is_paid ? "paid" : "pending",
    currency: raw.currency,
    orderedAt: raw.placed_at,
    channel: "demo-shop",
    customer: { name, email: raw.buyer.email },
    shippingAddress: { name, address1: street, city, provinceCode: state, zip, countryCode: country },
    lines: raw.items.map(({ line, sku, title, qty, unit_price_cents: cents, grams }) => ({
      id: line,
      sku,
      name: title,
      quantity: qty,
      price: cents / 100,
      weight: { value: grams, unit: "g" },
    })),
    total: raw.total_cents / 100,
    shipping: { service: raw.delivery },
    ...(raw.message === null ? {} : { notes: [{ text: raw.message, visibility: "customer" }] }),
  };
}

export function demoLocations(): PulledRecord[] {
  return warehouses.map(([id, name, type, address1, city, provinceCode, zip]) => {
    const address = { address1, city, provinceCode, zip, countryCode: "US" };
    const canonical: CanonicalLocation = { name, type, address, is_active: true };
    return { externalId: id, raw: { id, name, kind: type, address }, canonical };
  });
}

/** One parcel per order, with the progress that fits its age. */
export function demoTracking(seed: number, index: number, now: Date): PulledRecord {
  const { id, placedAt } = placed(seed, index);
  const random = seededRandom(`parcel:${seed}:${index}`);
  const ageDays = Math.floor((now.getTime() - Date.parse(placedAt)) / 86_400_000);
  const stages = ["pre_transit", "picked_up", "in_transit", "in_transit", "out_for_delivery", "delivered"] as const;
  const reached = Math.min(Math.max(ageDays, 0), stages.length - 1);
  const status = random.chance(4) && reached > 1 ? "exception" : stages[reached]!;
  const statusAt = new Date(Date.parse(placedAt) + reached * 86_400_000).toISOString();
  const trackingNumber = `DEMO${String(seed).padStart(4, "0")}${String(index + 1).padStart(8, "0")}`;
  const canonical: CanonicalTracking = {
    trackingNumber,
    carrier: "demo",
    status,
    statusAt,
    orderExternalId: id,
    ...(status === "delivered" ? { deliveredAt: statusAt } : {}),
  };
  const raw = { tracking_no: trackingNumber, state: status, state_at: statusAt, order: id };
  return { externalId: trackingNumber, updatedAt: statusAt, raw, canonical };
}

export function demoInventory(seed: number): PulledRecord[] {
  return warehouses.flatMap(([location]) =>
    demoProducts.map(([sku]) => {
      const random = seededRandom(`stock:${seed}:${location}:${sku}`);
      const onHand = random.below(400);
      const available = Math.max(onHand - random.below(40), 0);
      const canonical: CanonicalInventory = { sku, locationExternalId: location, available };
      return { externalId: `${location}/${sku}`, raw: { sku, location, on_hand: onHand, free: available }, canonical };
    }),
  );
}
