import { demoCities, demoProducts } from "../../connectors/demo/demo-shop.ts";
import type { Actor } from "../../core/actor.ts";
import { madeUpId } from "../../core/ids.ts";
import { fromCents, roundToCents } from "../../core/money.ts";
import type { Random } from "../../core/seeded-random.ts";
import { seededRandom } from "../../core/seeded-random.ts";
import type { HoldReason, OrderStatus, Priority } from "../orders/orders.states.ts";
import type { Hold, Order, OrderLine } from "../orders/order.ts";
import { newOrder } from "../orders/orders.ts";
import type { OrderRequest } from "../orders/orders.schemas.ts";

const by: Actor = { type: "system", name: "demo data" };
const dayMs = 86_400_000;
const batchSize = 100;

const firstNames =
  "Ada Ben Carla Dmitri Elena Farid Grace Hiro Ines Jonas Kavya Liam Mara Noor Oscar Priya Quinn Rosa Sam Tova".split(
    " ",
  );
const lastNames =
  "Abbott Becker Castillo Dubois Evans Fischer Gupta Haddad Ivanov Jensen Kowalski Larsen Moreau Nguyen Okafor Petrov".split(
    " ",
  );
const cities = [
  ...demoCities,
  ["Miami", "FL", "33101"],
  ["Portland", "OR", "97201"],
  ["Honolulu", "HI", "96801"],
  ["Anchorage", "AK", "99501"],
] as const;
const products = [...demoProducts, ["CHAIR-KIT", "Folding chair kit", 14_900, 7_800] as const];
/** How often each status occurs, in percent. */
const statusShare: [OrderStatus, number][] = [
  ["draft", 2],
  ["new", 14],
  ["review_required", 6],
  ["awaiting_payment", 6],
  ["ready", 26],
  ["sent", 8],
  ["partially_shipped", 4],
  ["shipped", 14],
  ["delivered", 15],
  ["cancelled", 5],
];
const holdReasons: HoldReason[] = [
  "high_risk_of_fraud",
  "incorrect_address",
  "inventory_out_of_stock",
  "customer_request",
  "operator",
];
const channels = ["web-shop", "marketplace", "wholesale"] as const;
const tagPool = ["vip", "gift", "fragile", "first-order", "subscription", "rush"];

/** Believable orders in every state, in batches. The same seed gives the same orders, relative to `now`. */
export function* makeDemoOrders(count: number, seed: number, now: Date): Generator<Order[]> {
  const random = seededRandom(seed);
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  for (let first = 0; first < count; first += batchSize) {
    const length = Math.min(batchSize, count - first);
    yield Array.from({ length }, (_, index) => makeOrder(first + index, seed, random, today));
  }
}

function makeOrder(index: number, seed: number, random: Random, today: number): Order {
  const status = pickStatus(random.below(100));
  const ageDays =
    status === "delivered" ? 6 + random.below(50) : status === "shipped" ? 2 + random.below(5) : random.below(12);
  const orderedAt = new Date(today - ageDays * dayMs + random.below(dayMs / 1000) * 1000);
  const name = `${random.pick(firstNames)} ${random.pick(lastNames)}`;
  const [city, provinceCode, zip] = random.pick(cities);
  const lines = makeLines(index, seed, status, random);
  const isOpen = !["shipped", "delivered", "cancelled"].includes(status);
  const at = orderedAt.toISOString();
  const shippedAt = new Date(orderedAt.getTime() + dayMs).toISOString();
  const hasLeft = status === "shipped" || status === "delivered" || status === "partially_shipped";
  const paymentStatus =
    status === "awaiting_payment" ? "pending" : status === "cancelled" && random.chance(60) ? "refunded" : "paid";
  const priority = random.pick<Priority>(["normal", "normal", "normal", "normal", "low", "high", "urgent"]);
  const holds = isOpen && random.chance(9) ? [makeHold(index, seed, random, at, today)] : [];
  const request: OrderRequest = {
    status,
    paymentStatus,
    priority,
    tags: tagPool.filter(() => random.chance(14)),
    channel: random.pick(channels),
    customer: {
      name,
      email: `${name.toLowerCase().replace(" ", ".")}${index}@mail.example`,
      phone: `+1 555 01${10 + random.below(90)}`,
    },
    shippingAddress: {
      name,
      address1: `${1 + random.below(990)} ${random.pick(["Main Street", "Oak Avenue", "Harbor Road", "Mill Lane"])}`,
      city,
      provinceCode,
      // Some are wrong on purpose: validate_address should find something.
      zip: random.chance(3) ? zip.slice(0, 4) : zip,
      countryCode: "US",
    },
    total: roundToCents(lines.reduce((sum, line) => sum + (line.price ?? 0) * line.quantity, 0)),
    shipping: { carrier: random.pick(["ups", "fedex", "usps"]), service: random.pick(["ground", "ground", "express"]) },
    deliverBy: new Date(orderedAt.getTime() + 6 * dayMs).toISOString(),
    ...(isOpen ? { shipBy: new Date(orderedAt.getTime() + 2 * dayMs).toISOString() } : {}),
  };
  const env = { now: at, actor: by, newId: () => madeUpId(`${seed}:order:${index}`) };
  const shipment = {
    id: madeUpId(`${seed}:shipment:${index}`),
    trackingNumber: `1ZDEMO${String(seed).padStart(4, "0")}${String(index).padStart(8, "0")}`,
    carrier: "ups",
    service: "ground",
    shippedAt,
    lines: lines
      .filter((line) => line.shippedQuantity > 0)
      .map((line) => ({ lineId: line.id, quantity: line.shippedQuantity })),
  };
  return {
    ...newOrder(request, `DEMO-${10_001 + index}`, env),
    holds,
    lines,
    shipments: hasLeft ? [shipment] : [],
    archivedAt: status === "delivered" && ageDays > 30 ? new Date(today - dayMs).toISOString() : null,
  };
}

function makeLines(index: number, seed: number, status: OrderStatus, random: Random): OrderLine[] {
  const count = status === "partially_shipped" ? 2 : 1 + random.below(3);
  const start = random.below(products.length);
  // Three steps on is another product each time: 3 and 8 have no common divisor.
  const chosen = Array.from({ length: count }, (_, i) => products[(start + 3 * i) % products.length]!);
  return chosen.map(([sku, name, cents, grams], i) => {
    const quantity = 1 + random.below(3);
    const isShipped = status === "shipped" || status === "delivered" || (status === "partially_shipped" && i === 0);
    return {
      id: madeUpId(`${seed}:line:${index}:${i}`),
      sku,
      name,
      quantity,
      shippedQuantity: isShipped ? quantity : 0,
      price: fromCents(cents),
      weight: { value: grams, unit: "g" },
    };
  });
}

function makeHold(index: number, seed: number, random: Random, at: string, today: number): Hold {
  const reason = random.pick(holdReasons);
  const until = random.chance(30) ? new Date(today + (1 + random.below(5)) * dayMs).toISOString() : null;
  return {
    id: madeUpId(`${seed}:hold:${index}`),
    handle: reason,
    reason,
    note: null,
    until,
    source: "user",
    by,
    placedAt: at,
  };
}

function pickStatus(percent: number): OrderStatus {
  let left = percent;
  for (const [status, share] of statusShare) {
    if (left < share) return status;
    left -= share;
  }
  return "ready";
}
